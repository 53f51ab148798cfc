// Objects that observe or are observed, and how they are found by their address.

#ifndef OBJECTS_H
#define OBJECTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CKVORecorder.h"
#include "CKVORuntime.h"

#define KVOS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define KVOS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

struct KVOSTriple;

/// An object that observes or is observed, from its first registration to its deallocation.
///
/// Its memory is reused for another later, and never freed: a thread that found it without the lock may still read it.
typedef struct KVOSTracked {
  /// Written before the object can be found, and not again while it exists.
  const void *address;
  uint64_t id;
  void *class;
  uint32_t className;
  /// The last number given to an event of this object.
  _Atomic uint64_t order;
  /// How many registrations on it have a deallocated observer, and are still in the runtime.
  _Atomic uint32_t deallocatedCount;
  /// The class of it that was hooked for an observer, or null, and whether that forwards its notifications.
  void *preparedClass;
  bool passesOn;
  /// Whether any of its observers ever forwarded its notifications.
  bool isPassedOn;
  /// Whether an exception left a callback of it: some Foundations no longer notify its observers.
  _Atomic bool isSilenced;
  /// Whether the Foundation has forgotten its observers: it is being deallocated. A new registration ends that.
  _Atomic bool isForgotten;
  /// How many registrations were made on it.
  _Atomic uint64_t additionCount;
  /// Whether a removal found that its class had changed. Under the lock.
  bool hasChangedClass;
  /// Of the Foundation's own observer: the object that it notifies, and that object's number. It is in no event.
  const void *forwardsTo;
  uint64_t forwardsToID;
  /// The same for the object whose path it observes.
  const void *pathOf;
  uint64_t pathOfID;
  // The rest is guarded by the lock.
  struct KVOSTriple *observed;
  struct KVOSTriple *observing;
  struct KVOSTracked *nextFree;
} KVOSTracked;

/// The tracked object at the address, or null. Takes no lock and some nanoseconds. Valid as long as the caller keeps it
/// alive. Only if kvos_may_enter() returned true: it may still take the lock.
KVOSTracked *kvos_find_object(const void *address);

typedef struct {
  _Atomic uintptr_t address;
  KVOSTracked *object;
} KVOSObjectSlot;

/// A byte for each slot is stored separately: 0 if the slot is free, else some bits of the address. Most lookups find
/// no object, as the byte shows: they read only a sixteenth of the table, which stays in the processor's cache.
typedef struct {
  uint64_t mask;
  KVOSObjectSlot *slots;
  _Atomic uint8_t marks[];
} KVOSObjectTable;

/// Never null. objects.c documents who may change these, and how.
extern _Atomic(KVOSObjectTable *) kvos_objectTable;
extern _Atomic uint64_t kvos_objectVersion;

/// The home slot of an object. Objects of one kilobyte are neighbors in the table, and kilobytes are scattered:
/// objects that a program allocates and deallocates in sequence are then looked up in few cache lines, regardless of
/// the number of objects.
static inline uint64_t kvos_object_home(uintptr_t address, uint64_t mask) {
  uint64_t region = (address >> 10) * 0x9E3779B97F4A7C15u >> 32;
  return (region << 6 | (address >> 4 & 63)) & mask;
}

/// Whether the object is certainly not tracked. If false, kvos_find_object() decides. Takes no lock and makes no call.
static inline bool kvos_is_untracked(const void *object) {
  // acquire, and the fence: as in kvos_find_object().
  uint64_t before = atomic_load_explicit(&kvos_objectVersion, memory_order_acquire);
  KVOSObjectTable *present = atomic_load_explicit(&kvos_objectTable, memory_order_acquire);
  uint64_t at = kvos_object_home((uintptr_t)object, present->mask);
  uint8_t mark = atomic_load_explicit(&present->marks[at], memory_order_acquire);
  atomic_thread_fence(memory_order_acquire);
  uint64_t after = atomic_load_explicit(&kvos_objectVersion, memory_order_relaxed);
  return mark == 0 && before == after && (before & 1) == 0;
}

/// The same; begins to track the object if it is not tracked yet. The lock is held. Returns null if there is no memory.
KVOSTracked *kvos_track(const void *address);

/// Whether an observer that is passed to a method of `subject` is an object, and was not deallocated. The lock is not
/// held.
bool kvos_is_live(const void *subject, const void *observer);

/// Whether the Foundation's own observer is at the address, which may be that of a deallocated object whose memory is
/// unmapped. The lock is not held.
bool kvos_is_forwarder_at(const void *address);

/// An observer that was deallocated.
typedef struct {
  const void *address;
  uint64_t id;
  uint32_t className;
} KVOSDeallocated;

/// Remembers the observer, which is being deallocated; the oldest one is forgotten. The lock is held.
void kvos_remember_deallocated(const KVOSTracked *observer);

/// The last observer that was deallocated at the address; id 0: unknown. The lock is held.
KVOSDeallocated kvos_find_deallocated(const void *address);

/// Tracks the Foundation's own observer, which notifies `target` of a path of `root`. The lock is held.
void kvos_track_forwarder(const void *address, const KVOSTracked *target, const KVOSTracked *root);

/// Removes the object: its address is free for another. The lock is held.
void kvos_untrack(KVOSTracked *object);

/// Reuses its memory for the next one. The lock is held, and nothing refers to it any more.
void kvos_recycle(KVOSTracked *object);

/// The next number in the order of the object's events.
static inline uint64_t kvos_next_order(KVOSTracked *object) {
  // relaxed: the numbers are only compared, and publish nothing.
  return atomic_fetch_add_explicit(&object->order, 1, memory_order_relaxed) + 1;
}

void kvos_lock_registry(void);
void kvos_unlock_registry(void);

#endif
