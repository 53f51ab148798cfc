// addObserver:forKeyPath:options:context:, removeObserver:forKeyPath: and :context:.
//
// A call of a program reaches the original once, with the program's arguments, unless the rule is contained. One call
// may pass several hooks: an override that calls super, one form of removal that calls the other. The first is the
// program's; nested calls for the same object, observer and key path are not examined again. An initial callback inside
// may add and remove freely.

#include "preload.h"

#include <string.h>

// MARK: - Which call this is

// The enclosing call that was seen already; or null.
static const KVOSCall *find_begun(const KVOSThread *thread, bool isAddition, const void *subject, const void *observer,
                                  const void *keyObject) {
  for (uint32_t at = thread->callCount; at-- > 0;) {
    const KVOSCall *call = kvos_call(thread, at);
    // A callback makes a call of its own.
    if (call->hook == KVOS_OBSERVE) return NULL;
    bool isSameKind =
        isAddition ? call->hook == KVOS_ADD : call->hook == KVOS_REMOVE || call->hook == KVOS_REMOVE_CONTEXT;
    if (isSameKind && call->subject == subject && call->observer == observer && call->keyObject == keyObject) {
      return call;
    }
  }
  return NULL;
}

// The two objects as events name them. Returns false if there is no memory. Takes the lock.
static bool name_both(KVOSAct *act, const void *subject, const void *observer) {
  kvos_lock_registry();
  KVOSTracked *trackedSubject = kvos_track(subject);
  KVOSTracked *trackedObserver = observer ? kvos_track(observer) : NULL;
  if (trackedSubject) act->subject = kvos_named(trackedSubject);
  if (trackedObserver) act->observer = kvos_named(trackedObserver);
  kvos_unlock_registry();
  return trackedSubject && (observer == NULL || trackedObserver);
}

// A path that no runtime accepts, and its effect on this object. Returns whether the original may be called.
static bool refuse(const KVOSHookPoint *point, KVOSAct *act, const void *subject, const void *observer,
                   const void *keyObject) {
  KVOSRefusalReason reason = keyObject == NULL     ? KVOS_REFUSAL_REASON_NIL_KEY_PATH
                             : point->isCollection ? KVOS_REFUSAL_REASON_NOT_OBSERVABLE
                                                   : KVOS_REFUSAL_REASON_EMPTY_KEY_PATH;
  if (!name_both(act, subject, observer)) return true;
  kvos_record_refused(act, reason, kvos_stack_id_of(act->subject.id));
  return !kvos_contains(KVOS_CONTAINS_PATHS);
}

// MARK: - Adding

// Hooks the observer's callback. Returns whether the observer forwards it.
static bool prepare(const void *observer) {
  void *class = kvos_visible_class(observer);
  if (!kvos_hook_observer(class)) {
    kvos_record_dropped("there are more classes of observers than can be watched");
  }
  bool passesOn = !kvos_has_method(KVOS_OBSERVE, class);
  if (passesOn) kvos_hook_all_observers();
  return passesOn;
}

// A registration that another one displaced, and when.
typedef struct {
  uint64_t registration, order;
} Displaced;

static bool enter_registration(KVOSAct *act, const void *subject, const void *observer, bool passesOn,
                               Displaced *displaced) {
  bool isKept = false;
  kvos_lock_registry();
  KVOSTracked *trackedSubject = kvos_track(subject);
  KVOSTracked *trackedObserver = kvos_track(observer);
  KVOSTriple *triple =
      trackedSubject && trackedObserver ? kvos_make_triple(trackedSubject, trackedObserver, act->keyPath) : NULL;
  if (triple) {
    act->subject = kvos_named(trackedSubject);
    act->observer = kvos_named(trackedObserver);
    act->registration = kvos_next_number();
    trackedObserver->isPrepared = true;
    trackedObserver->passesOn = passesOn;
    trackedSubject->isPassedOn |= passesOn;
    if (kvos_semantics()->overwrites && triple->count > 0) {
      // Regardless of its context.
      displaced->registration = kvos_take_registration(triple, triple->count - 1).id;
    }
    isKept = kvos_push_registration(triple, (KVOSRegistration){.id = act->registration, .context = act->context.value});
    act->order = kvos_next_order(trackedSubject);
    atomic_fetch_add_explicit(&trackedSubject->additionCount, 1, memory_order_relaxed);
    if (displaced->registration) displaced->order = kvos_next_order(trackedSubject);
  }
  kvos_unlock_registry();
  if (!isKept) {
    atomic_store_explicit(&kvos_hasLostRegistrations, true, memory_order_relaxed);
    kvos_record_dropped("there is no memory for a registration");
  }
  return isKept;
}

