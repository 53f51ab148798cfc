// Finds the words of this process that lead to some addresses, and the registers of a thread.

#ifndef CKVORETENTION_WORDS_H
#define CKVORETENTION_WORDS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

/// 16 bytes to which words are searched for, by the complement of their number: a table of the addresses themselves
/// would contain such words. 0 in an empty slot.
typedef struct {
  uintptr_t granule;
  uintptr_t target;
} KVOSWordEntry;

#define KVOS_WORD_FILTER_BITS 16

/// The targets of a search. `entries` has 2 to the power of `bits` slots, zeros at first, of which at most half are
/// used; `filter` has 2 to the power of KVOS_WORD_FILTER_BITS bits, zeros at first.
typedef struct {
  uint64_t *filter;
  KVOSWordEntry *entries;
  uint32_t bits;
} KVOSWordTable;

/// Adds the 16 bytes that contain `address` to the targets of a search, with the index `target`.
void kvos_add_word_target(KVOSWordTable *table, uintptr_t address, uint32_t target);

/// The first multiple of 8, at least `offset` and below `count`, at which a copy of memory has a word that leads to
/// one of the targets, regardless of its upper byte; `count` if there is none. `copy` is aligned to 8, and `count` is
/// a multiple of it.
size_t kvos_next_word_target(const KVOSWordTable *table, const void *copy, size_t count, size_t offset,
                             uint32_t *target);

/// Searches every other word of a copy backward for the size of a glibc chunk that extends to an address.
///
/// `words[first]` would be the size of a chunk whose allocation begins `distance` bytes before that address. Returns
/// the index of the first word found that can be such a size, from `first` down to `last`, or -1.
ptrdiff_t kvos_chunk_before(const uintptr_t *words, ptrdiff_t first, ptrdiff_t last, uintptr_t distance);

/// The greatest index of `first`, `first` - 2, and so on down to `last` at which a copy has `word`, or -1.
ptrdiff_t kvos_word_before(const uintptr_t *words, ptrdiff_t first, ptrdiff_t last, uintptr_t word);

/// The start of the frames of kvos_note_entry()'s callers, and the values that they may hold only in registers.
typedef struct {
  uintptr_t stack;
  uint32_t registerCount;
  uintptr_t registers[10];
} KVOSEntry;

/// Fills `entry` for the caller of the calling function: the end of its frame at the call, and its registers. The
/// calling function must not be inlined. Returns 0 if the frames are not known.
int kvos_note_caller(KVOSEntry *entry);

/// Fills `entry`. Returns 0 on a processor whose registers are not known.
int kvos_note_entry(KVOSEntry *entry);

/// The first multiple of 8, at least `offset` and below `count`, at which `words` has a word whose lower 56 bits are
/// an address of at least `low` and below `high`; `count` if there is none. `words` is aligned to 8, and `count` is a
/// multiple of it.
size_t kvos_next_address(const void *words, size_t count, size_t offset, uintptr_t low, uintptr_t high);

/// The index of the first byte that is not 0, at least `index` and below `count`; `count` if there is none.
size_t kvos_next_nonzero(const uint8_t *bytes, size_t count, size_t index);

/// The index of the last byte that is not 0, at most `index` and at least `first`; `first` if there is none.
size_t kvos_last_nonzero(const uint8_t *bytes, size_t index, size_t first);

/// The address of glibc's own variables; 0 on other platforms.
uintptr_t kvos_allocator_variables(void);

/// The word that glibc's allocator writes into the second word of freed memory of this size while it is in a thread's
/// cache; 0 or an arbitrary word on other platforms.
uintptr_t kvos_free_mark(size_t byteCount);

/// The first word of a task's slab of memory for frames; 0 if it is not known. Source: `StackAllocator` in
/// stdlib/public/runtime/StackAllocator.h of swiftlang/swift.
uintptr_t kvos_task_slab_mark(void);

/// The first word of all tasks; 0 if it is not known, as in a program without tasks.
uintptr_t kvos_task_metadata(void);

/// The header of a slab: the size of the memory after it, and how much of it is in use. The last frame ends there.
typedef struct {
  uintptr_t mark;
  const void *_Nullable next;
  uint32_t capacity;
  uint32_t usedByteCount;
} KVOSTaskSlab;
#define KVOS_TASK_SLAB_START 32

/// The layout of Dispatch queues, as read from the main queue. Each Dispatch object begins with the address of a
/// table of its kind. Source: src/object_internal.h and src/queue_internal.h of swift-corelibs-libdispatch.
typedef struct {
  /// The first word of the tables of all kinds: the address of a function.
  uintptr_t dispose;
  /// The bits of the type that are common to all kinds of queues, including sources.
  uintptr_t group;
  /// The offset of the address of a queue's label, which is a copy of the text, or static memory.
  size_t labelOffset;
} KVOSQueueLayout;
/// The offset of the type in the table, and `_DISPATCH_TYPE_CLUSTER_MASK`, which applies to it.
#define KVOS_QUEUE_TYPE 16
#define KVOS_QUEUE_GROUP 0xf0

/// Determines the layout of queues. Returns 0 if it is not known, as in a program without Dispatch.
int kvos_note_queue_layout(KVOSQueueLayout *layout);

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
