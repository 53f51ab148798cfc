// Deaths: -dealloc of root classes, and NSDeallocateObject() for those whose classes end elsewhere.
//
// Objects that nobody observes and that observe nobody are told apart by one look without a lock, so that
// a program that deallocates a great deal pays nanoseconds.

#include "preload.h"

#include <stdlib.h>
#include <string.h>

// A registration that ends with one of its objects, and what is needed to take it out of the runtime.
typedef struct {
  /// Null: the runtime is left as it is.
  const void *subject;
  uint32_t keyPath;
  uint64_t registration;
  uint64_t order;
} Left;

typedef struct {
  KVOSNamed object;
  uint64_t order;
  bool isForwarder;
  Left *left;
  uint32_t leftCount, capacity;
} Death;

static void note_left(Death *death, KVOSTriple *triple, bool isContained) {
  for (uint32_t at = 0; at < triple->count; at++) {
    if (death->leftCount == death->capacity) {
      uint32_t capacity = death->capacity ? death->capacity * 2 : 4;
      Left *longer = realloc(death->left, capacity * sizeof *longer);
      if (longer == NULL) return;
      death->left = longer;
      death->capacity = capacity;
    }
    death->left[death->leftCount++] =
        (Left){.subject = isContained ? triple->subject->address : NULL,
               .keyPath = triple->keyPath,
               .registration = triple->live[at].id,
               .order = isContained ? kvos_next_order(triple->subject) : KVOS_NO_ORDER};
  }
}

// Takes the object out of the books. False: somebody else did.
static bool leave(void *address, Death *death, bool isContained) {
  kvos_lock_registry();
  KVOSTracked *object = kvos_find_object(address);
  if (object == NULL) {
    kvos_unlock_registry();
    return false;
  }
  death->object = kvos_named(object);
  death->isForwarder = object->forwardsTo != NULL;
  death->order = kvos_next_order(object);
  kvos_untrack(object);
  while (object->observed) {
    KVOSTriple *triple = object->observed;
    note_left(death, triple, false);
    kvos_drop_triple(triple);
  }
  while (object->observing) {
    KVOSTriple *triple = object->observing;
    if (triple->count == 0) {
      kvos_drop_triple(triple);
      continue;
    }
    // An object that observes itself was dealt with above.
    note_left(death, triple, isContained);
    if (isContained) {
      kvos_drop_triple(triple);
      continue;
    }
    // The runtime has it still, and will tell whoever lies there then.
    kvos_orphan_triple(triple);
    triple->dead = triple->live[triple->count - 1].id;
    triple->count = 0;
    atomic_fetch_add_explicit(&triple->subject->deadCount, 1, memory_order_relaxed);
  }
  kvos_recycle(object);
  kvos_unlock_registry();
  return true;
}

// Has the runtime forget the dying observer. It compares addresses, and messages the observer nowhere.
static void remove_from_runtime(const Left *left, void *observer) {
  size_t byteCount = 0;
  const uint8_t *bytes = kvos_string(left->keyPath, &byteCount);
  char text[1024];
  if (byteCount >= sizeof text) return;
  // Of a path of several keys the Foundation's own observer is silenced instead.
  bool isPath = memchr(bytes, '.', byteCount) != NULL;
  if (isPath && kvos_semantics()->forwarderClass) return;
  memcpy(text, bytes, byteCount);
  text[byteCount] = 0;
  if (isPath && kvos_semantics()->canSilence) {
    kvos_silence(left->subject, observer, text);
    return;
  }
  void *keyPath = kvos_make_string(text);
  void *selector = NULL;
  void *class = kvos_visible_class(left->subject);
  KVOSMethod method = kvos_original(KVOS_REMOVE, class, &selector);
  if (keyPath) {
    method((void *)(uintptr_t)left->subject, selector, (uintptr_t)observer, (uintptr_t)keyPath, 0, 0);
  }
  kvos_release(keyPath);
}

void kvos_object_dies(void *address) {
  int number = kvos_enter();
  Death death = {.leftCount = 0};
  bool isContained = kvos_contains(KVOS_CONTAINS_OBSERVERS | KVOS_CONTAINS_DELIVERIES);
  if (leave(address, &death, isContained) && !death.isForwarder) {
    // What nobody will ask about needs no stack.
    uint32_t stack = death.leftCount > 0 ? kvos_stack_id() : 0;
    kvos_record_death(false, death.object, death.order, stack);
    for (uint32_t at = 0; at < death.leftCount; at++) {
      const Left *left = &death.left[at];
      kvos_live_remove(left->registration << 2);
      if (left->subject == NULL) continue;
      kvos_record_cancel(left->registration, KVOS_BY_OBSERVER, left->order, stack);
      remove_from_runtime(left, address);
    }
    kvos_record_death(true, death.object, KVOS_NO_ORDER, 0);
    free(death.left);
  }
  kvos_leave(number);
}

void kvos_dealloced(const KVOSHookPoint *point, void *self, void *selector) {
  if (KVOS_UNLIKELY(!kvos_is_strange(self)) && kvos_may_enter() && kvos_find_object(self)) {
    kvos_object_dies(self);
  }
  // It has no arguments, and those of the type are registers that it does not look at.
  point->original(self, selector, 0, 0, 0, 0);
}
