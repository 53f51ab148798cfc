// observeValueForKeyPath:ofObject:change:context:, and exceptions that propagate out of it.
//
// A call is a delivery only inside a change or an addition that is in progress (`changing.c`, `adding.c`): a
// program may call the method like any other.

#include "preload.h"

typedef struct {
  KVOSThread *thread;
  KVOSCall *call;
} Delivery;

static KVOSNotification notification_of(const KVOSCall *call) {
  return (KVOSNotification){call->subjectID, call->registration, call->phase, call->change};
}

// The callback was left by an exception, or because its thread ends.
static void note_failure(KVOSThread *thread, const KVOSCall *left) {
  for (uint32_t at = thread->callCount; at-- > 0;) {
    KVOSCall *around = kvos_call(thread, at);
    if (around->hook == KVOS_OBSERVE) return;
    if (around->hook == KVOS_ADD && around->registration == left->registration) {
      around->hasFailedInside = true;
      return;
    }
    bool isChange = around->hook == KVOS_WILL || around->hook == KVOS_DID;
    if (!isChange) continue;
    KVOSTracked *subject = kvos_find_object(left->subject);
    if (subject) subject->isSilenced = true;
    return;
  }
}

// Whether the thread is in a callback; in `isRecorded` whether in one that is recorded: an exception may leave each of
// them.
static bool is_in_callback(const KVOSThread *thread, bool *isRecorded) {
  bool isInside = false;
  *isRecorded = false;
  for (uint32_t at = thread->callCount; at-- > 0 && !*isRecorded;) {
    const KVOSCall *call = kvos_call(thread, at);
    if (call->hook != KVOS_OBSERVE) continue;
    isInside = true;
    *isRecorded = kvos_is_sampled(call->subjectID);
  }
  return isInside;
}

void kvos_note_raised(KVOSThread *thread, const void *exception) {
  if (thread->raised.exception == exception && !thread->raised.hasLeft) return;
  bool isRecorded = false;
  if (!is_in_callback(thread, &isRecorded)) return;
  int number = kvos_enter();
  thread->raised = (KVOSRaised){.exception = exception, .stack = isRecorded ? kvos_stack_id() : 0};
  char name[256];
  if (kvos_read_exception(exception, name, sizeof name)) {
    thread->raised.name = kvos_intern_text(name);
  }
  kvos_leave(number);
}

// Runs when the callback returns, and when an exception propagates out of it.
static void end_delivery(Delivery *delivery) {
  int number = kvos_enter();
  KVOSCall call = *delivery->call;
  kvos_end_call(delivery->thread, delivery->call);
  KVOSRaised raised = delivery->thread->raised;
  bool isRecorded = false;
  delivery->thread->raised.hasLeft = !call.hasReturned && is_in_callback(delivery->thread, &isRecorded);
  if (!delivery->thread->raised.hasLeft) delivery->thread->raised = (KVOSRaised){.exception = NULL};
  if (!call.hasReturned) note_failure(delivery->thread, &call);
  KVOSNotification notification = notification_of(&call);
  if (!call.isUnhandled && !call.hasReturned && raised.exception) {
    kvos_record_notify_left(&notification, &raised);
  } else if (!call.isUnhandled) {
    kvos_record_notify_end(&notification, true, 0);
  }
  kvos_leave(number);
}

// Before the root class raises: the process may end there.
static void end_unhandled(KVOSCall *call) {
  if (call->isUnhandled) return;
  call->isUnhandled = true;
  int number = kvos_enter();
  KVOSNotification notification = notification_of(call);
  kvos_record_notify_end(&notification, false, kvos_stack_id_of(notification.subject));
  kvos_leave(number);
}

// An observer that passes notifications on is registered, and another object receives them: the first
// registration to which this change was not delivered yet. The lock is held.
static KVOSTriple *find_passed_on(KVOSTracked *subject, uint32_t keyPath, uint64_t change) {
  for (KVOSTriple *each = subject->observed; each; each = each->nextOfSubject) {
    bool isThere = each->observer && !each->isDying;
    if (!isThere || !each->observer->passesOn || each->keyPath != keyPath || each->count == 0) continue;
    if (change != 0 && each->notifiedChange == change) continue;
    each->notifiedChange = change;
    return each;
  }
  return NULL;
}

// The triple of subject, observer and key path. Most objects have few observers: the first ones are compared by
// address before the observer is looked up. The lock is held.
static KVOSTriple *find_triple(KVOSTracked *subject, const void *observer, uint32_t keyPath) {
  KVOSTriple *each = subject->observed;
  for (int turn = 0; each && turn < 4; each = each->nextOfSubject, turn++) {
    if (each->keyPath == keyPath && each->observer && each->observer->address == observer) return each;
  }
  KVOSTracked *trackedObserver = each ? kvos_find_object(observer) : NULL;
  return trackedObserver ? kvos_find_triple(subject, trackedObserver, keyPath) : NULL;
}