// The entry for a call that raised.
static void take_back(const KVOSAct *act, const void *subject, const void *observer) {
  bool isThere = false;
  uint64_t order = KVOS_NO_ORDER;
  kvos_lock_registry();
  KVOSTracked *trackedSubject = kvos_find_object(subject);
  KVOSTracked *trackedObserver = kvos_find_object(observer);
  KVOSTriple *triple =
      trackedSubject && trackedObserver ? kvos_find_triple(trackedSubject, trackedObserver, act->keyPath) : NULL;
  for (uint32_t at = 0; triple && at < triple->count; at++) {
    if (triple->live[at].id != act->registration) continue;
    kvos_take_registration(triple, at);
    order = kvos_next_order(trackedSubject);
    isThere = true;
    break;
  }
  kvos_unlock_registry();
  if (isThere) kvos_record_cancel(act->subject.id, act->registration, KVOS_CANCEL_CAUSE_USER, order, 0);
}

typedef struct {
  KVOSThread *thread;
  KVOSCall *call;
  KVOSAct *act;
  const void *subject;
  const void *observer;
  uint32_t stack;
} Addition;

// Runs when the original returns, and when an exception propagates out of it.
static void end_addition(Addition *addition) {
  int number = kvos_enter();
  KVOSCall call = *addition->call;
  kvos_end_call(addition->thread, addition->call);
  if (call.hasReturned || call.hasFailedInside) {
    // Every Foundation has entered it before it delivers the first value: if the callback raises, it remains
    // registered.
    kvos_record_register_end(addition->act);
  } else {
    take_back(addition->act, addition->subject, addition->observer);
    addition->act->registration = 0;
    kvos_record_refused(addition->act, KVOS_REFUSAL_REASON_UNKNOWN_KEY, addition->stack);
  }
  kvos_leave(number);
}

// A path of several keys: the Foundation's own observer is added for each. They are tracked if the deallocation of the
// observer that they notify, or of the path's root, is contained.
static void note_forwarder(const KVOSThread *thread, const void *forwarder) {
  if (!kvos_contains(KVOS_CONTAINS_OBSERVERS | KVOS_CONTAINS_DELIVERIES | KVOS_CONTAINS_OBSERVED)) return;
  const KVOSCall *call = kvos_last_call(thread);
  if (call == NULL || call->hook != KVOS_ADD) return;
  int number = kvos_enter();
  kvos_lock_registry();
  KVOSTracked *target = kvos_find_object(call->observer), *root = kvos_find_object(call->subject);
  if (target && root) kvos_track_forwarder(forwarder, target, root);
  kvos_unlock_registry();
  kvos_leave(number);
}

// Whether the Foundation adds the observer to an object in the middle of a path that the program observes: the
// program's addition is refused with it, and is in the log.
static bool is_of_path(const KVOSThread *thread, const KVOSHookPoint *point, void *const *frame) {
  const KVOSCall *call = kvos_last_call(thread);
  return point->isCollection && call && call->hook == KVOS_ADD && kvos_is_called_by_foundation(point, frame);
}

