// addObserver:forKeyPath:options:context:; removing.c has the removals.
//
// A call of a program reaches the original once, with the program's arguments, unless the rule is contained. One
// call may pass several hooks: an override that calls super, one form of removal that calls the other. What reaches
// the Foundation is recorded, with the stack of the outermost call: an override of the program may refuse a call,
// pass it to another object or keep observers itself, and then the Foundation has nothing to do with it. A removal
// that matches is recorded when its override is called, and again as live if the override keeps it from the
// Foundation. Calls of the Foundation's for the same object, observer and key path inside are not examined again. An
// initial callback inside may add and remove freely.

#include "preload.h"

#include <string.h>

// MARK: - Which call this is

// An override may pass on another string of the same text.
static bool is_same_key(const KVOSCall *call, const void *keyObject) {
  if (call->keyObject == keyObject) return true;
  if (keyObject == NULL || call->key == 0 || !kvos_may_enter()) return false;
  uint32_t key = 0;
  int number = kvos_enter();
  bool isSame = kvos_intern_key(keyObject, &key) && key == call->key;
  kvos_leave(number);
  return isSame;
}

const KVOSCall *kvos_find_begun(const KVOSThread *thread, bool isAddition, const void *subject, const void *observer,
                                const void *keyObject) {
  for (uint32_t at = thread->callCount; at-- > 0;) {
    const KVOSCall *call = kvos_call(thread, at);
    // A callback makes a call of its own.
    if (call->hook == KVOS_OBSERVE) return NULL;
    bool isSameKind =
        isAddition ? call->hook == KVOS_ADD : call->hook == KVOS_REMOVE || call->hook == KVOS_REMOVE_CONTEXT;
    if (isSameKind && call->subject == subject && call->observer == observer && is_same_key(call, keyObject)) {
      return call;
    }
  }
  return NULL;
}

// The two objects as events name them. Returns false if there is no memory. Takes the lock.
static bool name_both(KVOSAct *act, const void *subject, const void *observer) {
  bool isLive = observer && kvos_is_live(subject, observer);
  kvos_lock_registry();
  KVOSTracked *trackedSubject = kvos_track(subject);
  KVOSTracked *trackedObserver = isLive ? kvos_track(observer) : NULL;
  if (trackedSubject) act->subject = kvos_named(trackedSubject);
  if (trackedObserver) act->observer = kvos_named(trackedObserver);
  kvos_unlock_registry();
  return trackedSubject && (!isLive || trackedObserver);
}

uint32_t kvos_stack_of_call(const KVOSCall *begun, uint64_t object) {
  return begun && begun->stack && kvos_is_sampled(object) ? begun->stack : kvos_stack_id_of(object);
}

typedef struct {
  KVOSThread *thread;
  const KVOSCall *call;
} Passing;

static void end_passing(Passing *passing) {
  if (passing->call) kvos_end_call(passing->thread, passing->call);
}

void kvos_pass_override(const KVOSHookPoint *point, KVOSThread *thread, KVOSCall call, uintptr_t frame, void *selector,
                        const uintptr_t arguments[4]) {
  int number = kvos_enter();
  call.isPending = true;
  call.stack = kvos_sampled_objects() > 0 ? kvos_stack_id() : 0;
  Passing passing __attribute__((cleanup(end_passing))) = {thread, kvos_begin_call(thread, call, frame)};
  kvos_leave(number);
  point->original((void *)(uintptr_t)call.subject, selector, arguments[0], arguments[1], arguments[2], arguments[3]);
}

