// The loop that reads most objects of a walk.
//
// It is written in C because its state must stay in registers: a Swift method kept it in memory, as fields of a value
// that it mutates, and wrote every change there.
// What it reads, and why that is safe:
// 1. The first word of an object: its granule is in the range, which belongs to a readable mapping, and is not in the
//    last KVOS_PLAIN_SIZE bytes.
// 2. The offsets in a plan's steps: the first word is the metadata for which the plan was made and checked, no plan
//    reads beyond KVOS_PLAIN_SIZE bytes, and so many bytes are in the range.
// 3. An array's elements: as many as its count says, if the range has room for them.
// 4. An enum's value, by the witnesses of its type: they read only its bytes, and change only a copy.
// It follows no pointer: a reference is only a number until its object is read. It makes no other calls, allocates
// nothing, takes no lock, and keeps nothing.

#include "CKVORetention.h"

// Calls of rarely needed functions preserve the registers, if the compiler supports that.
#if defined(__clang__) && defined(__x86_64__)
#define SELDOM __attribute__((noinline, cold, preserve_most))
#else
#define SELDOM __attribute__((noinline, cold))
#endif

#define LIKELY(condition) __builtin_expect((condition), 1)
#define UNLIKELY(condition) __builtin_expect((condition), 0)

// Adds a reference to an object that has a note: it was met before, or it is flagged and not met yet.
SELDOM static void meetAgain(KVOSPlainWalk *walk, uint64_t entry) {
  uint8_t *note = walk->notes + (uint32_t)entry;
  uint8_t before = *note;
  if (before == KVOS_KEEPS_MORE) {
    *note = walk->distance;
    walk->entries[walk->count++] = entry | KVOS_GRANULE_FLAG;
    return;
  }
  *note = before | KVOS_IS_SHARED;
  walk->nonTreeEdges[walk->nonTreeEdgeCount++] = entry | kvos_edge_flags(before, walk->distance);
}

// Adds a reference that leads to no granule of the range. Returns the reason for leaving its object to other code, or
// 0.
SELDOM static int takeElsewhere(KVOSPlainWalk *walk, uintptr_t word, size_t number) {
  // No object can be at such an address: the word is not a reference.
  if (word - 4096 >= ((uintptr_t)1 << 47) - 4096 || (word & 7) != 0) return 0;
  walk->word = word;
  KVOSElsewhere known = walk->elsewhere[kvos_elsewhere_slot(word)];
  if (known.address == word && known.isDeadEnd) {
    if (walk->deadEndObject != number) {
      walk->deadEndObject = number;
      walk->deadEndCountBefore = walk->deadEndCount;
    }
    walk->deadEndCount++;
    return 0;
  }
  const KVOSGranuleRange *range = &walk->ranges[kvos_range_slot(word)];
  uintptr_t index = kvos_granule_index(word, range->start);
  if (index >= range->count) return KVOS_WALK_UNKNOWN_RANGE;
  uint64_t entry = (uint64_t)number << 32 | (range->first + (uint32_t)index);
  uint8_t *note = walk->notes + (uint32_t)entry;
  if (*note == 0) {
    *note = walk->distance;
    walk->entries[walk->count++] = entry;
    return 0;
  }
  if (walk->looksElsewhere && known.address != word && *note != KVOS_KEEPS_MORE) {
    return KVOS_WALK_ELSEWHERE;
  }
  meetAgain(walk, entry);
  return 0;
}

// Removes everything that was appended for an object.
SELDOM static void takeBack(KVOSPlainWalk *walk, size_t number) {
  while (walk->count > 0 && walk->entries[walk->count - 1] >> 32 == number) {
    uint64_t entry = walk->entries[--walk->count];
    walk->notes[(uint32_t)entry & ~KVOS_GRANULE_FLAG] = (uint32_t)entry & KVOS_GRANULE_FLAG ? KVOS_KEEPS_MORE : 0;
  }
  while (walk->nonTreeEdgeCount > 0 &&
         (walk->nonTreeEdges[walk->nonTreeEdgeCount - 1] & ~KVOS_AS_FAR) >> 32 == number) {
    walk->nonTreeEdgeCount--;
  }
  if (walk->deadEndObject == number) walk->deadEndCount = walk->deadEndCountBefore;
}

