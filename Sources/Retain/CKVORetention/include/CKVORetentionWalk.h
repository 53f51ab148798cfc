// The loop that reads most objects of a walk.

#ifndef CKVORETENTION_WALK_H
#define CKVORETENTION_WALK_H

#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

// MARK: - Granules

/// A range of consecutive granules of 16 bytes each, which begins at `start` and has the numbers from `first` on.
typedef struct {
  uintptr_t start;
  uintptr_t count;
  uint32_t first;
  /// Whether objects in the range can be read.
  uint32_t isReadable;
} KVOSGranuleRange;

/// The number of ranges in the cache of kvos_walk_plain(), and the slot for an address.
#define KVOS_RANGE_COUNT 16
static inline size_t kvos_range_slot(uintptr_t address) {
  return (address >> 26 ^ (address >> 3 & 1)) & (KVOS_RANGE_COUNT - 1);
}

/// The index of the granule at `address` in a range that begins at `start`. It is greater than the size of any range
/// if no granule begins there: bits that a multiple of 16 does not have become the highest bits.
static inline uintptr_t kvos_granule_index(uintptr_t address, uintptr_t start) {
  uintptr_t distance = address - start;
  return distance >> 4 | distance << 60;
}

// The note of a granule, a byte: 0, a distance from 1 to KVOS_FARTHEST, or KVOS_KEEPS_MORE.
#define KVOS_FARTHEST 0x70
/// Something is kept alive on behalf of an object that was not met yet.
#define KVOS_KEEPS_MORE 0x7f
#define KVOS_DISTANCES 0x7f
/// With a distance: more than one reference leads to the object.
#define KVOS_IS_SHARED 0x80

/// The bit of a granule's number that is free for flags.
#define KVOS_GRANULE_FLAG 0x80000000u

// Flags of references to objects that were met before:
/// The target is not farther from the roots than the source.
#define KVOS_NOT_FARTHER ((uint64_t)1 << 31)
/// Together with KVOS_NOT_FARTHER: the target is at the same distance.
#define KVOS_AS_FAR ((uint64_t)1 << 63)

/// The flags of a non-tree edge to an object with the note `note`, while newly met objects get `distance`. If
/// distances exceed the greatest one, every edge counts as one that leads back.
static inline uint64_t kvos_edge_flags(uint8_t note, uint8_t distance) {
  uint8_t known = note & KVOS_DISTANCES;
  if (distance >= KVOS_FARTHEST) return KVOS_NOT_FARTHER;
  if (known == distance) return 0;
  return known + 1 == distance ? KVOS_NOT_FARTHER | KVOS_AS_FAR : KVOS_NOT_FARTHER;
}

// MARK: - Plans

enum {
  KVOS_STEP_REFERENCE,
  KVOS_STEP_CLOSURE,
  KVOS_STEP_BRIDGE,
  KVOS_STEP_EXISTENTIAL,
  KVOS_STEP_ENUM,
  /// The object must be read in another way.
  KVOS_STEP_UNKNOWN,
};

/// The maximum size in bytes of an enum that kvos_walk_plain() copies.
#define KVOS_ENUM_SIZE 64
#define KVOS_CASE_NOTHING (-1)
#define KVOS_CASE_UNKNOWN (-2)

/// An enum whose cases hold one reference or none.
typedef struct {
  const void *type;
  uint32_t size;
  /// Whether the payload's bytes must be separated from the tag's, in a copy.
  uint16_t needsProjection;
  uint16_t caseCount;
  /// The offset of the reference in the payload of each case, or one of the constants above.
  const int32_t *offsets;
} KVOSPlainEnum;

/// The offset in bytes at which an object may have a reference.
typedef struct {
  uint32_t offset;
  uint32_t kind;
  const KVOSPlainEnum *_Nullable enumeration;
} KVOSPlainStep;

/// How to read objects whose first word is `metadata`.
typedef struct {
  const KVOSPlainStep *_Nullable steps;
  uintptr_t metadata;
  /// For arrays: the distance between elements, each of which is a reference; 0 for other objects.
  uint32_t stride;
  /// The number of KVOS_STEP_REFERENCE steps, which come first, and the number of other steps after them.
  uint8_t referenceCount;
  uint8_t otherCount;
  /// Whether there are only KVOS_STEP_REFERENCE steps.
  uint8_t isSimple;
  uint8_t unused;
} KVOSPlainPlan;

