// Which words of this process lead to some addresses, and what a thread holds in registers.

#ifndef CKVORETENTION_WORDS_H
#define CKVORETENTION_WORDS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

/// 16 bytes that words are looked for to, by the complement of their number: a table that has addresses itself
/// would have such words. 0 for none.
typedef struct {
  uintptr_t granule;
  uintptr_t target;
} KVOSWordEntry;

#define KVOS_WORD_FILTER_BITS 16

/// The addresses that words are looked for to. `entries` has 2 to the power of `bits` slots, zeros at first,
/// of which no more than half are used; `filter` has KVOS_WORD_FILTER_BITS bits likewise.
typedef struct {
  uint64_t *filter;
  KVOSWordEntry *entries;
  uint32_t bits;
} KVOSWordTable;

/// Has words looked for to the 16 bytes that `address` lies in, which stand for `target`.
void kvos_add_word_target(KVOSWordTable *table, uintptr_t address, uint32_t target);

/// The first multiple of 8 from `offset` on, below `count`, at which a copy of memory has a word that leads to
/// one of the addresses, whatever its upper byte is; `count` if there is none. `copy` is aligned to 8, and
/// `count` a multiple of it.
size_t kvos_next_word_target(const KVOSWordTable *table, const void *copy, size_t count, size_t offset,
                             uint32_t *target);

/// Looks back through every other word of a copy for the size that glibc keeps of a chunk which reaches that far.
///
/// `words[first]` would be the size of a chunk whose allocation begins `distance` bytes before the address in question.
/// Returns the index of the first word found that can be such a size, from `first` down to `last`, or -1.
ptrdiff_t kvos_chunk_before(const uintptr_t *words, ptrdiff_t first, ptrdiff_t last, uintptr_t distance);

/// The greatest index of `first`, `first` - 2, and so on down to `last` at which a copy has `word`, or -1.
ptrdiff_t kvos_word_before(const uintptr_t *words, ptrdiff_t first, ptrdiff_t last, uintptr_t word);

/// Where the frames of the callers of kvos_note_entry() begin, and what they may have in registers alone.
typedef struct {
  uintptr_t stack;
  uint32_t registerCount;
  uintptr_t registers[10];
} KVOSEntry;

/// Notes that of the function that called the caller: where its frame ended when it did, and what it had in
/// registers. The caller may not be inlined. Returns 0 if the frames are not known.
int kvos_note_caller(KVOSEntry *entry);

/// Notes that. Returns 0 on a processor of which the registers are not known.
int kvos_note_entry(KVOSEntry *entry);

/// The first multiple of 8 from `offset` on, below `count`, at which `words` has a word whose lower 56 bits are an
/// address of at least `low` and below `high`; `count` if there is none. `words` is aligned to 8, and `count` a
/// multiple of it.
size_t kvos_next_address(const void *words, size_t count, size_t offset, uintptr_t low, uintptr_t high);

/// The first byte from `index` on, below `count`, that is not 0; `count` if there is none.
size_t kvos_next_nonzero(const uint8_t *bytes, size_t count, size_t index);

/// The last byte up to `index`, not before `first`, that is not 0; `first` if there is none.
size_t kvos_last_nonzero(const uint8_t *bytes, size_t index, size_t first);

/// Where glibc has variables of its own; 0 elsewhere.
uintptr_t kvos_allocator_variables(void);

/// What glibc's allocator writes into the second word of memory of so many bytes when a thread gives it back and
/// keeps it for itself; 0 or anything elsewhere.
uintptr_t kvos_free_mark(size_t byteCount);

/// The first word of memory that a task takes its frames from; 0 if it is not known. Source: `StackAllocator` in
/// stdlib/public/runtime/StackAllocator.h of swiftlang/swift.
uintptr_t kvos_task_slab_mark(void);

/// How much such memory has behind this header, and how much of that is in use: the last frame ends there.
typedef struct {
  uintptr_t mark;
  const void *_Nullable next;
  uint32_t capacity;
  uint32_t usedByteCount;
} KVOSTaskSlab;
#define KVOS_TASK_SLAB_START 32

/// How Dispatch's queues look, as its main queue does. Each object of Dispatch begins with the address of a table of
/// its kind. Source: src/object_internal.h and src/queue_internal.h of swift-corelibs-libdispatch.
typedef struct {
  /// What begins the tables of all kinds: the address of a function.
  uintptr_t dispose;
  /// The bits of the type that all kinds of queues have in common, sources among them.
  uintptr_t group;
  /// Where a queue has the address of its label: a copy of the text, or static memory.
  size_t labelOffset;
} KVOSQueueLayout;
/// Where the table has the type, and `_DISPATCH_TYPE_CLUSTER_MASK` of that.
#define KVOS_QUEUE_TYPE 16
#define KVOS_QUEUE_GROUP 0xf0

/// Notes how queues look. Returns 0 if that is not known: a program without Dispatch has none.
int kvos_note_queue_layout(KVOSQueueLayout *layout);

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