// Equal registrations each receive a change once: the newest one that has not received it yet. Null: none is live.
static KVOSRegistration *choose(KVOSTriple *triple, uintptr_t context, uint64_t notified) {
  KVOSRegistration *alike = NULL;
  for (uint32_t at = triple->count; at-- > 0;) {
    KVOSRegistration *each = &triple->live[at];
    if (each->context != context) continue;
    if (each->notified != notified || notified == 0) return each;
    if (alike == NULL) alike = each;
  }
  return alike ? alike : triple->count > 0 ? &triple->live[triple->count - 1] : NULL;
}

typedef struct {
  /// The one that receives the notification, live or ended last; 0: unknown.
  uint64_t registration;
  uint64_t subjectID;
  uint64_t order;
  /// Whether the observer was notified that this change is coming.
  bool wasAnnounced;
} Delivered;

// Whether another thread is removing the registration of the triple that ended last: the Foundation may notify it until
// the removal returns, and nobody knows which of the two was first. The lock is held.
static bool is_leaving(const KVOSThread *thread, const KVOSTriple *triple) {
  if (triple->removingCount == 0) return false;
  for (uint32_t at = thread->callCount; at-- > 0;) {
    const KVOSCall *call = kvos_call(thread, at);
    bool isRemoval = call->hook == KVOS_REMOVE || call->hook == KVOS_REMOVE_CONTEXT;
    if (isRemoval && call->registration == triple->lastEnded) return false;
  }
  return true;
}

// `around`: the call inside which it is delivered, or null.
static Delivered find_delivered(const KVOSThread *thread, const void *subject, const void *observer, uint32_t keyPath,
                                uintptr_t context, const KVOSCall *around) {
  Delivered found = {0, 0, KVOS_NO_ORDER, false};
  uint64_t change = around ? around->change : 0;
  kvos_lock_registry();
  KVOSTracked *trackedSubject =
      around && around->tracked && around->tracked->address == subject ? around->tracked : kvos_find_object(subject);
  KVOSTriple *triple = trackedSubject ? find_triple(trackedSubject, observer, keyPath) : NULL;
  if (triple == NULL && trackedSubject && trackedSubject->isPassedOn) {
    triple = find_passed_on(trackedSubject, keyPath, change);
  }
  if (triple) {
    uint64_t notified = change == 0 ? 0 : change << 1 | (around->hook == KVOS_WILL);
    KVOSRegistration *registration = choose(triple, context, notified);
    if (registration || !is_leaving(thread, triple)) {
      found.registration = registration ? registration->id : triple->lastEnded;
    }
    found.subjectID = trackedSubject->id;
    if (registration) found.wasAnnounced = registration->notified == (change << 1 | 1);
    if (registration) registration->notified = notified;
    found.order = kvos_next_order(trackedSubject);
  }
  kvos_unlock_registry();
  return found;
}

// Why the notification is delivered, from the calls around it.
static KVOSPhase phase_of(const KVOSThread *thread, uint64_t registration, uint64_t *change) {
  *change = 0;
  for (uint32_t at = thread->callCount; at-- > 0;) {
    const KVOSCall *call = kvos_call(thread, at);
    if (call->hook == KVOS_ADD && call->registration == registration) return KVOS_PHASE_INITIAL;
    if (call->hook == KVOS_WILL || call->hook == KVOS_DID) {
      *change = call->change;
      return call->hook == KVOS_WILL ? KVOS_PHASE_PRIOR : KVOS_PHASE_AFTER;
    }
    if (call->hook == KVOS_OBSERVE) break;
  }
  return KVOS_PHASE_AFTER;
}

// A Foundation that notifies of dependent keys inside the change of the key that they depend on does so there even if
// they have an open change of their own, and not again at its end: the notification belongs to that change. A Foundation
// may also end changes that cross in another order.
static uint64_t own_change(KVOSThread *thread, const void *subject, uint32_t key, const KVOSCall *around) {
  if (around->hook != KVOS_DID) return 0;
  bool isInTime = around->key == key;
  long open = isInTime ? -1 : kvos_find_open_change(thread, subject, key);
  if (open >= 0) return thread->changes[open].change;
  uint64_t crossed = kvos_find_crossed(thread, subject, key, isInTime);
  return isInTime ? 0 : crossed;
}

// The running call of this same callback, when an override calls super; or null. An override may pass on another key: if
// the observer's own call reaches the root class, no class handled the notification.
static KVOSCall *find_outer(const KVOSHookPoint *point, KVOSThread *thread, const void *observer, const void *subject,
                            const void *keyObject) {
  KVOSCall *call = kvos_last_call(thread);
  if (call == NULL || call->hook != KVOS_OBSERVE || call->observer != observer) return NULL;
  bool isSame = call->subject == subject && call->keyObject == keyObject;
  return isSame || kvos_is_foundation_root(point) ? call : NULL;
}