void kvos_added(const KVOSHookPoint *point, void *self, void *selector, uintptr_t first, uintptr_t second,
                uintptr_t options, uintptr_t context) {
  const void *observer = (const void *)first;
  const void *keyObject = (const void *)second;
  KVOSThread *thread = kvos_thread();
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  if (thread) kvos_forget_left_calls(thread, frame);
  if (thread && kvos_may_enter() && kvos_is_forwarder(observer)) note_forwarder(thread, observer);
  // 1.28 silently ignores a nil observer.
  if (thread == NULL || !kvos_may_enter() || observer == NULL || kvos_is_forwarder(observer) ||
      find_begun(thread, true, self, observer, keyObject) || is_of_path(thread, point, __builtin_frame_address(0))) {
    point->original(self, selector, first, second, options, context);
    return;
  }
  int number = kvos_enter();
  KVOSAct act = {.context = {true, context}, .options = options};
  Displaced displaced = {0, 0};
  bool isReadable = keyObject == NULL || kvos_intern_key(keyObject, &act.keyPath);
  bool isRefused = isReadable && (act.keyPath == 0 || point->isCollection);
  if (isRefused) {
    bool goesOn = refuse(point, &act, self, observer, keyObject);
    kvos_leave(number);
    if (goesOn) point->original(self, selector, first, second, options, context);
    return;
  }
  if (thread->unseenCount > 0) kvos_adopt_unseen(thread, self);
  const KVOSTracked *known = kvos_find_object(observer);
  bool passesOn = known && known->isPrepared ? known->passesOn : prepare(observer);
  KVOSCall *call = NULL;
  uint32_t stack = 0;
  if (isReadable && enter_registration(&act, self, observer, passesOn, &displaced)) {
    stack = kvos_stack_id_of(act.subject.id);
    kvos_record_register(&act, stack);
    kvos_note_problems(&act, self, stack);
    // The program requested both: the runtime ended the first.
    if (displaced.registration) {
      kvos_record_cancel(act.subject.id, displaced.registration, KVOS_CANCEL_CAUSE_RUNTIME, displaced.order, 0);
    }
    call = kvos_begin_call(thread,
                           (KVOSCall){.hook = KVOS_ADD,
                                      .subject = self,
                                      .observer = observer,
                                      .keyObject = keyObject,
                                      .key = act.keyPath,
                                      .registration = act.registration},
                           frame);
  }
  kvos_leave(number);
  if (call == NULL) {
    point->original(self, selector, first, second, options, context);
    return;
  }
  Addition addition __attribute__((cleanup(end_addition))) = {thread, call, &act, self, observer, stack};
  point->original(self, selector, first, second, options, context);
  call->hasReturned = true;
}

// MARK: - Removing

// The tracked triple of a removal, which is removed.
typedef struct {
  /// The name of the object's new class; 0: unchanged.
  uint32_t changedClass;
  bool hasChangedClass;
  bool wasRegistered;
} Leaving;

