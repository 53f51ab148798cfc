// The layout of Swift's runtime metadata, as far as a walk of strong references reads it, and the
// runtime's own functions that read the rest.
//
// Only what has to be spelled in C is here. Sources: docs/ABI/TypeMetadata.rst,
// include/swift/ABI/Metadata.h and include/swift/Remote/MetadataReader.h of swiftlang/swift, for
// platforms without Objective-C. Nothing here checks an address: callers do, before they ask.

#ifndef CKVORETENTION_H
#define CKVORETENTION_H

#include <stdint.h>
#include <string.h>

#include "CKVORetentionChunks.h"
#include "CKVORetentionSnapshot.h"
#include "CKVORetentionWalk.h"
#include "CKVORetentionWords.h"

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

// MARK: - Type metadata

/// What every metadata record begins with, at its address point.
typedef struct {
  uintptr_t kind;
} KVOSTypeMetadata;

/// A class, without the words that only Objective-C's runtime has.
typedef struct {
  uintptr_t kind;
  const void *_Nullable superclass;
  uint32_t flags;
  uint32_t instanceAddressPoint;
  uint32_t instanceSize;
  uint16_t instanceAlignmentMask;
  uint16_t reserved;
  uint32_t classSize;
  uint32_t classAddressPoint;
  const void *_Nullable descriptor;
} KVOSClassMetadata;

/// A struct or an enum; generic arguments follow. An Optional has the same layout.
typedef struct {
  uintptr_t kind;
  const void *_Nullable descriptor;
} KVOSValueMetadata;

/// A tuple; elements follow.
typedef struct {
  uintptr_t kind;
  uintptr_t elementCount;
  const char *_Nullable labels;
} KVOSTupleMetadata;

typedef struct {
  const void *_Nullable type;
  uint32_t offset;
  uint32_t padding;
} KVOSTupleElement;

/// A function type. Bits 16 to 23 of the flags are its convention.
typedef struct {
  uintptr_t kind;
  uintptr_t flags;
} KVOSFunctionMetadata;

/// A protocol composition, `Any` and `AnyObject` among them.
typedef struct {
  uintptr_t kind;
  uint32_t flags;
  uint32_t protocolCount;
} KVOSExistentialMetadata;

/// A constrained existential (`any Sequence<Int>`); its shape begins with flags.
typedef struct {
  uintptr_t kind;
  const uint32_t *_Nullable shape;
} KVOSExtendedExistentialMetadata;

/// A fixed array (`InlineArray`'s storage).
typedef struct {
  uintptr_t kind;
  intptr_t count;
  const void *_Nullable element;
} KVOSFixedArrayMetadata;

/// The metadata of a closure's context; a capture descriptor says what is behind the header.
typedef struct {
  uintptr_t kind;
  uint32_t offsetToFirstCapture;
  uint32_t padding;
  const void *_Nullable captures;
} KVOSContextMetadata;

/// The metadata of a box that the runtime made: for an existential's value, a generic variable.
typedef struct {
  uintptr_t kind;
  uint32_t offset;
  uint32_t padding;
  const void *_Nullable boxedType;
} KVOSBoxMetadata;

/// What is the same in all blocks of one kind; functions to copy and dispose of them follow.
typedef struct {
  uintptr_t reserved;
  uintptr_t size;
} KVOSBlockDescriptor;

/// What a block begins with; captures follow. Source: the blocks ABI of Clang (Block-ABI-Apple).
typedef struct {
  const void *_Nullable isa;
  uint32_t flags;
  uint32_t reserved;
  const void *_Nullable invoke;
  const KVOSBlockDescriptor *_Nullable descriptor;
} KVOSBlock;

/// Of KVOSBlock's flags: the block is copied and disposed of by functions of its own, as one is that owns
/// something.
#define KVOS_BLOCK_OWNS 0x02000000u
/// It is on the heap and counts its owners, twice each, in some bits of the flags.
#define KVOS_BLOCK_IS_COUNTED 0x01000000u
#define KVOS_BLOCK_COUNT 0xfffeu