// Whether the Foundation calls, which it does only inside a change or an addition.
static bool is_delivery(const KVOSCall *around, const void *subject) {
  if (around == NULL) return false;
  if (around->hook == KVOS_ADD) return !around->isPending && around->subject == subject;
  return around->hook == KVOS_WILL || around->hook == KVOS_DID;
}

static bool is_deallocated(const void *address, uint64_t id) {
  const KVOSTracked *known = kvos_find_object(address);
  return known == NULL || known->id != id;
}

// Whether the Foundation's own observer would deliver to an observer that was deallocated while registered, or of an
// object that was, and that is contained. It stays registered: its removal would look for objects of its path, which
// may be deallocated too.
static bool reports_deallocated(const void *forwarder) {
  bool containsObservers = kvos_contains(KVOS_CONTAINS_OBSERVERS | KVOS_CONTAINS_DELIVERIES);
  bool containsObserved = kvos_contains(KVOS_CONTAINS_OBSERVED);
  if (!containsObservers && !containsObserved) return false;
  const KVOSTracked *known = kvos_find_object(forwarder);
  if (known == NULL || known->forwardsTo == NULL) return false;
  return (containsObservers && is_deallocated(known->forwardsTo, known->forwardsToID)) ||
         (containsObserved && is_deallocated(known->pathOf, known->pathOfID));
}

void kvos_told(const KVOSHookPoint *point, void *self, void *selector, uintptr_t first, uintptr_t second,
               uintptr_t third, uintptr_t context) {
  const void *keyObject = (const void *)first;
  const void *subject = (const void *)second;
  KVOSThread *thread = kvos_thread();
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  if (thread) kvos_forget_left_calls(thread, frame);
  if (thread == NULL || !kvos_may_enter() || keyObject == NULL || subject == NULL) {
    point->original(self, selector, first, second, third, context);
    return;
  }
  if (point->isForwarder) {
    if (!reports_deallocated(self)) point->original(self, selector, first, second, third, context);
    return;
  }
  KVOSCall *outer = find_outer(point, thread, self, subject, keyObject);
  if (outer) {
    // No class in between handled it.
    if (kvos_is_foundation_root(point)) end_unhandled(outer);
    if (kvos_is_foundation_root(point) && kvos_contains(KVOS_CONTAINS_UNHANDLED)) return;
    point->original(self, selector, first, second, third, context);
    return;
  }
  KVOSCall *around = kvos_last_call(thread);
  if (!is_delivery(around, subject)) {
    // A program may call this method like any other.
    point->original(self, selector, first, second, third, context);
    return;
  }
  int number = kvos_enter();
  Delivery delivery = {.thread = thread};
  uint32_t key = 0;
  // The Foundation passes on the same key object that it received.
  bool isKnown = around->keyObject == keyObject && around->key != 0;
  if (isKnown) key = around->key;
  Delivered found = {0, 0, KVOS_NO_ORDER, false};
  if (isKnown || kvos_intern_key(keyObject, &key)) {
    found = find_delivered(thread, subject, self, key, context, around);
  }
  KVOSNotification notification = {.subject = found.subjectID, .registration = found.registration};
  if (found.registration) {
    notification.phase = phase_of(thread, found.registration, &notification.change);
    uint64_t own = found.wasAnnounced ? 0 : own_change(thread, subject, key, around);
    if (own != 0) notification.change = own;
    delivery.call = kvos_begin_call(thread,
                                    (KVOSCall){.hook = KVOS_OBSERVE,
                                               .subject = subject,
                                               .observer = self,
                                               .keyObject = keyObject,
                                               .phase = notification.phase,
                                               .subjectID = notification.subject,
                                               .change = notification.change,
                                               .registration = notification.registration},
                                    frame);
  }
  if (delivery.call && notification.phase == KVOS_PHASE_PRIOR) {
    KVOSTracked *changing = kvos_find_object(around->subject);
    long open = changing ? kvos_find_open_change(thread, around->subject, around->key) : -1;
    // A dependent one begins in the log when it ends: otherwise it would overlap the change of the key that it depends
    // on.
    if (open >= 0) thread->changes[open].isAnnounced = true;
  }
  if (delivery.call) {
    uint32_t stack = notification.phase == KVOS_PHASE_PRIOR ? kvos_stack_id_of(notification.subject) : 0;
    kvos_record_notify(&notification, found.order, stack);
    if (kvos_is_foundation_root(point)) end_unhandled(delivery.call);
  }
  kvos_leave(number);
  if (delivery.call == NULL) {
    point->original(self, selector, first, second, third, context);
    return;
  }
  Delivery ending __attribute__((cleanup(end_delivery))) = delivery;
  if (!kvos_is_foundation_root(point) || !kvos_contains(KVOS_CONTAINS_UNHANDLED)) {
    point->original(self, selector, first, second, third, context);
  }
  delivery.call->hasReturned = true;
}
