// removeObserver:forKeyPath: and removeObserver:forKeyPath:context:; adding.c describes what is recorded of them.

#include "preload.h"

#include <string.h>

// The tracked triple of a removal, which is removed.
typedef struct {
  KVOSRegistration registration;
  /// How many removals of the triple had reached the Foundation.
  uint32_t foundationRemovalCount;
  /// The name of the object's new class; 0: unchanged.
  uint32_t changedClass;
  bool hasChangedClass;
  bool wasRegistered;
  /// Whether it is registered, under other contexts than the removal says.
  bool hasOtherContexts;
  /// Whether the runtime has dropped it already, because its observer is being deallocated.
  bool isCut;
} Leaving;

// A removal that matches no live registration. The runtime knows a deallocated observer by its address: it removes that
// of the observer that was there, even if another object is there now. The lock is held.
static void leave_left(KVOSAct *act, const KVOSTracked *subject, const void *observer, bool isLive, Leaving *leaving) {
  if (!isLive) {
    KVOSDeallocated deallocated = kvos_find_deallocated(observer);
    act->observer = (KVOSNamed){deallocated.id, deallocated.className};
    leaving->wasRegistered = deallocated.id != 0;
  }
  KVOSTriple *left = subject ? kvos_find_left(subject, observer, act->keyPath) : NULL;
  if (left == NULL) return;
  if (!isLive) act->registration = left->leftRegistration;
  kvos_end_left(left);
}

// Removes the registration that the removal matches: the newest, or the newest with its context. Returns false if there
// is none.
static bool leave_registration(KVOSAct *act, const void *subject, const void *observer, bool isOfFoundation,
                               Leaving *leaving) {
  void *class = kvos_visible_class(subject);
  bool isLive = kvos_is_live(subject, observer);
  kvos_lock_registry();
  KVOSTracked *trackedSubject = kvos_track(subject);
  KVOSTracked *trackedObserver = isLive ? kvos_track(observer) : NULL;
  if (trackedSubject) act->subject = kvos_named(trackedSubject);
  if (trackedObserver) act->observer = kvos_named(trackedObserver);
  KVOSTriple *triple =
      trackedSubject && trackedObserver ? kvos_find_triple(trackedSubject, trackedObserver, act->keyPath) : NULL;
  for (uint32_t at = triple ? triple->count : 0; at-- > 0;) {
    if (act->context.isSaid && triple->live[at].context != act->context.value) continue;
    leaving->registration = kvos_take_registration(triple, at);
    act->registration = leaving->registration.id;
    leaving->isCut = triple->isCut;
    triple->removingCount++;
    break;
  }
  if (triple && isOfFoundation) triple->foundationRemovalCount++;
  leaving->foundationRemovalCount = triple ? triple->foundationRemovalCount : 0;
  leaving->wasRegistered = triple && triple->lastEnded != 0;
  leaving->hasOtherContexts = triple && act->registration == 0 && triple->count > 0;
  if (act->registration == 0) leave_left(act, trackedSubject, observer, isLive, leaving);
  if (trackedSubject) {
    act->order = kvos_next_order(trackedSubject);
    if (trackedSubject->class != class) {
      trackedSubject->class = class;
      trackedSubject->hasChangedClass = true;
      leaving->changedClass = kvos_intern_text(kvos_class_name(class));
    }
    leaving->hasChangedClass = trackedSubject->hasChangedClass;
  }
  kvos_unlock_registry();
  return act->registration != 0;
}

// A program may bring the form with a context to a runtime that has none, and implement it by the form without: then
// the registration is removed regardless of the context.
static void follow_removal(const KVOSCall *begun, KVOSHook hook, uint64_t matched) {
  bool isWithoutContext = begun->hook == KVOS_REMOVE_CONTEXT && hook == KVOS_REMOVE;
  if (!isWithoutContext || matched != 0 || !kvos_semantics()->overwrites) return;
  int number = kvos_enter();
  uint32_t keyPath = 0;
  uint64_t registration = 0, subjectID = 0, order = KVOS_NO_ORDER;
  bool isReadable = kvos_intern_key(begun->keyObject, &keyPath);
  kvos_lock_registry();
  KVOSTriple *triple = isReadable ? kvos_find_triple_of(begun->subject, begun->observer, keyPath) : NULL;
  if (triple && triple->count > 0) {
    registration = kvos_take_registration(triple, triple->count - 1).id;
    subjectID = triple->subject->id;
    order = kvos_next_order(triple->subject);
  }
  kvos_unlock_registry();
  if (registration) kvos_record_cancel(subjectID, registration, KVOS_CANCEL_CAUSE_RUNTIME, order, 0);
  kvos_leave(number);
}