/// What begins the captures of a block that dispatch_block_create() made. Source: `DISPATCH_BLOCK_PRIVATE_DATA_MAGIC`
/// of swift-corelibs-libdispatch.
#define KVOS_DISPATCH_BLOCK 0xd159b10cul
/// Where such a block has the one that it calls.
#define KVOS_DISPATCH_BLOCK_TARGET 72

/// A value witness table up to the witnesses that enums have.
typedef struct {
  const void *_Nullable operations[8];
  uintptr_t size;
  uintptr_t stride;
  uint32_t flags;
  uint32_t extraInhabitantCount;
  const void *enumTag;
  const void *projectEnumData;
} KVOSValueWitnesses;

/// The value witnesses of a type: the word in front of its metadata.
static inline const KVOSValueWitnesses *_Nullable kvos_value_witnesses(const void *type) {
  return ((const KVOSValueWitnesses *const *)type)[-1];
}

// Witnesses are in Swift's calling convention.
typedef __attribute__((swiftcall)) uint32_t (*KVOSEnumTag)(const void *value, const void *type);
typedef __attribute__((swiftcall)) void (*KVOSProjectEnum)(void *value, const void *type);

/// Which case an enum's value is: its payload cases are counted first, then those without payload.
/// Reads the value's bytes alone.
static inline uint32_t kvos_enum_tag(const KVOSValueWitnesses *witnesses, const void *value, const void *type) {
  return ((KVOSEnumTag)witnesses->enumTag)(value, type);
}

/// Turns the bytes of an enum's value into those of its payload, in place: for copies.
static inline void kvos_project_enum(const KVOSValueWitnesses *witnesses, void *value, const void *type) {
  ((KVOSProjectEnum)witnesses->projectEnumData)(value, type);
}

// MARK: - Tasks

// Where a task has its flags as a job, its status and, behind its own fields, what it returned: one that was
// made to be awaited and is nobody's child. Source: include/swift/ABI/Task.h and
// stdlib/public/Concurrency/TaskPrivate.h of swiftlang/swift, for 64-bit platforms.
#define KVOS_TASK_JOB_FLAGS 32
#define KVOS_TASK_STATUS 96
#define KVOS_TASK_FUTURE 208
/// Of the flags: the kind, which is 0 for tasks; made to be awaited; a child of another task.
#define KVOS_JOB_KIND 0xffu
#define KVOS_JOB_IS_CHILD 0x05000000u
#define KVOS_JOB_IS_FUTURE 0x02000000u
/// Of the status: a thread runs the task now; the task ran to its end.
#define KVOS_TASK_IS_RUNNING 0x800u
#define KVOS_TASK_IS_COMPLETE 0x2000u

/// What a task that can be awaited returned. The lower two bits of the queue: 1 for a value, 2 for an error.
typedef struct {
  uintptr_t waitQueue;
  const void *_Nullable resultType;
  const void *_Nullable error;
} KVOSTaskFuture;

// MARK: - Key paths

/// Where a key path has the header of its components: in its lower bits how many bytes they have, which follow
/// 8 bytes behind it. Source: stdlib/public/core/KeyPath.swift of swiftlang/swift, `KeyPathBuffer`.
#define KVOS_KEY_PATH_HEADER 24
#define KVOS_KEY_PATH_SIZE 0x00ffffffu

/// The header of a component: its kind, and what it says. Same source, `RawKeyPathComponent.Header`.
#define KVOS_KEY_PATH_KIND 0x7f000000u
#define KVOS_KEY_PATH_STRUCT 0x01000000u
#define KVOS_KEY_PATH_COMPUTED 0x02000000u
#define KVOS_KEY_PATH_CLASS 0x03000000u
#define KVOS_KEY_PATH_OPTIONAL 0x04000000u
#define KVOS_KEY_PATH_PAYLOAD 0x007fffffu
#define KVOS_KEY_PATH_SETTABLE 0x00400000u
#define KVOS_KEY_PATH_ARGUMENTS 0x00080000u
#define KVOS_KEY_PATH_EXTERNAL 0x00000010u

// MARK: - Descriptors

