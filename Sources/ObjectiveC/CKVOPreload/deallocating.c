// Deallocations: the Foundation's -dealloc, and NSDeallocateObject() and object_dispose() for objects that do not reach
// it. A program that replaces that method, by a category for example, may still remove observers there, or keep the
// object: only the functions end it.
//
// Objects that are neither observed nor observers are recognized by one lock-free lookup, so that a program that
// deallocates many objects pays nanoseconds.

#include "preload.h"

#include <stdlib.h>
#include <string.h>

// A registration that ends with one of its objects, and the data that is needed to remove it from the runtime.
typedef struct {
  /// Null: the runtime's record is not changed.
  const void *subject;
  uint64_t subjectID;
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
  /// The key paths that the Foundation may still have observers of the object for.
  uint32_t *paths;
  uint32_t pathCount, pathCapacity;
} Deallocation;

static void note_left(Deallocation *deallocation, KVOSTriple *triple, bool isContained) {
  for (uint32_t at = 0; at < triple->count; at++) {
    if (deallocation->leftCount == deallocation->capacity) {
      uint32_t capacity = deallocation->capacity ? deallocation->capacity * 2 : 4;
      Left *longer = realloc(deallocation->left, capacity * sizeof *longer);
      if (longer == NULL) return;
      deallocation->left = longer;
      deallocation->capacity = capacity;
    }
    deallocation->left[deallocation->leftCount++] =
        (Left){.subject = isContained ? triple->subject->address : NULL,
               .subjectID = triple->subject->id,
               .keyPath = triple->keyPath,
               .registration = triple->live[at].id,
               .order = isContained ? kvos_next_order(triple->subject) : KVOS_NO_ORDER};
  }
}

// A removal first removes its registration here, and may be about to call the Foundation on another thread.
static void note_path(Deallocation *deallocation, const KVOSTriple *triple) {
  bool isLive = triple->count > 0 || triple->leftRegistration != 0;
  if (!kvos_semantics()->raisesAtDeallocation) return;
  if (!kvos_contains(isLive ? KVOS_CONTAINS_OBSERVED : KVOS_CONTAINS_REMOVALS)) return;
  if (deallocation->pathCount == deallocation->pathCapacity) {
    uint32_t capacity = deallocation->pathCapacity ? deallocation->pathCapacity * 2 : 4;
    uint32_t *longer = realloc(deallocation->paths, capacity * sizeof *longer);
    if (longer == NULL) return;
    deallocation->paths = longer;
    deallocation->pathCapacity = capacity;
  }
  deallocation->paths[deallocation->pathCount++] = triple->keyPath;
}

// Removes the object from the tracking table. Returns false if another thread did.
static bool leave(void *address, Deallocation *deallocation, bool isContained) {
  kvos_lock_registry();
  KVOSTracked *object = kvos_find_object(address);
  if (object == NULL) {
    kvos_unlock_registry();
    return false;
  }
  deallocation->object = kvos_named(object);
  deallocation->isForwarder = object->forwardsTo != NULL;
  deallocation->order = kvos_next_order(object);
  if (object->preparedClass) kvos_remember_deallocated(object);
  kvos_untrack(object);
  while (object->observed) {
    KVOSTriple *triple = object->observed;
    note_path(deallocation, triple);
    note_left(deallocation, triple, false);
    kvos_drop_triple(triple);
  }
  while (object->observing) {
    KVOSTriple *triple = object->observing;
    if (triple->count == 0) {
      kvos_drop_triple(triple);
      continue;
    }
    // An object that observes itself was handled above.
    note_left(deallocation, triple, isContained);
    if (isContained) {
      kvos_drop_triple(triple);
      continue;
    }
    // The runtime still has it, and would notify whatever object is at that address then.
    kvos_orphan_triple(triple);
    triple->leftRegistration = triple->live[triple->count - 1].id;
    triple->leftAddress = address;
    triple->count = 0;
    atomic_fetch_add_explicit(&triple->subject->deallocatedCount, 1, memory_order_relaxed);
  }
  kvos_recycle(object);
  kvos_unlock_registry();
  return true;
}

// Makes the runtime drop the observer that is being deallocated. The runtime only compares addresses, and never
// messages the observer.
static void remove_from_runtime(const Left *left, void *observer) {
  char text[KVOS_PATH_TEXT_SIZE];
  if (!kvos_copy_text(left->keyPath, text, sizeof text)) return;
  // For a path of several keys the Foundation's own observer is silenced instead.
  bool isPath = strchr(text, '.') != NULL;
  if (isPath && kvos_semantics()->forwarderClass && !kvos_semantics()->canReadRecords) return;
  if (isPath && kvos_semantics()->canReadRecords) {
    kvos_silence(left->subject, observer, text);
    return;
  }
  // Its records may have been lost with the class of the object, and a removal would raise.
  if (kvos_semantics()->canReadRecords && !kvos_is_in_records(left->subject, observer, text)) return;
  void *keyPath = kvos_make_string(text);
  void *selector = NULL;
  void *class = kvos_visible_class(left->subject);
  KVOSMethod method = kvos_original(KVOS_REMOVE, class, &selector);
  if (keyPath) {
    method((void *)(uintptr_t)left->subject, selector, (uintptr_t)observer, (uintptr_t)keyPath, 0, 0);
  }
  kvos_release(keyPath);
}

