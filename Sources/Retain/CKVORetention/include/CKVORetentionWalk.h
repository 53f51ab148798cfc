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

/// Granules in a row: 16 bytes each, from `start` on, with the numbers from `first` on.
typedef struct {
  uintptr_t start;
  uintptr_t count;
  uint32_t first;
  /// Whether objects there can be read.
  uint32_t isReadable;
} KVOSGranuleRange;

/// How many ranges kvos_walk_plain() has at hand, and where it looks for that of an address.
#define KVOS_RANGE_COUNT 16
static inline size_t kvos_range_slot(uintptr_t address) {
  return (address >> 26 ^ (address >> 3 & 1)) & (KVOS_RANGE_COUNT - 1);
}

/// How many granules `address` is behind `start`; more than any range has where it is at none of them: bits
/// that a multiple of 16 does not have become the highest.
static inline uintptr_t kvos_granule_index(uintptr_t address, uintptr_t start) {
  uintptr_t distance = address - start;
  return distance >> 4 | distance << 60;
}

// What is noted of a granule, a byte: 0, a distance from 1 to KVOS_FARTHEST, or KVOS_KEEPS_MORE.
#define KVOS_FARTHEST 0x70
/// Something is kept for an object that was not met.
#define KVOS_KEEPS_MORE 0x7f
#define KVOS_DISTANCES 0x7f
/// With a distance: more than one reference leads to the object.
#define KVOS_IS_SHARED 0x80

/// The bit of a granule's number that is not its number.
#define KVOS_GRANULE_FLAG 0x80000000u

// Of references to objects that were met before.
/// The object is not farther than the one that refers to it.
#define KVOS_NOT_FARTHER ((uint64_t)1 << 31)
/// With that: it is as far.
#define KVOS_AS_FAR ((uint64_t)1 << 63)

/// What a reference is to an object of which `note` is noted, where objects that are met now get `distance`.
/// A distance beyond the greatest one counts as one that leads back.
static inline uint64_t kvos_crossing_flags(uint8_t note, uint8_t distance) {
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
  /// Has to be looked at closer.
  KVOS_STEP_UNKNOWN,
};

/// How many bytes kvos_walk_plain() copies of an enum at the most.
#define KVOS_ENUM_SIZE 64
#define KVOS_CASE_NOTHING (-1)
#define KVOS_CASE_UNKNOWN (-2)

/// An enum of which each case holds a reference, or none.
typedef struct {
  const void *type;
  uint32_t size;
  /// Whether the payload's bytes have to be separated from the tag's, in a copy.
  uint16_t needsProjection;
  uint16_t caseCount;
  /// Where the reference is in the payload of each case, or one of the above.
  const int32_t *offsets;
} KVOSPlainEnum;

/// Where a reference may be in an object, in bytes from its start.
typedef struct {
  uint32_t offset;
  uint32_t kind;
  const KVOSPlainEnum *_Nullable enumeration;
} KVOSPlainStep;

/// How to read objects whose first word is `metadata`.
typedef struct {
  const KVOSPlainStep *_Nullable steps;
  uintptr_t metadata;
  /// Of arrays: from one element to the next, each of which is a reference; 0 of other objects.
  uint32_t stride;
  /// How many of the first steps are KVOS_STEP_REFERENCE, and how many there are behind those.
  uint8_t referenceCount;
  uint8_t otherCount;
  /// Whether the first ones are all that there is.
  uint8_t isSimple;
  uint8_t unused;
} KVOSPlainPlan;

/// What an existential holds whose type's metadata is `type`: KVOS_STEP_REFERENCE in its first word and
/// nothing else, or KVOS_STEP_UNKNOWN, or nothing at all.
typedef struct {
  uintptr_t type;
  uintptr_t kind;
} KVOSPlainExistential;

#define KVOS_EXISTENTIAL_OF_NOTHING 0xff

/// An object that is referred to from another range, and whether it keeps nothing.
typedef struct {
  uintptr_t address;
  uintptr_t isDeadEnd;
} KVOSElsewhere;

/// Where a table of 2 to the power of `bits` plans or existentials has what is known of an address, or one of
/// the next slots. Where it has nothing, the address is 0.
static inline size_t kvos_plan_slot(uintptr_t address, uint32_t bits) {
  return (uint32_t)address * 0x9e3779b1u >> (32 - bits);
}

#define KVOS_ELSEWHERE_COUNT 16
static inline size_t kvos_elsewhere_slot(uintptr_t address) { return address >> 4 & (KVOS_ELSEWHERE_COUNT - 1); }

/// No object of a plain plan has more bytes.
#define KVOS_PLAIN_SIZE 4096
/// For how many references there must be room before an object is read, and how many steps one has.
#define KVOS_PLAIN_ROOM 64
/// How many objects ahead memory is fetched; no more than there must be room for.
#ifndef KVOS_FETCH_DISTANCE
#define KVOS_FETCH_DISTANCE 48
#endif

// MARK: - The loop

/// Why it came to an end.
enum {
  KVOS_WALK_END,
  /// The next object has to be looked at closer.
  KVOS_WALK_CLOSER,
  /// The next object is in another range.
  KVOS_WALK_OTHER_RANGE,
  /// The next object has an existential with the type `word`, of which nothing is known.
  KVOS_WALK_UNKNOWN_TYPE,
  /// The next object refers to `word`, in a range that is not at hand.
  KVOS_WALK_UNKNOWN_RANGE,
  /// The next object refers to the object `word` in another range, which was met before.
  KVOS_WALK_ELSEWHERE,
};

/// What the loop has at hand.
typedef struct {
  /// The objects that were met: the granule in the lower half, with the flag where something is kept for it,
  /// and the number of the object that led to it in the upper.
  uint64_t *entries;
  size_t count;
  size_t capacity;
  /// References to objects that were met before: the granule in the lower half, and the number of the object
  /// that refers to it in the upper, with flags.
  uint64_t *crossings;
  size_t crossingCount;
  size_t crossingCapacity;
  /// References that are no crossings because what they lead to keeps nothing.
  size_t deadEndCount;
  /// The latest object with such a reference, and how many there were before it.
  size_t deadEndObject;
  size_t deadEndCountBefore;
  /// A byte for each granule.
  uint8_t *notes;
  /// The range of the objects that are to be read.
  KVOSGranuleRange range;
  /// How many of its granules can be read, with KVOS_PLAIN_SIZE bytes behind each.
  uintptr_t readableCount;
  const KVOSGranuleRange *ranges;
  /// Tables that are never full. Where there is no plan, there is one that leaves its object to others.
  const KVOSPlainPlan *plans;
  const KVOSPlainExistential *existentials;
  uint32_t planBits;
  uint32_t existentialBits;
  const KVOSElsewhere *elsewhere;
  /// What is noted of objects that are met now.
  uint8_t distance;
  /// Whether to end with KVOS_WALK_ELSEWHERE.
  uint8_t looksElsewhere;
  uintptr_t word;
} KVOSPlainWalk;

/// Reads objects from the one with the number `*next` on, none at `end` or behind, and appends what they
/// lead to. What was taken of an object that it leaves to others is taken back.
///
/// - Returns: why it came to an end, with the number of the next object in `*next`.
int kvos_walk_plain(KVOSPlainWalk *walk, size_t *next, size_t end);

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