/// What a relative pointer in a descriptor points to, or null.
static inline const void *_Nullable kvos_relative(const int32_t *field) {
  return *field == 0 ? NULL : (const char *)field + *field;
}

/// The same where bit 0 says that a pointer to the target is what is pointed to.
static inline const void *_Nullable kvos_relative_indirectable(const int32_t *field) {
  if (*field == 0) return NULL;
  const char *target = (const char *)field + (*field & ~1);
  return *field & 1 ? *(const void *const *)target : target;
}

/// A context: a module, an extension, a type. The low five bits of the flags are its kind.
typedef struct {
  uint32_t flags;
  int32_t parent;
  int32_t name;
  int32_t accessFunction;
  int32_t fields;
} KVOSTypeDescriptor;

typedef struct {
  KVOSTypeDescriptor type;
  int32_t superclass;
  int32_t negativeSizeOrBounds;
  uint32_t positiveSizeInWords;
  uint32_t immediateMemberCount;
  uint32_t fieldCount;
  uint32_t fieldOffsetVector;
} KVOSClassDescriptor;

typedef struct {
  KVOSTypeDescriptor type;
  uint32_t fieldCount;
  uint32_t fieldOffsetVector;
} KVOSStructDescriptor;

/// The fields of a type, or the cases of an enum; records follow.
typedef struct {
  int32_t mangledTypeName;
  int32_t superclass;
  uint16_t kind;
  uint16_t recordSize;
  uint32_t fieldCount;
} KVOSFieldDescriptor;

/// One field or case. Bit 0 of the flags: an indirect case.
typedef struct {
  uint32_t flags;
  int32_t mangledTypeName;
  int32_t name;
} KVOSFieldRecord;

/// What a closure's context holds: captured types follow, then where generic arguments come from.
typedef struct {
  uint32_t captureCount;
  uint32_t sourceCount;
  uint32_t bindingCount;
} KVOSCaptureDescriptor;

// MARK: - Well-known types

// Builtin types, and descriptors of classes that Swift code cannot name, by their symbols in the
// standard library. The address point of metadata is one word behind its symbol.
extern const char kvosNativeObject __asm__("$sBoN");
extern const char kvosBridgeObject __asm__("$sBbN");
extern const char kvosUnknownObject __asm__("$sBON");
extern const char kvosRawPointer __asm__("$sBpN");
extern const char kvosRawContinuation __asm__("$sBcN");
extern const char kvosArrayStorage __asm__("$ss23_ContiguousArrayStorageCMn");
extern const char kvosDictionaryStorage __asm__("$ss18_DictionaryStorageCMn");
extern const char kvosSetStorage __asm__("$ss11_SetStorageCMn");

// Functions, because Swift makes copies of what it takes the address of.
static inline const void *kvos_native_object(void) { return &kvosNativeObject + 8; }
static inline const void *kvos_bridge_object(void) { return &kvosBridgeObject + 8; }
static inline const void *kvos_unknown_object(void) { return &kvosUnknownObject + 8; }
static inline const void *kvos_raw_pointer(void) { return &kvosRawPointer + 8; }
static inline const void *kvos_raw_continuation(void) { return &kvosRawContinuation + 8; }
static inline const void *kvos_array_storage(void) { return &kvosArrayStorage; }
static inline const void *kvos_dictionary_storage(void) { return &kvosDictionaryStorage; }
static inline const void *kvos_set_storage(void) { return &kvosSetStorage; }

// MARK: - Runtime functions

/// The type that a mangled name stands for among the generic arguments of `context`, or null.
__attribute__((swiftcall)) extern const void *_Nullable swift_getTypeByMangledNameInContext(
    const char *name, uintptr_t length, const void *_Nullable context,
    const void *_Nullable const *_Nullable arguments);

/// The same with a generic environment in place of a context.
__attribute__((swiftcall)) extern const void *_Nullable swift_getTypeByMangledNameInEnvironment(
    const char *name, uintptr_t length, const void *_Nullable environment,
    const void *_Nullable const *_Nullable arguments);

/// How many strong references to a living object there are.
extern size_t swift_retainCount(const void *object);