// Whether the Foundation would raise although the program added the registration: the Foundation's record of the object
// was lost with its class. Not inlined: a thread may have little stack.
__attribute__((noinline)) static bool is_lost(const KVOSAct *act, const void *subject, const void *observer) {
  if (!kvos_semantics()->canReadRecords) return false;
  char text[KVOS_PATH_TEXT_SIZE];
  return kvos_copy_text(act->keyPath, text, sizeof text) && !kvos_is_in_records(subject, observer, text);
}

// Whether the root class's part of a removal is skipped.
static bool is_contained(const KVOSAct *act, const void *subject, const void *observer, bool isMatched,
                         const Leaving *leaving) {
  if (!kvos_semantics()->removalRaises) return false;
  if (leaving->isCut) return true;
  if (!isMatched) {
    if (leaving->hasOtherContexts && kvos_contains(KVOS_CONTAINS_CONTEXTS)) return true;
    // Its own context may have been registered before; which is not known.
    if (leaving->hasOtherContexts && !leaving->wasRegistered) return false;
    return kvos_contains(leaving->wasRegistered ? KVOS_CONTAINS_DOUBLE_REMOVALS : KVOS_CONTAINS_UNREGISTERED);
  }
  return leaving->hasChangedClass && kvos_contains(KVOS_CONTAINS_CLASSES) && is_lost(act, subject, observer);
}

// Whether a removal with these arguments would match, or another one of the same observer is running. Its override is
// recorded as the removal then: another thread may remove the observer, or deallocate the object, while it runs.
static bool matches(const void *subject, const void *observer, const void *keyObject, KVOSContext context) {
  uint32_t keyPath = 0;
  bool isFound = false;
  int number = kvos_enter();
  bool isReadable = keyObject && kvos_intern_key(keyObject, &keyPath);
  kvos_lock_registry();
  const KVOSTriple *triple = isReadable ? kvos_find_triple_of(subject, observer, keyPath) : NULL;
  isFound = triple && triple->removingCount > 0;
  for (uint32_t at = 0; triple && at < triple->count && !isFound; at++) {
    isFound = !context.isSaid || triple->live[at].context == context.value;
  }
  kvos_unlock_registry();
  kvos_leave(number);
  return isFound;
}

typedef struct {
  KVOSThread *thread;
  KVOSCall *call;
  const KVOSAct *act;
  const Leaving *leaving;
  /// The stack of the addition, if an override of the program may keep the observer registered.
  uint32_t stack;
  bool isOfFoundation;
} Removal;

static void note_foundation_removal(const KVOSCall *begun) {
  if (begun->registration == 0) return;
  int number = kvos_enter();
  kvos_lock_registry();
  KVOSTriple *triple = kvos_find_triple_of(begun->subject, begun->observer, begun->key);
  if (triple) triple->foundationRemovalCount++;
  kvos_unlock_registry();
  kvos_leave(number);
}

// An override has returned, and no thread has passed the removal on to the Foundation, or the Foundation did not find
// its records and raised: the observer is still registered. It gets a new number, because the log contains the end of
// the old one.
static void restore_registration(const Removal *removal, bool isLost) {
  KVOSAct act = *removal->act;
  bool isKept = false;
  kvos_lock_registry();
  KVOSTriple *triple = kvos_find_triple_of(removal->call->subject, removal->call->observer, act.keyPath);
  // Either object may have been deallocated in the meantime, and the observer may have been added again.
  bool isSame = triple && triple->subject->id == act.subject.id && triple->observer->id == act.observer.id &&
                (isLost || triple->foundationRemovalCount == removal->leaving->foundationRemovalCount) &&
                !(kvos_semantics()->overwrites && triple->count > 0);
  if (isSame) {
    KVOSRegistration registration = removal->leaving->registration;
    act.registration = registration.id = kvos_next_number();
    act.context = (KVOSContext){true, registration.context};
    act.options = registration.options;
    act.order = kvos_next_order(triple->subject);
    isKept = kvos_push_registration(triple, registration);
  }
  kvos_unlock_registry();
  if (isKept) kvos_record_live(&act, removal->stack);
}

// The object or the observer may have been deallocated meanwhile, and its address may be another's.
static void end_removing(const void *subject, const void *observer, uint32_t keyPath) {
  kvos_lock_registry();
  KVOSTriple *triple = kvos_find_triple_of(subject, observer, keyPath);
  if (triple && triple->removingCount > 0) triple->removingCount--;
  kvos_unlock_registry();
}