// Not inlined: a thread may have little stack.
__attribute__((noinline)) static void begin_detaching(const void *subject, const Deallocation *deallocation,
                                                      KVOSDetached *detached) {
  char text[KVOS_PATH_TEXT_SIZE];
  for (uint32_t at = 0; at < deallocation->pathCount; at++) {
    bool isRead = kvos_copy_text(deallocation->paths[at], text, sizeof text);
    if (isRead && !kvos_begin_detaching(subject, text, detached)) break;
  }
}

// Some Foundations do so when the deallocation begins, and after the removal of the last observer. In between they
// would notify no observer.
void kvos_class_was_changed(KVOSTracked *object, void *previous, uintptr_t caller) {
  bool wasMade = kvos_visible_class_of(previous) != previous;
  if (!kvos_semantics()->forgetsAtDeallocation || !wasMade || !kvos_is_in_foundation(caller)) return;
  const KVOSCall *call = kvos_ownThread ? kvos_last_call(kvos_ownThread) : NULL;
  bool isRemoval = call && (call->hook == KVOS_REMOVE || call->hook == KVOS_REMOVE_CONTEXT);
  if (!isRemoval || call->subject != object->address) object->isForgotten = true;
}

// Called once for each tracked object.
static void object_will_deallocate(void *address, KVOSDetached *detached) {
  int number = kvos_enter();
  Deallocation deallocation = {.leftCount = 0};
  bool isContained = kvos_contains(KVOS_CONTAINS_OBSERVERS | KVOS_CONTAINS_DELIVERIES);
  if (leave(address, &deallocation, isContained) && !deallocation.isForwarder) {
    // Objects that no report will mention need no stack.
    bool isMentioned = false;
    for (uint32_t at = 0; at < deallocation.leftCount; at++) {
      isMentioned |= kvos_is_sampled(deallocation.left[at].subjectID);
    }
    uint32_t stack = isMentioned ? kvos_stack_id() : 0;
    kvos_record_deallocation(false, deallocation.object, deallocation.order, stack);
    for (uint32_t at = 0; at < deallocation.leftCount; at++) {
      const Left *left = &deallocation.left[at];
      kvos_live_remove(left->registration << 2);
      if (left->subject == NULL) continue;
      kvos_record_cancel(left->subjectID, left->registration, KVOS_CANCEL_CAUSE_OBSERVER, left->order, stack);
      remove_from_runtime(left, address);
    }
    kvos_record_deallocation(true, deallocation.object, KVOS_NO_ORDER, 0);
    if (detached) begin_detaching(address, &deallocation, detached);
    free(deallocation.left);
    free(deallocation.paths);
  }
  kvos_leave(number);
}

// Hooks are active: releasing the value that a change delivered last may release the last reference to an object.
void kvos_object_did_deallocate(KVOSDetached *detached) {
  int number = errno;
  kvos_end_detaching(detached);
  errno = number;
}

void kvos_begin_deallocation(void *object, KVOSDetached *detached) {
  kvos_end_changes(object);
  if (KVOS_UNLIKELY(!kvos_is_untracked(object)) && kvos_may_enter() && kvos_find_object(object)) {
    object_will_deallocate(object, detached);
  }
}

// The program's own -dealloc of a root class. If the class is the program's too, its objects may be freed by any
// function: when the method has returned, they are deallocated.
static void call_own_dealloc(const KVOSHookPoint *point, void *self, void *selector) {
  const KVOSTracked *tracked = kvos_may_enter() ? kvos_find_object(self) : NULL;
  const char *className = tracked ? kvos_class_name(point->class) : NULL;
  bool isOwnClass = className && strcmp(className, "NSObject") != 0 && strcmp(className, "NSProxy") != 0;
  uint64_t id = isOwnClass ? tracked->id : 0;
  point->original(self, selector, 0, 0, 0, 0);
  tracked = isOwnClass ? kvos_find_object(self) : NULL;
  if (tracked && tracked->id == id) kvos_begin_deallocation(self, NULL);
}

void kvos_dealloced(const KVOSHookPoint *point, void *self, void *selector) {
  bool isKnown = !kvos_is_untracked(self) || kvos_may_be_changing(self);
  if (KVOS_UNLIKELY(isKnown) && !kvos_is_of_foundation(point)) {
    call_own_dealloc(point, self, selector);
    return;
  }
  KVOSDetached detached = {NULL, 0, 0};
  if (KVOS_UNLIKELY(isKnown)) kvos_begin_deallocation(self, &detached);
  // It has no arguments; those of the type are registers that it ignores.
  point->original(self, selector, 0, 0, 0, 0);
  if (KVOS_UNLIKELY(detached.count > 0)) kvos_object_did_deallocate(&detached);
}