bool kvos_refuse_call(const KVOSHookPoint *point, KVOSAct *act, const KVOSCall *begun, const void *subject,
                      const void *observer, const void *keyObject) {
  KVOSRefusalReason reason = keyObject == NULL     ? KVOS_REFUSAL_REASON_NIL_KEY_PATH
                             : point->isCollection ? KVOS_REFUSAL_REASON_NOT_OBSERVABLE
                                                   : KVOS_REFUSAL_REASON_EMPTY_KEY_PATH;
  if (!name_both(act, subject, observer)) return true;
  kvos_record_refused(act, reason, kvos_stack_of_call(begun, act->subject.id));
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

static bool has_live_registrations(const KVOSTracked *subject) {
  for (const KVOSTriple *each = subject->observed; each; each = each->nextOfSubject) {
    if (each->count > 0) return true;
  }
  return false;
}

static bool enter_registration(KVOSAct *act, const void *subject, const void *observer, bool passesOn,
                               Displaced *displaced) {
  bool isKept = false;
  uint32_t changedClass = 0;
  void *class = kvos_visible_class(subject), *observerClass = kvos_visible_class(observer);
  kvos_lock_registry();
  KVOSTracked *trackedSubject = kvos_track(subject);
  KVOSTracked *trackedObserver = kvos_track(observer);
  KVOSTriple *triple =
      trackedSubject && trackedObserver ? kvos_make_triple(trackedSubject, trackedObserver, act->keyPath) : NULL;
  if (triple) {
    act->subject = kvos_named(trackedSubject);
    act->observer = kvos_named(trackedObserver);
    act->registration = kvos_next_number();
    if (trackedSubject->class != class) {
      trackedSubject->hasChangedClass = has_live_registrations(trackedSubject);
      trackedSubject->class = class;
      changedClass = kvos_intern_text(kvos_class_name(class));
    }
    trackedObserver->preparedClass = observerClass;
    trackedObserver->passesOn = passesOn;
    trackedSubject->isPassedOn |= passesOn;
    trackedSubject->isForgotten = false;
    KVOSTriple *left = kvos_find_left(trackedSubject, observer, act->keyPath);
    if (left && kvos_semantics()->overwrites) kvos_end_left(left);
    if (kvos_semantics()->overwrites && triple->count > 0) {
      // Regardless of its context.
      displaced->registration = kvos_take_registration(triple, triple->count - 1).id;
    }
    KVOSRegistration registration = {.id = act->registration, .context = act->context.value, .options = act->options};
    isKept = kvos_push_registration(triple, registration);
    act->order = kvos_next_order(trackedSubject);
    atomic_fetch_add_explicit(&trackedSubject->additionCount, 1, memory_order_relaxed);
    if (displaced->registration) displaced->order = kvos_next_order(trackedSubject);
  }
  kvos_unlock_registry();
  if (changedClass) kvos_record_class(act->subject, changedClass);
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
  KVOSTriple *triple = kvos_find_triple_of(subject, observer, act->keyPath);
  for (uint32_t at = 0; triple && at < triple->count; at++) {
    if (triple->live[at].id != act->registration) continue;
    kvos_take_registration(triple, at);
    order = kvos_next_order(triple->subject);
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

static bool is_ascii(uint32_t keyPath) {
  size_t byteCount = 0;
  const uint8_t *bytes = kvos_string(keyPath, &byteCount);
  for (size_t at = 0; bytes && at < byteCount; at++) {
    if (bytes[at] & 0x80) return false;
  }
  return true;
}

// Why an addition raised: some Foundations raise for every key that is not ASCII; otherwise the class has no such key,
// or a getter or an observer raised.
static KVOSRefusalReason refusal_of(const void *subject, uint32_t keyPath) {
  if (kvos_semantics()->needsASCIIKeys && !is_ascii(keyPath)) return KVOS_REFUSAL_REASON_NOT_OBSERVABLE;
  return kvos_finds_key(subject, keyPath) ? KVOS_REFUSAL_REASON_RAISED : KVOS_REFUSAL_REASON_UNKNOWN_KEY;
}

static void refuse_addition(Addition *addition) {
  // It was refused when nothing caught its exception, and the program went on nevertheless.
  if (addition->act->registration == 0) return;
  take_back(addition->act, addition->subject, addition->observer);
  addition->act->registration = 0;
  kvos_record_refused(addition->act, refusal_of(addition->subject, addition->act->keyPath), addition->stack);
}

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
    refuse_addition(addition);
  }
  kvos_leave(number);
}

// The addition that the Foundation carries out, if nothing else runs inside it; or null.
static KVOSCall *innermost_addition(const KVOSThread *thread) {
  for (uint32_t at = thread->callCount; at-- > 0;) {
    KVOSCall *call = kvos_call(thread, at);
    if (call->hook != KVOS_ADD) return NULL;
    if (!call->isPending) return call;
  }
  return NULL;
}

void kvos_end_raised_addition(uintptr_t frame) {
  KVOSThread *thread = kvos_ownThread;
  if (thread == NULL) return;
  kvos_forget_left_calls(thread, frame);
  const KVOSCall *call = innermost_addition(thread);
  if (call && call->addition && !call->hasReturned && !call->hasFailedInside) refuse_addition(call->addition);
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
  return point->isCollection && call && call->hook == KVOS_ADD && kvos_is_called_by_foundation(frame);
}

void kvos_added(const KVOSHookPoint *point, void *self, void *selector, uintptr_t first, uintptr_t second,
                uintptr_t options, uintptr_t context) {
  const void *observer = (const void *)first;
  const void *keyObject = (const void *)second;
  KVOSThread *thread = kvos_thread();
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  if (thread) kvos_forget_left_calls(thread, frame);
  if (thread && kvos_may_enter() && kvos_is_forwarder(observer)) note_forwarder(thread, observer);
  bool isOfFoundation = kvos_is_of_foundation(point);
  const KVOSCall *begun = thread ? kvos_find_begun(thread, true, self, observer, keyObject) : NULL;
  // 1.28 silently ignores a nil observer.
  if (thread == NULL || !kvos_may_enter() || observer == NULL || kvos_is_forwarder(observer) ||
      (begun && !(begun->isPending && isOfFoundation)) || is_of_path(thread, point, __builtin_frame_address(0))) {
    point->original(self, selector, first, second, options, context);
    return;
  }
  if (!isOfFoundation) {
    kvos_pass_override(point, thread,
                       (KVOSCall){.hook = KVOS_ADD, .subject = self, .observer = observer, .keyObject = keyObject},
                       frame, selector, (uintptr_t[]){first, second, options, context});
    return;
  }
  int number = kvos_enter();
  KVOSAct act = {.context = {true, context}, .options = options};
  Displaced displaced = {0, 0};
  bool isReadable = keyObject == NULL || kvos_intern_key(keyObject, &act.keyPath);
  bool isRefused = isReadable && (act.keyPath == 0 || point->isCollection);
  if (isRefused) {
    bool goesOn = kvos_refuse_call(point, &act, begun, self, observer, keyObject);
    kvos_leave(number);
    if (goesOn) point->original(self, selector, first, second, options, context);
    return;
  }
  if (thread->unseenCount > 0) kvos_adopt_unseen(thread, self);
  const KVOSTracked *known = kvos_find_object(observer);
  bool isPrepared = known && known->preparedClass == kvos_visible_class(observer);
  bool passesOn = isPrepared ? known->passesOn : prepare(observer);
  KVOSCall *call = NULL;
  uint32_t stack = 0;
  if (isReadable && enter_registration(&act, self, observer, passesOn, &displaced)) {
    stack = kvos_stack_of_call(begun, act.subject.id);
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
  call->addition = &addition;
  point->original(self, selector, first, second, options, context);
  call->hasReturned = true;
}