static void end_removal(Removal *removal) {
  int number = kvos_enter();
  bool hasReturned = removal->call->hasReturned;
  // An object that is being deallocated may have lost its records, but they still end with it.
  bool isLost = !hasReturned && kvos_find_dying(removal->call->subject);
  bool isKept = (!removal->isOfFoundation || isLost) && !removal->call->isContained && removal->call->registration;
  if (removal->call->registration) {
    end_removing(removal->call->subject, removal->call->observer, removal->act->keyPath);
  }
  if (hasReturned) kvos_record_remove(removal->act, true, 0);
  if (isKept) restore_registration(removal, isLost);
  kvos_end_call(removal->thread, removal->call);
  kvos_leave(number);
}

void kvos_removed(const KVOSHookPoint *point, void *self, void *selector, uintptr_t first, uintptr_t second,
                  uintptr_t context, uintptr_t fourth) {
  const void *observer = (const void *)first;
  const void *keyObject = (const void *)second;
  KVOSThread *thread = kvos_thread();
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  if (thread) kvos_forget_left_calls(thread, frame);
  if (thread == NULL || !kvos_may_enter() || observer == NULL || kvos_is_forwarder_at(observer)) {
    point->original(self, selector, first, second, context, fourth);
    return;
  }
  const KVOSCall *begun = kvos_find_begun(thread, false, self, observer, keyObject);
  bool isOfFoundation = kvos_is_of_foundation(point);
  if (begun && !(begun->isPending && isOfFoundation)) {
    // The implementations of the subclasses have run already.
    if (begun->isContained && kvos_is_foundation_root(point)) return;
    if (isOfFoundation) note_foundation_removal(begun);
    if (keyObject && !begun->isPending) follow_removal(begun, point->hook, begun->registration);
    point->original(self, selector, first, second, context, fourth);
    return;
  }
  KVOSContext said = {point->hook == KVOS_REMOVE_CONTEXT, context};
  if (!isOfFoundation && !matches(self, observer, keyObject, said)) {
    kvos_pass_override(
        point, thread,
        (KVOSCall){
            .hook = point->hook, .subject = self, .observer = observer, .keyObject = keyObject, .context = context},
        frame, selector, (uintptr_t[]){first, second, context, fourth});
    return;
  }
  int number = kvos_enter();
  // A program may bring the form with a context, and implement it by the other.
  bool isByContext = (begun ? begun->hook : point->hook) == KVOS_REMOVE_CONTEXT;
  KVOSAct act = {.context = {isByContext, !isByContext ? 0 : begun ? begun->context : context}};
  Leaving leaving = {.changedClass = 0};
  uint32_t addedStack = 0;
  KVOSCall *call = NULL;
  bool goesOn = true;
  bool isReadable = keyObject == NULL || kvos_intern_key(keyObject, &act.keyPath);
  if (isReadable && (act.keyPath == 0 || point->isCollection)) {
    goesOn = kvos_refuse_call(point, &act, begun, self, observer, keyObject);
  } else if (isReadable) {
    bool isMatched = leave_registration(&act, self, observer, isOfFoundation, &leaving);
    if (isMatched && (!isOfFoundation || kvos_find_dying(self))) addedStack = kvos_live_stack(act.registration << 2);
    if (leaving.changedClass) kvos_record_class(act.subject, leaving.changedClass);
    kvos_record_remove(&act, false, kvos_stack_of_call(begun, act.subject.id));
    if (begun && keyObject) follow_removal(begun, point->hook, act.registration);
    bool isContained = is_contained(&act, self, observer, isMatched, &leaving);
    // A class that overrides the method is called as usual: it may do more than remove.
    goesOn = !isContained || !kvos_is_foundation_root(point);
    if (goesOn) {
      call = kvos_begin_call(thread,
                             (KVOSCall){.hook = point->hook,
                                        .isContained = isContained,
                                        .subject = self,
                                        .observer = observer,
                                        .keyObject = keyObject,
                                        .key = act.keyPath,
                                        .registration = act.registration},
                             frame);
    } else {
      if (act.registration) end_removing(self, observer, act.keyPath);
      kvos_record_remove(&act, true, 0);
    }
  }
  kvos_leave(number);
  if (!goesOn) return;
  if (call == NULL) {
    point->original(self, selector, first, second, context, fourth);
    return;
  }
  Removal removal __attribute__((cleanup(end_removal))) = {thread, call, &act, &leaving, addedStack, isOfFoundation};
  point->original(self, selector, first, second, context, fourth);
  call->hasReturned = true;
}
