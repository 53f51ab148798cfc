// The layout of Swift's runtime metadata, as far as a walk of strong references reads it, and the runtime functions
// that read the rest.
//
// Only what must be declared in C is here. Sources: docs/ABI/TypeMetadata.rst, include/swift/ABI/Metadata.h and
// include/swift/Remote/MetadataReader.h of swiftlang/swift, for platforms without Objective-C. Nothing here checks an
// address: callers do so first.

#ifndef CKVORETENTION_H
#define CKVORETENTION_H

#include <stdint.h>
#include <string.h>

#include "CKVORetentionChunks.h"
#include "CKVORetentionRequests.h"
#include "CKVORetentionSnapshot.h"
#include "CKVORetentionTasks.h"
#include "CKVORetentionWalk.h"
#include "CKVORetentionWords.h"

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

// MARK: - Type metadata

/// The first word of every metadata record, at its address point.
typedef struct {
  uintptr_t kind;
} KVOSTypeMetadata;

/// A class, without the words that only the Objective-C runtime uses.
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

/// The metadata of a closure's context; a capture descriptor describes the memory after the header.
typedef struct {
  uintptr_t kind;
  uint32_t offsetToFirstCapture;
  uint32_t padding;
  const void *_Nullable captures;
} KVOSContextMetadata;

/// The metadata of a box that the runtime creates: for an existential's value, a generic variable.
typedef struct {
  uintptr_t kind;
  uint32_t offset;
  uint32_t padding;
  const void *_Nullable boxedType;
} KVOSBoxMetadata;

/// The common data of all blocks of one kind; functions that copy and dispose of them follow.
typedef struct {
  uintptr_t reserved;
  uintptr_t size;
} KVOSBlockDescriptor;

/// The header of a block; captures follow. Source: the blocks ABI of Clang (Block-ABI-Apple).
typedef struct {
  const void *_Nullable isa;
  uint32_t flags;
  uint32_t reserved;
  const void *_Nullable invoke;
  const KVOSBlockDescriptor *_Nullable descriptor;
} KVOSBlock;

/// A flag of KVOSBlock: the block has its own functions for copying and disposal, as every block that owns something
/// does.
#define KVOS_BLOCK_OWNS 0x02000000u
/// A flag of KVOSBlock: the block is on the heap and counts its owners, twice each, in the bits KVOS_BLOCK_COUNT of
/// the flags.
#define KVOS_BLOCK_IS_COUNTED 0x01000000u
#define KVOS_BLOCK_COUNT 0xfffeu

/// The first word of the captures of a block that dispatch_block_create() made. Source:
/// `DISPATCH_BLOCK_PRIVATE_DATA_MAGIC` of swift-corelibs-libdispatch.
#define KVOS_DISPATCH_BLOCK 0xd159b10cul
/// The offset of the block that such a block calls.
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

/// The value witnesses of a type, whose address is in the word before its metadata.
static inline const KVOSValueWitnesses *_Nullable kvos_value_witnesses(const void *type) {
  return ((const KVOSValueWitnesses *const *)type)[-1];
}

// Witnesses use Swift's calling convention.
typedef __attribute__((swiftcall)) uint32_t (*KVOSEnumTag)(const void *value, const void *type);
typedef __attribute__((swiftcall)) void (*KVOSProjectEnum)(void *value, const void *type);

/// The case of an enum's value: cases with payload are counted first, then those without. Reads only the value's
/// bytes.
static inline uint32_t kvos_enum_tag(const KVOSValueWitnesses *witnesses, const void *value, const void *type) {
  return ((KVOSEnumTag)witnesses->enumTag)(value, type);
}

/// Converts the bytes of an enum's value into those of its payload, in place. Call it on a copy.
static inline void kvos_project_enum(const KVOSValueWitnesses *witnesses, void *value, const void *type) {
  ((KVOSProjectEnum)witnesses->projectEnumData)(value, type);
}

// MARK: - Key paths

/// The offset of the header of a key path's components, whose lower bits are their size in bytes. The components
/// begin 8 bytes after it. Source: stdlib/public/core/KeyPath.swift of swiftlang/swift, `KeyPathBuffer`.
#define KVOS_KEY_PATH_HEADER 24
#define KVOS_KEY_PATH_SIZE 0x00ffffffu

/// The header of a component: its kind and flags. Same source, `RawKeyPathComponent.Header`.
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

/// The target of a relative pointer in a descriptor, or null.
static inline const void *_Nullable kvos_relative(const int32_t *field) {
  return *field == 0 ? NULL : (const char *)field + *field;
}

/// The same for a relative pointer whose bit 0 says that it leads to a pointer to the target.
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

/// The contents of a closure's context: captured types follow, and then the sources of generic arguments.
typedef struct {
  uint32_t captureCount;
  uint32_t sourceCount;
  uint32_t bindingCount;
} KVOSCaptureDescriptor;

// MARK: - Well-known types

// Builtin types, and descriptors of classes that Swift code cannot name, by their symbols in the standard library.
// The address point of metadata is one word after its symbol.
extern const char kvosNativeObject __asm__("$sBoN");
extern const char kvosBridgeObject __asm__("$sBbN");
extern const char kvosUnknownObject __asm__("$sBON");
extern const char kvosRawPointer __asm__("$sBpN");
extern const char kvosRawContinuation __asm__("$sBcN");
extern const char kvosArrayStorage __asm__("$ss23_ContiguousArrayStorageCMn");
extern const char kvosDictionaryStorage __asm__("$ss18_DictionaryStorageCMn");
extern const char kvosSetStorage __asm__("$ss11_SetStorageCMn");

