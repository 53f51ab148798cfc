// Which observer is registered with which object for which key path, as the runtime of this process keeps
// it.
//
// All of it is guarded by the registry's lock. Nothing is scanned: a triple is found by name in a table of chains, and
// is linked from its object and its observer. It stays after its last registration ended, so that a late delivery can
// be distinguished from one without a registration, and is removed with either of the two: memory is bounded by the
// live objects.

#include "preload.h"

#include <stdlib.h>
#include <string.h>

static KVOSTriple **buckets;
static uint64_t bucketMask;
static uint64_t tripleCount;

static uint64_t hash(const KVOSTracked *subject, const KVOSTracked *observer, uint32_t keyPath) {
  // Keys are addresses of tracking records, not ids: both are unique while they exist, and the addresses are at hand.
  uint64_t mixed = (uintptr_t)subject * 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ (uintptr_t)observer ^ mixed >> 29) * 0xBF58476D1CE4E5B9u;
  return (mixed ^ keyPath ^ mixed >> 31) * 0x94D049BB133111EBu >> 20;
}

static KVOSTriple **bucket_of(const KVOSTracked *subject, const KVOSTracked *observer, uint32_t keyPath) {
  return &buckets[hash(subject, observer, keyPath) & bucketMask];
}

static bool make_room(void) {
  if (buckets && tripleCount < bucketMask) return true;
  uint64_t size = buckets ? (bucketMask + 1) * 2 : 256;
  KVOSTriple **larger = calloc(size, sizeof *larger);
  if (larger == NULL) return buckets != NULL;
  KVOSTriple **previous = buckets;
  uint64_t previousSize = previous ? bucketMask + 1 : 0;
  buckets = larger;
  bucketMask = size - 1;
  for (uint64_t at = 0; at < previousSize; at++) {
    for (KVOSTriple *each = previous[at], *next; each; each = next) {
      next = each->nextInBucket;
      KVOSTriple **bucket = bucket_of(each->subject, each->observer, each->keyPath);
      each->nextInBucket = *bucket;
      *bucket = each;
    }
  }
  free(previous);
  return true;
}

KVOSTriple *kvos_find_triple(const KVOSTracked *subject, const KVOSTracked *observer, uint32_t keyPath) {
  if (buckets == NULL) return NULL;
  KVOSTriple *each = *bucket_of(subject, observer, keyPath);
  while (each && (each->subject != subject || each->observer != observer || each->keyPath != keyPath)) {
    each = each->nextInBucket;
  }
  return each;
}

KVOSTriple *kvos_find_triple_of(const void *subject, const void *observer, uint32_t keyPath) {
  const KVOSTracked *trackedSubject = kvos_find_known(subject), *trackedObserver = kvos_find_known(observer);
  return trackedSubject && trackedObserver ? kvos_find_triple(trackedSubject, trackedObserver, keyPath) : NULL;
}

KVOSTriple *kvos_make_triple(KVOSTracked *subject, KVOSTracked *observer, uint32_t keyPath) {
  KVOSTriple *triple = kvos_find_triple(subject, observer, keyPath);
  if (triple) return triple;
  if (!make_room() || (triple = calloc(1, sizeof *triple)) == NULL) return NULL;
  triple->subject = subject;
  triple->observer = observer;
  triple->keyPath = keyPath;
  triple->capacity = 1;
  triple->live = triple->inlineLive;
  triple->nextOfSubject = subject->observed;
  triple->linkOfSubject = &subject->observed;
  if (subject->observed) subject->observed->linkOfSubject = &triple->nextOfSubject;
  subject->observed = triple;
  triple->nextOfObserver = observer->observing;
  triple->linkOfObserver = &observer->observing;
  if (observer->observing) observer->observing->linkOfObserver = &triple->nextOfObserver;
  observer->observing = triple;
  KVOSTriple **bucket = bucket_of(subject, observer, keyPath);
  triple->nextInBucket = *bucket;
  *bucket = triple;
  tripleCount++;
  return triple;
}

atomic_bool kvos_hasLostRegistrations;

bool kvos_push_registration(KVOSTriple *triple, KVOSRegistration registration) {
  if (triple->count == triple->capacity) {
    size_t byteCount = 2 * triple->capacity * sizeof *triple->live;
    bool isInline = triple->live == triple->inlineLive;
    KVOSRegistration *larger = realloc(isInline ? NULL : triple->live, byteCount);
    if (larger == NULL) return false;
    if (isInline) memcpy(larger, triple->inlineLive, sizeof triple->inlineLive);
    triple->live = larger;
    triple->capacity *= 2;
  }
  triple->live[triple->count++] = registration;
  return true;
}

KVOSRegistration kvos_take_registration(KVOSTriple *triple, uint32_t index) {
  KVOSRegistration taken = triple->live[index];
  triple->count--;
  memmove(triple->live + index, triple->live + index + 1, (triple->count - index) * sizeof *triple->live);
  triple->lastEnded = taken.id;
  return taken;
}

static void unlink_subject(KVOSTriple *triple) {
  *triple->linkOfSubject = triple->nextOfSubject;
  if (triple->nextOfSubject) triple->nextOfSubject->linkOfSubject = triple->linkOfSubject;
}

void kvos_orphan_triple(KVOSTriple *triple) {
  if (triple->observer == NULL) return;
  KVOSTriple **link = bucket_of(triple->subject, triple->observer, triple->keyPath);
  while (*link != triple) link = &(*link)->nextInBucket;
  *link = triple->nextInBucket;
  tripleCount--;
  *triple->linkOfObserver = triple->nextOfObserver;
  if (triple->nextOfObserver) triple->nextOfObserver->linkOfObserver = triple->linkOfObserver;
  triple->observer = NULL;
}

KVOSTriple *kvos_find_left(const KVOSTracked *subject, const void *observer, uint32_t keyPath) {
  if (atomic_load_explicit(&subject->deallocatedCount, memory_order_relaxed) == 0) return NULL;
  KVOSTriple *each = subject->observed;
  while (each && (each->leftRegistration == 0 || each->leftAddress != observer || each->keyPath != keyPath)) {
    each = each->nextOfSubject;
  }
  return each;
}

bool kvos_is_left(const KVOSTracked *subject, const void *observer) {
  if (subject == NULL || atomic_load_explicit(&subject->deallocatedCount, memory_order_relaxed) == 0) return false;
  const KVOSTriple *each = subject->observed;
  while (each && (each->leftRegistration == 0 || each->leftAddress != observer)) each = each->nextOfSubject;
  return each != NULL;
}

void kvos_end_left(KVOSTriple *left) {
  atomic_fetch_sub_explicit(&left->subject->deallocatedCount, 1, memory_order_relaxed);
  kvos_drop_triple(left);
}

void kvos_drop_triple(KVOSTriple *triple) {
  kvos_orphan_triple(triple);
  unlink_subject(triple);
  if (triple->live != triple->inlineLive) free(triple->live);
  free(triple);
}