// The plan or existential for an address that is not in its first slot, or NULL.
SELDOM static const KVOSPlainPlan *findPlan(const KVOSPlainWalk *walk, uintptr_t metadata) {
  size_t mask = ((size_t)1 << walk->planBits) - 1;
  for (size_t slot = kvos_plan_slot(metadata, walk->planBits);; slot = (slot + 1) & mask) {
    if (walk->plans[slot].metadata == metadata) return &walk->plans[slot];
    if (walk->plans[slot].metadata == 0) return NULL;
  }
}

SELDOM static const KVOSPlainExistential *findExistential(const KVOSPlainWalk *walk, uintptr_t type) {
  size_t mask = ((size_t)1 << walk->existentialBits) - 1;
  for (size_t slot = kvos_plan_slot(type, walk->existentialBits);; slot = (slot + 1) & mask) {
    if (walk->existentials[slot].type == type) return &walk->existentials[slot];
    if (walk->existentials[slot].type == 0) return NULL;
  }
}

// The reference in an enum's value; 0 for none, 1 if the object must be read in another way.
static uintptr_t enumReference(const KVOSPlainEnum *plan, const char *value) {
  const KVOSValueWitnesses *witnesses = kvos_value_witnesses(plan->type);
  uint32_t tag = kvos_enum_tag(witnesses, value, plan->type);
  if (tag >= plan->caseCount) return 0;
  int32_t offset = plan->offsets[tag];
  if (offset < 0) return offset == KVOS_CASE_NOTHING ? 0 : 1;
  uintptr_t word;
  if (!plan->needsProjection) {
    memcpy(&word, value + offset, sizeof word);
    return word;
  }
  uintptr_t copy[KVOS_ENUM_SIZE / sizeof(uintptr_t)];
  // Reads whole words, up to the end of the last one, which is in the range.
  for (uint32_t index = 0; index * sizeof word < plan->size; index++) {
    memcpy(&copy[index], value + index * sizeof word, sizeof word);
  }
  kvos_project_enum(witnesses, copy, plan->type);
  memcpy(&word, (const char *)copy + offset, sizeof word);
  return word;
}

static size_t spareRoom(const KVOSPlainWalk *walk) {
  size_t spare = walk->capacity - walk->count;
  size_t spareEdges = walk->nonTreeEdgeCapacity - walk->nonTreeEdgeCount;
  return spareEdges < spare ? spareEdges : spare;
}