// Functions, because Swift copies a variable to take its address.
static inline const void *kvos_native_object(void) { return &kvosNativeObject + 8; }
static inline const void *kvos_bridge_object(void) { return &kvosBridgeObject + 8; }
static inline const void *kvos_unknown_object(void) { return &kvosUnknownObject + 8; }
static inline const void *kvos_raw_pointer(void) { return &kvosRawPointer + 8; }
static inline const void *kvos_raw_continuation(void) { return &kvosRawContinuation + 8; }
static inline const void *kvos_array_storage(void) { return &kvosArrayStorage; }
static inline const void *kvos_dictionary_storage(void) { return &kvosDictionaryStorage; }
static inline const void *kvos_set_storage(void) { return &kvosSetStorage; }

// MARK: - Runtime functions

/// The type with a mangled name among the generic arguments of `context`, or null.
__attribute__((swiftcall)) extern const void *_Nullable swift_getTypeByMangledNameInContext(
    const char *name, uintptr_t length, const void *_Nullable context,
    const void *_Nullable const *_Nullable arguments);

/// The same with a generic environment instead of a context.
__attribute__((swiftcall)) extern const void *_Nullable swift_getTypeByMangledNameInEnvironment(
    const char *name, uintptr_t length, const void *_Nullable environment,
    const void *_Nullable const *_Nullable arguments);

// MARK: - Memory

/// The size in bytes of the allocation that begins at `address`, or 0 if the memory does not look like one, such as
/// static memory or a stack. Without AddressSanitizer the result is a guess: check the range before reading it. The
/// 16 bytes before `address` must be readable.
uintptr_t kvos_allocation_size(const void *address);

/// The same with the word before `address` given as `precedingWord`: reads no memory.
uintptr_t kvos_allocation_size_by_word(const void *address, uintptr_t precedingWord);

/// Copies `count` bytes of this process at `address`, even if another thread unmaps them at the same time. Returns
/// the number of bytes that could be copied.
size_t kvos_copy_memory(uintptr_t address, void *copy, size_t count);

/// Whether the second word of an object has the reference counts of a living object.
int kvos_is_living(uint64_t counts);

/// The number of strong references by the counts of an object; 0 if the counts do not say it: of an immortal object, one
/// that is being destroyed, or one that is counted in a side table.
uint32_t kvos_owner_count(uint64_t counts);

/// The number of unowned references by the counts of an object, plus one for its memory, and plus one more for an object
/// on the stack, where the compiler puts objects that do not escape.
uint32_t kvos_unowned_count(uint64_t counts);

/// Whether `address` is the side table of an object with these counts, to which weak references lead.
int kvos_is_side_table(uint64_t counts, uintptr_t address);

/// The first multiple of 16, at least `offset` and below `count`, at which a copy of memory has the first words of a
/// living Swift object: a word that may be an address, and reference counts without the flag of an object that is
/// being destroyed. Returns `count` if there is none. `copy` is aligned to 8.
size_t kvos_next_object(const void *copy, size_t count, size_t offset);

/// Returns memory of `newByteCount` bytes in its own pages, large ones if available. Its first `byteCount` bytes are
/// those of `pages`, which is consumed and may be null; the rest are zeros. Both sizes are multiples of 2 MB. Memory
/// is allocated when it is touched. Returns null if there is no address space left; then `pages` is unchanged.
void *_Nullable kvos_grow_pages(void *_Nullable pages, size_t byteCount, size_t newByteCount);

/// Reserves address space for `byteCount` zero bytes in small pages; otherwise like kvos_grow_pages().
void *_Nullable kvos_reserve_pages(size_t byteCount);

/// Uses large pages, if available, for `count` bytes at `offset` in the `byteCount` bytes of kvos_reserve_pages().
void kvos_use_large_pages(void *pages, size_t byteCount, size_t offset, size_t count);

/// Frees memory of kvos_grow_pages() or kvos_reserve_pages().
void kvos_free_pages(void *pages, size_t byteCount);

/// Whether the program is built with AddressSanitizer.
int kvos_is_sanitized(void);

/// Whether AddressSanitizer forbids reading a byte of the range.
int kvos_is_poisoned(uintptr_t address, uintptr_t byteCount);

/// Acquires and releases the lock of the walk: one walk runs at a time in a process.
///
/// A forked child never waits for a walk of its parent: if another thread than the forking one held the lock, the
/// lock is free in the child, and kvos_shared_plans() is null.
void kvos_walk_lock(void);
void kvos_walk_unlock(void);

/// The plans that walks share, or null before kvos_share_plans(). Only for the thread that holds the lock.
void *_Nullable kvos_shared_plans(void);
void kvos_share_plans(void *plans);

/// The first word of blocks: on the heap (0), in static memory (1), on a stack (2). Null in a program without blocks.
/// Source: the blocks runtime's Block.h.
const void *_Nullable kvos_block_class(int index);

/// Returns 1 if memory comes from glibc's allocator, or 0 if a sanitizer or another library provides it.
int kvos_is_glibc_heap(void);

/// Finds the allocation that contains `address`, with a sanitizer's allocator: returns 1, or 0 if there is none, or
/// -1 in a program without a sanitizer. Allocators that cannot find the start of an allocation know only those that
/// begin at `address`.
int kvos_sanitizer_allocation(uintptr_t address, uintptr_t *start, uintptr_t *byteCount);

/// Prefetches the cache line of `address`, which may be any address.
static inline void kvos_fetch(uintptr_t address) { __builtin_prefetch((const void *)address); }

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