// Removes the registration that the removal matches: the newest, or the newest with its context. Returns false if there
// is none.
static bool leave_registration(KVOSAct *act, const void *subject, const void *observer, Leaving *leaving) {
  void *class = kvos_visible_class(subject);
  kvos_lock_registry();
  KVOSTracked *trackedSubject = kvos_track(subject);
  KVOSTracked *trackedObserver = observer ? kvos_track(observer) : NULL;
  if (trackedSubject) act->subject = kvos_named(trackedSubject);
  if (trackedObserver) act->observer = kvos_named(trackedObserver);
  KVOSTriple *triple =
      trackedSubject && trackedObserver ? kvos_find_triple(trackedSubject, trackedObserver, act->keyPath) : NULL;
  for (uint32_t at = triple ? triple->count : 0; at-- > 0;) {
    if (act->context.isSaid && triple->live[at].context != act->context.value) continue;
    act->registration = kvos_take_registration(triple, at).id;
    break;
  }
  leaving->wasRegistered = triple && triple->lastEnded != 0;
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
static void follow_removal(const KVOSCall *begun, KVOSHook hook) {
  bool isWithoutContext = begun->hook == KVOS_REMOVE_CONTEXT && hook == KVOS_REMOVE;
  if (!isWithoutContext || begun->registration != 0 || !kvos_semantics()->overwrites) return;
  int number = kvos_enter();
  uint32_t keyPath = 0;
  uint64_t registration = 0, subjectID = 0, order = KVOS_NO_ORDER;
  bool isReadable = kvos_intern_key(begun->keyObject, &keyPath);
  kvos_lock_registry();
  KVOSTracked *subject = kvos_find_object(begun->subject);
  KVOSTracked *observer = kvos_find_object(begun->observer);
  KVOSTriple *triple = isReadable && subject && observer ? kvos_find_triple(subject, observer, keyPath) : NULL;
  if (triple && triple->count > 0) {
    registration = kvos_take_registration(triple, triple->count - 1).id;
    subjectID = subject->id;
    order = kvos_next_order(subject);
  }
  kvos_unlock_registry();
  if (registration) kvos_record_cancel(subjectID, registration, KVOS_CANCEL_CAUSE_RUNTIME, order, 0);
  kvos_leave(number);
}

// Whether the Foundation would raise although the program added the registration: the Foundation's record of the object
// was lost with its class. Not inlined: a thread may have little stack.
__attribute__((noinline)) static bool is_lost(const KVOSAct *act, const void *subject, const void *observer) {
  if (!kvos_semantics()->canReadRecords) return false;
  size_t byteCount = 0;
  const uint8_t *bytes = kvos_string(act->keyPath, &byteCount);
  char text[1024];
  if (byteCount >= sizeof text) return false;
  memcpy(text, bytes, byteCount);
  text[byteCount] = 0;
  return !kvos_is_in_records(subject, observer, text);
}

// Whether the root class's part of a removal is skipped.
static bool is_contained(const KVOSAct *act, const void *subject, const void *observer, bool isMatched,
                         const Leaving *leaving) {
  if (!kvos_semantics()->removalRaises) return false;
  if (!isMatched) {
    return kvos_contains(leaving->wasRegistered ? KVOS_CONTAINS_DOUBLE_REMOVALS : KVOS_CONTAINS_UNREGISTERED);
  }
  return leaving->hasChangedClass && kvos_contains(KVOS_CONTAINS_CLASSES) && is_lost(act, subject, observer);
}

typedef struct {
  KVOSThread *thread;
  KVOSCall *call;
  const KVOSAct *act;
} Removal;

static void end_removal(Removal *removal) {
  int number = kvos_enter();
  bool hasReturned = removal->call->hasReturned;
  kvos_end_call(removal->thread, removal->call);
  if (hasReturned) kvos_record_remove(removal->act, true, 0);
  kvos_leave(number);
}

void kvos_removed(const KVOSHookPoint *point, void *self, void *selector, uintptr_t first, uintptr_t second,
                  uintptr_t context, uintptr_t fourth) {
  const void *observer = (const void *)first;
  const void *keyObject = (const void *)second;
  KVOSThread *thread = kvos_thread();
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  if (thread) kvos_forget_left_calls(thread, frame);
  const KVOSCall *begun = NULL;
  if (thread == NULL || !kvos_may_enter() || observer == NULL || kvos_is_forwarder(observer) ||
      (begun = find_begun(thread, false, self, observer, keyObject))) {
    // The implementations of the subclasses have run already.
    if (begun && begun->isContained && point->isRoot) return;
    if (begun && keyObject) follow_removal(begun, point->hook);
    point->original(self, selector, first, second, context, fourth);
    return;
  }
  int number = kvos_enter();
  bool isByContext = point->hook == KVOS_REMOVE_CONTEXT;
  KVOSAct act = {.context = {isByContext, isByContext ? context : 0}};
  KVOSCall *call = NULL;
  bool goesOn = true;
  bool isReadable = keyObject == NULL || kvos_intern_key(keyObject, &act.keyPath);
  if (isReadable && (act.keyPath == 0 || point->isCollection)) {
    goesOn = refuse(point, &act, self, observer, keyObject);
  } else if (isReadable) {
    Leaving leaving = {.changedClass = 0};
    bool isMatched = leave_registration(&act, self, observer, &leaving);
    if (leaving.changedClass) kvos_record_class(act.subject, leaving.changedClass);
    kvos_record_remove(&act, false, kvos_stack_id_of(act.subject.id));
    bool isContained = is_contained(&act, self, observer, isMatched, &leaving);
    // A class that overrides the method is called as usual: it may do more than remove.
    goesOn = !isContained || !point->isRoot;
    if (goesOn) {
      call = kvos_begin_call(thread,
                             (KVOSCall){.hook = point->hook,
                                        .isContained = isContained,
                                        .subject = self,
                                        .observer = observer,
                                        .keyObject = keyObject,
                                        .registration = act.registration},
                             frame);
    } else {
      kvos_record_remove(&act, true, 0);
    }
  }
  kvos_leave(number);
  if (!goesOn) return;
  if (call == NULL) {
    point->original(self, selector, first, second, context, fourth);
    return;
  }
  Removal removal __attribute__((cleanup(end_removal))) = {thread, call, &act};
  point->original(self, selector, first, second, context, fourth);
  call->hasReturned = true;
}