/// The content of an existential whose type's metadata is `type`: KVOS_STEP_REFERENCE if its first word is a
/// reference and nothing else is, KVOS_STEP_UNKNOWN, or KVOS_EXISTENTIAL_OF_NOTHING.
typedef struct {
  uintptr_t type;
  uintptr_t kind;
} KVOSPlainExistential;

#define KVOS_EXISTENTIAL_OF_NOTHING 0xff

/// An object to which another range refers, and whether it refers to nothing.
typedef struct {
  uintptr_t address;
  uintptr_t isDeadEnd;
} KVOSElsewhere;

/// The first slot for an address in a table of 2 to the power of `bits` plans or existentials; the entry may be in a
/// later slot. The address of an empty slot is 0.
static inline size_t kvos_plan_slot(uintptr_t address, uint32_t bits) {
  return (uint32_t)address * 0x9e3779b1u >> (32 - bits);
}

#define KVOS_ELSEWHERE_COUNT 16
static inline size_t kvos_elsewhere_slot(uintptr_t address) { return address >> 4 & (KVOS_ELSEWHERE_COUNT - 1); }

/// The maximum size in bytes of an object with a plain plan.
#define KVOS_PLAIN_SIZE 4096
/// The number of references for which there must be room before an object is read, and the maximum number of steps of
/// a plan.
#define KVOS_PLAIN_ROOM 64
/// How many objects ahead memory is prefetched; no more than there must be room for.
#ifndef KVOS_FETCH_DISTANCE
#define KVOS_FETCH_DISTANCE 48
#endif

// MARK: - The loop

/// The reason why the loop ended.
enum {
  KVOS_WALK_END,
  /// The next object must be read in another way.
  KVOS_WALK_CLOSER,
  /// The next object is in another range.
  KVOS_WALK_OTHER_RANGE,
  /// The next object has an existential with the type `word`, which is not in the table.
  KVOS_WALK_UNKNOWN_TYPE,
  /// The next object refers to `word`, in a range that is not in the cache.
  KVOS_WALK_UNKNOWN_RANGE,
  /// The next object refers to the object `word` in another range, which was met before.
  KVOS_WALK_ELSEWHERE,
};

/// The state of the loop.
typedef struct {
  /// The objects that were met: the granule in the lower half, with the flag if something is kept alive on its
  /// behalf, and the number of the parent in the upper half.
  uint64_t *entries;
  size_t count;
  size_t capacity;
  /// The non-tree edges: the granule of the target in the lower half, and the number of the source in the upper half,
  /// with flags.
  uint64_t *nonTreeEdges;
  size_t nonTreeEdgeCount;
  size_t nonTreeEdgeCapacity;
  /// The number of references that are stored nowhere because their target refers to nothing.
  size_t deadEndCount;
  /// The latest object with such a reference, and the number of such references before it.
  size_t deadEndObject;
  size_t deadEndCountBefore;
  /// A byte for each granule.
  uint8_t *notes;
  /// The range of the objects to read.
  KVOSGranuleRange range;
  /// The number of granules in the range that are followed by KVOS_PLAIN_SIZE readable bytes.
  uintptr_t readableCount;
  const KVOSGranuleRange *ranges;
  /// Tables that are never full. The entry of an empty slot leaves its object to other code.
  const KVOSPlainPlan *plans;
  const KVOSPlainExistential *existentials;
  uint32_t planBits;
  uint32_t existentialBits;
  const KVOSElsewhere *elsewhere;
  /// The distance that newly met objects get.
  uint8_t distance;
  /// Whether to end with KVOS_WALK_ELSEWHERE.
  uint8_t looksElsewhere;
  uintptr_t word;
} KVOSPlainWalk;

/// Reads the objects from number `*next` to `end`, exclusive, and appends the objects to which they refer. For an
/// object that it leaves to other code, it removes what it has appended.
///
/// - Returns: the reason why it ended, with the number of the next object in `*next`.
int kvos_walk_plain(KVOSPlainWalk *walk, size_t *next, size_t end);

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
