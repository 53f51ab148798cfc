// Deallocations: the Foundation's -dealloc, and NSDeallocateObject() and object_dispose() for objects that do not reach
// it. A program that replaces that method, by a category for example, may still remove observers there, or keep the
// object: only the functions end it.
//
// A deallocation is recorded when the root class's -dealloc begins. If the object observes or is observed then, the end
// is recorded when that has returned: until then the variables of the object and what is associated with it are
// released, and may remove its observers, or the object as an observer. A Foundation that raises about observers which
// are left does so when it destroys its record of them: that is the end, then.
//
// Objects that are neither observed nor observers are recognized by one lock-free lookup, so that a program that
// deallocates many objects pays nanoseconds.

#include "preload.h"

#include <stdlib.h>
#include <string.h>

// A registration that ends with one of its objects, and the data that is needed to remove it from the runtime.
typedef struct {
  const void *subject;
  uint64_t subjectID;
  uint32_t keyPath;
  uint64_t registration;
  uint64_t order;
  /// Whether the runtime drops it now: its observer is being deallocated, and that is contained.
  bool isCut;
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

static void note_left(Deallocation *deallocation, KVOSTriple *triple, bool isCut, bool isOver) {
  for (uint32_t at = 0; at < triple->count; at++) {
    if (deallocation->leftCount == deallocation->capacity) {
      uint32_t capacity = deallocation->capacity ? deallocation->capacity * 2 : 4;
      Left *longer = realloc(deallocation->left, capacity * sizeof *longer);
      if (longer == NULL) return;
      deallocation->left = longer;
      deallocation->capacity = capacity;
    }
    deallocation->left[deallocation->leftCount++] =
        (Left){.subject = triple->subject->address,
               .subjectID = triple->subject->id,
               .keyPath = triple->keyPath,
               .registration = triple->live[at].id,
               .order = isCut && isOver ? kvos_next_order(triple->subject) : KVOS_NO_ORDER,
               .isCut = isCut};
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

// Ends the registrations of the object that are left, and notes them. The lock is held.
static void end_left(Deallocation *deallocation, KVOSTracked *object, const void *address, bool isContained) {
  while (object->observed) {
    KVOSTriple *triple = object->observed;
    note_left(deallocation, triple, false, true);
    kvos_drop_triple(triple);
  }
  while (object->observing) {
    KVOSTriple *triple = object->observing;
    if (triple->isDying) atomic_fetch_sub_explicit(&triple->subject->deallocatedCount, 1, memory_order_relaxed);
    triple->isDying = false;
    if (triple->count == 0) {
      kvos_drop_triple(triple);
      continue;
    }
    // An object that observes itself was handled above.
    note_left(deallocation, triple, isContained, true);
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
}

// Notes the registrations of the object that are left, but keeps them: they may still be removed. The lock is held.
static void keep_left(Deallocation *deallocation, KVOSTracked *object, bool isContained) {
  for (KVOSTriple *each = object->observed; each; each = each->nextOfSubject) {
    note_left(deallocation, each, false, false);
  }
  for (KVOSTriple *each = object->observing, *next; each; each = next) {
    next = each->nextOfObserver;
    if (each->subject == object || each->count == 0) continue;
    // The runtime is not asked of an object that is being deallocated, too.
    each->isCut = isContained && each->subject->address;
    each->isDying = true;
    note_left(deallocation, each, each->isCut, false);
    atomic_fetch_add_explicit(&each->subject->deallocatedCount, 1, memory_order_relaxed);
  }
}

static void remember(KVOSTracked *object, const void *address) {
  object->address = address;
  if (object->preparedClass) kvos_remember_deallocated(object);
  kvos_recycle(object);
}

// Removes the object from the tracking table. Returns false if another thread did. `dying`: null, or takes the object,
// whose registrations are kept.
static bool leave(void *address, Deallocation *deallocation, bool isContained, KVOSDying *dying) {
  kvos_lock_registry();
  KVOSTracked *object = kvos_find_object(address);
  if (object == NULL) {
    kvos_unlock_registry();
    return false;
  }
  deallocation->object = kvos_named(object);
  deallocation->isForwarder = object->forwardsTo != NULL;
  deallocation->order = kvos_next_order(object);
  kvos_untrack(object);
  for (const KVOSTriple *each = object->observed; each; each = each->nextOfSubject) note_path(deallocation, each);
  if (dying) {
    keep_left(deallocation, object, isContained);
    dying->object = object;
    // Another object may have the address before the end.
    object->address = NULL;
  } else {
    end_left(deallocation, object, address, isContained);
    remember(object, address);
  }
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

// MARK: - The two ends of a deallocation

KVOSTracked *kvos_find_in_deallocation(const KVOSThread *thread, const void *address) {
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  const KVOSDying *each = thread->dying;
  while (each && (each->address != address || each->frame <= frame)) each = each->outer;
  return each ? each->object : NULL;
}

static bool is_observed(const KVOSTracked *object) {
  const KVOSTriple *each = object->observed;
  while (each && each->count == 0) each = each->nextOfSubject;
  return each != NULL;
}

static bool is_observing(const KVOSTracked *object) {
  const KVOSTriple *each = object->observing;
  while (each && each->count == 0) each = each->nextOfObserver;
  return each != NULL;
}

// A record for the object at the address, if it has registrations that code which runs later may remove; or null.
static KVOSDying *make_dying(const void *address, uintptr_t frame) {
  kvos_lock_registry();
  const KVOSTracked *object = kvos_find_object(address);
  bool isLeft = object && (is_observed(object) || is_observing(object));
  kvos_unlock_registry();
  bool raises = kvos_semantics()->raisesAtDeallocation;
  // What is associated with an object is released on those that raise, or by the runtime like its variables.
  if (!isLeft || !(raises || kvos_has_destructor(kvos_visible_class(address)))) return NULL;
  KVOSThread *thread = kvos_thread();
  if (thread == NULL) return NULL;
  while (thread->dying && thread->dying->frame <= frame) thread->dying = thread->dying->outer;
  KVOSDying *dying = thread->spareDying;
  if (dying) {
    thread->spareDying = dying->outer;
  } else if ((dying = calloc(1, sizeof *dying)) == NULL) {
    return NULL;
  }
  dying->address = address;
  dying->frame = frame;
  dying->records = NULL;
  dying->outer = thread->dying;
  if (raises) dying->records = kvos_records(address);
  return dying;
}

static void put_away(KVOSDying *dying, Deallocation *deallocation) {
  dying->room = deallocation->left;
  dying->roomCount = deallocation->capacity;
  dying->outer = kvos_ownThread->spareDying;
  kvos_ownThread->spareDying = dying;
}

static void record_left(const Deallocation *deallocation, uint32_t stack) {
  for (uint32_t at = 0; at < deallocation->leftCount; at++) {
    const Left *left = &deallocation->left[at];
    kvos_live_remove(left->registration << 2);
    if (!left->isCut) continue;
    kvos_record_cancel(left->subjectID, left->registration, KVOS_CANCEL_CAUSE_OBSERVER, left->order, stack);
  }
  kvos_record_deallocation(true, deallocation->object, KVOS_NO_ORDER, 0);
}

// Called once for each tracked object.
static void object_will_deallocate(void *address, KVOSEnding *ending) {
  int number = kvos_enter();
  Deallocation deallocation = {.leftCount = 0};
  bool isContained = kvos_contains(KVOS_CONTAINS_OBSERVERS | KVOS_CONTAINS_DELIVERIES);
  KVOSDying *dying = ending ? make_dying(address, (uintptr_t)ending) : NULL;
  if (dying) deallocation = (Deallocation){.left = dying->room, .capacity = dying->roomCount};
  bool isOurs = leave(address, &deallocation, isContained, dying);
  if (isOurs && !deallocation.isForwarder) {
    // Objects that no report will mention need no stack.
    bool isMentioned = false;
    for (uint32_t at = 0; at < deallocation.leftCount; at++) {
      isMentioned |= kvos_is_sampled(deallocation.left[at].subjectID);
    }
    uint32_t stack = isMentioned ? kvos_stack_id() : 0;
    kvos_record_deallocation(false, deallocation.object, deallocation.order, stack);
    for (uint32_t at = 0; at < deallocation.leftCount; at++) {
      if (deallocation.left[at].isCut) remove_from_runtime(&deallocation.left[at], address);
    }
    if (dying) {
      dying->stack = stack;
      dying->room = deallocation.left;
      dying->roomCount = deallocation.capacity;
      ending->dying = kvos_ownThread->dying = dying;
    } else {
      record_left(&deallocation, stack);
    }
    if (ending) begin_detaching(address, &deallocation, &ending->detached);
  }
  if (dying == NULL) free(deallocation.left);
  if (dying && !isOurs) put_away(dying, &deallocation);
  free(deallocation.paths);
  kvos_leave(number);
}

// The object is deallocated, or as good as that: what is left of its registrations was forgotten.
static void judge(KVOSDying *dying) {
  int number = kvos_enter();
  KVOSDying **link = &kvos_ownThread->dying;
  while (*link != dying) link = &(*link)->outer;
  *link = dying->outer;
  Deallocation deallocation = {.object = kvos_named(dying->object), .left = dying->room, .capacity = dying->roomCount};
  bool isContained = kvos_contains(KVOS_CONTAINS_OBSERVERS | KVOS_CONTAINS_DELIVERIES);
  kvos_lock_registry();
  end_left(&deallocation, dying->object, dying->address, isContained);
  remember(dying->object, dying->address);
  kvos_unlock_registry();
  record_left(&deallocation, dying->stack);
  put_away(dying, &deallocation);
  kvos_leave(number);
}

void kvos_judge_deallocation(KVOSEnding *ending) {
  const KVOSThread *thread = kvos_ownThread;
  KVOSDying *each = thread ? thread->dying : NULL;
  // It may have been judged already.
  while (each && each != ending->dying) each = each->outer;
  ending->dying = NULL;
  if (each) judge(each);
}

void kvos_judge_all_deallocations(void) {
  const KVOSThread *thread = kvos_ownThread;
  while (thread && thread->dying) judge(thread->dying);
}

static KVOSMethod destroyRecords;

// Replaces the -dealloc of the Foundation's records of observers.
static void kvos_records_are_destroyed(void *self, void *selector, uintptr_t first, uintptr_t second, uintptr_t third,
                                       uintptr_t fourth) {
  KVOSDying *each = kvos_ownThread && kvos_may_enter() ? kvos_ownThread->dying : NULL;
  while (each && each->records != self) each = each->outer;
  if (each) {
    kvos_lock_registry();
    bool isLeft = is_observed(each->object);
    kvos_unlock_registry();
    if (isLeft) judge(each);
  }
  destroyRecords(self, selector, first, second, third, fourth);
}

void kvos_watch_records(void) {
  if (!kvos_semantics()->raisesAtDeallocation) return;
  destroyRecords = kvos_replace_method(kvos_semantics()->knownByClass, "dealloc", kvos_records_are_destroyed);
}

// Hooks are active: releasing the value that a change delivered last may release the last reference to an object.
void kvos_object_did_deallocate(KVOSEnding *ending) {
  int number = errno;
  kvos_end_detaching(&ending->detached);
  errno = number;
}

void kvos_begin_deallocation(void *object, KVOSEnding *ending) {
  kvos_end_changes(object);
  if (KVOS_UNLIKELY(!kvos_is_untracked(object)) && kvos_may_enter() && kvos_find_object(object)) {
    object_will_deallocate(object, ending);
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

// The Foundation's own -dealloc, of an object that may be tracked.
__attribute__((noinline)) static void call_dealloc(const KVOSHookPoint *point, void *self, void *selector) {
  KVOSEnding ending __attribute__((cleanup(kvos_leave_deallocation))) = {.dying = NULL};
  kvos_begin_deallocation(self, &ending);
  point->original(self, selector, 0, 0, 0, 0);
  kvos_leave_deallocation(&ending);
  if (KVOS_UNLIKELY(ending.detached.count > 0)) kvos_object_did_deallocate(&ending);
}

void kvos_dealloced(const KVOSHookPoint *point, void *self, void *selector) {
  if (KVOS_LIKELY(kvos_is_untracked(self) && !kvos_may_be_changing(self))) {
    // It has no arguments; those of the type are registers that it ignores.
    point->original(self, selector, 0, 0, 0, 0);
  } else if (kvos_is_of_foundation(point)) {
    call_dealloc(point, self, selector);
  } else {
    call_own_dealloc(point, self, selector);
  }
}
