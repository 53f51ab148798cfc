// The registrations of an observer with an object for a key path.

#ifndef REGISTRATIONS_H
#define REGISTRATIONS_H

#include "objects.h"

typedef struct {
  uint64_t id;
  uintptr_t context;
  /// NSKeyValueObservingOptions.
  unsigned long options;
  /// The change that its observer was notified of last, times two, and one if that was before it.
  uint64_t notified;
} KVOSRegistration;

/// All registrations of one observer with one object for one key path.
typedef struct KVOSTriple {
  KVOSTracked *subject;
  KVOSTracked *observer;
  uint32_t keyPath;
  /// Live registrations, the newest last.
  uint32_t count, capacity;
  KVOSRegistration *live;
  KVOSRegistration inlineLive[1];
  /// How many removals of it are running.
  uint32_t removingCount;
  /// How many removals of it have reached the Foundation.
  uint32_t foundationRemovalCount;
  /// The last one that ended, or 0.
  uint64_t lastEnded;
  /// Of an observer that was deallocated while registered: the registration that the runtime still has, or 0, and the
  /// address that the runtime knows the observer by.
  uint64_t leftRegistration;
  const void *leftAddress;
  /// Whether its observer is being deallocated, and is counted as deallocated by its object; and whether the runtime
  /// has dropped it for that already.
  bool isDying, isCut;
  /// The change that it was notified of last, if it forwards notifications.
  uint64_t notifiedChange;
  struct KVOSTriple *nextOfSubject, **linkOfSubject;
  struct KVOSTriple *nextOfObserver, **linkOfObserver;
  struct KVOSTriple *nextInBucket;
} KVOSTriple;

// All of these require the lock.

// Whether a registration could not be kept for lack of memory: that a removal matches none then proves nothing.
extern atomic_bool kvos_hasLostRegistrations;

KVOSTriple *kvos_find_triple(const KVOSTracked *subject, const KVOSTracked *observer, uint32_t keyPath);
/// The same for two objects, which may be untracked.
KVOSTriple *kvos_find_triple_of(const void *subject, const void *observer, uint32_t keyPath);
/// The same; creates it if there is none. Null: no memory.
KVOSTriple *kvos_make_triple(KVOSTracked *subject, KVOSTracked *observer, uint32_t keyPath);
bool kvos_push_registration(KVOSTriple *triple, KVOSRegistration registration);
/// Removes the live registration at `index`, and returns it.
KVOSRegistration kvos_take_registration(KVOSTriple *triple, uint32_t index);
/// Removes a triple from all structures and frees it.
void kvos_drop_triple(KVOSTriple *triple);
/// Removes a triple from its observer's list and from the index by name: the observer is deallocated.
void kvos_orphan_triple(KVOSTriple *triple);
/// The triple of a registration that the runtime still has of an observer that was deallocated at this address; null:
/// there is none.
KVOSTriple *kvos_find_left(const KVOSTracked *subject, const void *observer, uint32_t keyPath);
/// Whether there is one, for any key path. `subject` may be null.
bool kvos_is_left(const KVOSTracked *subject, const void *observer);
/// The runtime has dropped that registration, or replaced it by another one of the same address.
void kvos_end_left(KVOSTriple *left);

#endif