int kvos_walk_plain(KVOSPlainWalk *walk, size_t *next, size_t end) {
  const size_t first = *next;
  // Each object may have as many references as there must be room for.
  if (end - first > spareRoom(walk) / KVOS_PLAIN_ROOM) {
    end = first + spareRoom(walk) / KVOS_PLAIN_ROOM;
  }
  if (end == first) return KVOS_WALK_CLOSER;
  uint64_t *const entries = walk->entries;
  const uintptr_t start = walk->range.start;
  const uintptr_t granuleCount = walk->range.count;
  const uint32_t firstGranule = walk->range.first;
  const uintptr_t readableCount = walk->readableCount;
  uint8_t *const notes = walk->notes + firstGranule;
  const KVOSPlainPlan *const plans = walk->plans;
  const uint32_t planBits = walk->planBits;
  const uint8_t distance = walk->distance;
  size_t count = walk->count;
  size_t number = first;
  int reason = KVOS_WALK_END;

// Adds a reference, or ignores a word that is not one.
#define TAKE(reference)                                \
  do {                                                 \
    uintptr_t word = (reference);                      \
    uintptr_t index = kvos_granule_index(word, start); \
    if (LIKELY(index < granuleCount)) {                \
      if (LIKELY(notes[index] == 0)) {                 \
        notes[index] = distance;                       \
        entries[count++] = head + index;               \
      } else {                                         \
        walk->count = count;                           \
        meetAgain(walk, head + index);                 \
        count = walk->count;                           \
      }                                                \
    } else if (word >= 4096) {                         \
      walk->count = count;                             \
      reason = takeElsewhere(walk, word, number);      \
      count = walk->count;                             \
      if (UNLIKELY(reason != 0)) goto back;            \
    }                                                  \
  } while (0)

  for (; number < end; number++) {
    // Memory after the last entry holds no granule; the prefetch reads nothing.
    uintptr_t ahead = (uint32_t)entries[number + KVOS_FETCH_DISTANCE] - firstGranule;
    __builtin_prefetch((const void *)(start + (ahead << 4)));
    uintptr_t granule = (uint32_t)entries[number] - firstGranule;
    if (UNLIKELY(granule >= readableCount)) {
      reason = number > first ? KVOS_WALK_OTHER_RANGE : KVOS_WALK_CLOSER;
      break;
    }
    const char *object = (const char *)(start + (granule << 4));
    uintptr_t metadata = *(const uintptr_t *)object;
    const KVOSPlainPlan *plan = &plans[kvos_plan_slot(metadata, planBits)];
    if (UNLIKELY(plan->metadata != metadata)) {
      plan = findPlan(walk, metadata);
      if (plan == NULL) {
        reason = KVOS_WALK_CLOSER;
        break;
      }
    }
    const uint64_t head = ((uint64_t)number << 32) + firstGranule;
    const KVOSPlainStep *step = plan->steps;
    const KVOSPlainStep *last = step + plan->referenceCount;
    for (; step < last; step++) TAKE(*(const uintptr_t *)(object + step->offset));
    if (plan->isSimple) continue;
    last = step + plan->otherCount;
    for (; step < last; step++) {
      const char *value = object + step->offset;
      uintptr_t found = *(const uintptr_t *)value;
      if (step->kind == KVOS_STEP_CLOSURE) {
        if (found < 4096) continue;
        found = *(const uintptr_t *)(value + 8);
      } else if (step->kind == KVOS_STEP_EXISTENTIAL) {
        uintptr_t type = *(const uintptr_t *)(value + 24);
        if (type < 4096) continue;
        const KVOSPlainExistential *known = &walk->existentials[kvos_plan_slot(type, walk->existentialBits)];
        if (UNLIKELY(known->type != type)) {
          known = findExistential(walk, type);
          if (known == NULL) {
            walk->word = type;
            reason = KVOS_WALK_UNKNOWN_TYPE;
            goto back;
          }
        }
        if (known->kind == KVOS_EXISTENTIAL_OF_NOTHING) continue;
        if (UNLIKELY(known->kind != KVOS_STEP_REFERENCE)) {
          reason = KVOS_WALK_CLOSER;
          goto back;
        }
      } else if (step->kind == KVOS_STEP_ENUM) {
        found = enumReference(step->enumeration, value);
        if (UNLIKELY(found == 1)) {
          reason = KVOS_WALK_CLOSER;
          goto back;
        }
      } else if (step->kind == KVOS_STEP_BRIDGE) {
        // The highest bit marks a word that is not a native object; other high bits are flags.
        found = found >> 63 == 0 ? found & 0x0ffffffffffffff8 : 0;
      } else if (UNLIKELY(step->kind != KVOS_STEP_REFERENCE)) {
        reason = KVOS_WALK_CLOSER;
        goto back;
      }
      TAKE(found);
    }
    if (LIKELY(plan->stride == 0)) continue;
    // An array's elements follow the header and the count.
    uintptr_t elementCount = *(const uintptr_t *)(object + 16);
    walk->count = count;
    if (elementCount > spareRoom(walk) || elementCount * plan->stride > ((granuleCount - granule) << 4) - 32) {
      reason = KVOS_WALK_CLOSER;
      break;
    }
    const int tookMuch = elementCount > KVOS_PLAIN_ROOM;
    const char *element = object + 32;
    for (; elementCount > 0; elementCount--, element += plan->stride) {
      TAKE(*(const uintptr_t *)element);
    }
    // The other objects need their room: if this one used much of it, the loop restarts.
    if (tookMuch) end = number + 1;
  }
#undef TAKE
  walk->count = count;
  *next = number;
  return reason;

back:
  walk->count = count;
  takeBack(walk, number);
  *next = number;
  return reason;
}