/// How many unowned references an object has, and one more for its memory; an object on the stack, which the
/// compiler puts there if it does not escape, has yet one more.
extern size_t swift_unownedRetainCount(const void *object);

// MARK: - Memory

/// How many bytes the allocation that begins at `address` has, or 0 where it does not look like one:
/// in static memory, on a stack. A guess outside of AddressSanitizer: the range is to be checked before
/// it is read. The 16 bytes before `address` must be readable.
uintptr_t kvos_allocation_size(const void *address);

/// The same for an address of which `wordInFront` is the word in front of it: nothing is read.
uintptr_t kvos_allocation_size_by_word(const void *address, uintptr_t wordInFront);

/// Copies `count` bytes of this process from `address` on, also where another thread unmaps them
/// meanwhile. Returns how many it could copy.
size_t kvos_copy_memory(uintptr_t address, void *copy, size_t count);

/// Whether the second word of an object counts references as a living one's does.
int kvos_is_living(uint64_t counts);

/// How many strong references the counts of an object say; 0 if they do not, as those of an object that lives for ever,
/// is being destroyed or is counted in a side table.
uint32_t kvos_owner_count(uint64_t counts);

/// Whether `address` is the side table that an object with these counts has: weak references lead there.
int kvos_is_side_table(uint64_t counts, uintptr_t address);

/// The first multiple of 16 from `offset` on, below `count`, at which a copy of memory has what a living
/// Swift object begins with: a word that may be an address, and one that counts references and does not
/// say that the object is being destroyed. `count` where there is none. `copy` is aligned to 8.
size_t kvos_next_object(const void *copy, size_t count, size_t offset);

/// Memory of `newByteCount` bytes in pages of its own, large ones if there are, with the first `byteCount`
/// bytes of `pages`, which is taken, or null for none; zeros behind. Both are multiples of 2 MB. Memory is
/// taken when it is touched. Null where there are no addresses left, and `pages` stays as it was.
void *_Nullable kvos_grow_pages(void *_Nullable pages, size_t byteCount, size_t newByteCount);

/// Addresses for `byteCount` bytes, all zero, in small pages; otherwise as above.
void *_Nullable kvos_reserve_pages(size_t byteCount);

/// Has large pages, if there are any, for `count` bytes from `offset` on of the `byteCount` bytes of
/// kvos_reserve_pages().
void kvos_use_large_pages(void *pages, size_t byteCount, size_t offset, size_t count);

/// Gives back the bytes of kvos_grow_pages() or kvos_reserve_pages().
void kvos_free_pages(void *pages, size_t byteCount);

/// Whether AddressSanitizer watches this program.
int kvos_is_sanitized(void);

/// Whether AddressSanitizer says that a byte of the range may not be read.
int kvos_is_poisoned(uintptr_t address, uintptr_t byteCount);

/// Takes and gives back the lock that the one walk at a time of a process holds.
///
/// A forked child never waits for a walk of its parent: there, the lock is free and kvos_shared_plans() is
/// null if another thread than the forking one held the lock.
void kvos_walk_lock(void);
void kvos_walk_unlock(void);

/// What walks share, or null as long as kvos_share_plans() was not called. For the thread that holds the lock.
void *_Nullable kvos_shared_plans(void);
void kvos_share_plans(void *plans);

/// The first word of blocks: of those on the heap (0), in static memory (1), on a stack (2). Null in a
/// program without blocks. Source: the blocks runtime's Block.h.
const void *_Nullable kvos_block_class(int index);

/// Whether memory comes from glibc's allocator: 1, or 0 if a sanitizer or another library has one.
int kvos_is_glibc_heap(void);

/// The allocation that `address` lies in, as a sanitizer's allocator says: 1, or 0 if there is none. -1 in a
/// program without a sanitizer. Allocators that cannot say where an allocation begins know those alone that
/// begin at `address`.
int kvos_sanitizer_allocation(uintptr_t address, uintptr_t *start, uintptr_t *byteCount);

/// Has the cache line of `address` fetched, and does not wait for it. Any address will do.
static inline void kvos_fetch(uintptr_t address) { __builtin_prefetch((const void *)address); }

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
