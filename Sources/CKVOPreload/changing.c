// willChangeValueForKey:, didChangeValueForKey:, their forms for indexes and sets, and
// observeValueForKeyPath:ofObject:change:context:.
//
// Only changes of objects that somebody observes are recorded. Where the runtime merges a change inside a
// change of the same key into the outer one, so does the log: nobody is told of the inner one.

#include "preload.h"

// MARK: - Changes

typedef struct {
  KVOSThread *thread;
  KVOSCall *call;
} Going;

static void end_going(Going *going) {
  if (going->call) kvos_end_call(going->thread, going->call);
}

// The place of the newest open change of this key in the thread, or -1.
static long find_open(const KVOSThread *thread, const void *subject, uint32_t key) {
  for (uint32_t at = thread->changeCount; at-- > 0;) {
    if (thread->changes[at].subject == subject && thread->changes[at].key == key) return at;
  }
  return -1;
}

// Changes of an object that nobody observed as they began; their ends must not look lonely.
static void note_unseen(KVOSThread *thread, const void *subject) {
  if (thread->unseenCount == KVOS_UNSEEN_LIMIT) {
    // The oldest is forgotten: it may never have ended.
    for (uint32_t at = 1; at < KVOS_UNSEEN_LIMIT; at++) thread->unseen[at - 1] = thread->unseen[at];
    thread->unseenCount--;
  }
  thread->unseen[thread->unseenCount++] = subject;
}

static bool take_unseen(KVOSThread *thread, const void *subject) {
  for (uint32_t at = thread->unseenCount; at-- > 0;) {
    if (thread->unseen[at] != subject) continue;
    for (; at + 1 < thread->unseenCount; at++) thread->unseen[at] = thread->unseen[at + 1];
    thread->unseenCount--;
    return true;
  }
  return false;
}

// What kind of change it is, as the log numbers them.
static unsigned kind_of(KVOSHook hook, uintptr_t first, uintptr_t second) {
  // NSKeyValueChange: 1 setting, 2 insertion, 3 removal, 4 replacement.
  if (hook == KVOS_WILL_INDEXES || hook == KVOS_DID_INDEXES) {
    return first >= 1 && first <= 4 ? (unsigned)first - 1 : 0;
  }
  if (hook != KVOS_WILL_SET && hook != KVOS_DID_SET) return 0;
  // NSKeyValueSetMutationKind: 1 union, 2 minus, 3 intersection, 4 setting the whole.
  static const unsigned kinds[] = {0, 1, 2, 2, 3};
  return second <= 4 ? kinds[second] : 0;
}

static const void *key_of(KVOSHook hook, uintptr_t first, uintptr_t third) {
  bool isLast = hook == KVOS_WILL_INDEXES || hook == KVOS_DID_INDEXES;
  return (const void *)(isLast ? third : first);
}

// A Foundation that begins the changes of dependent keys inside that of the key begins and ends them in the
// same order, as if they crossed. Such a change is told of when it ends, or somebody is told of it before: for
// nobody else does it begin.
static bool is_dependent(const KVOSThread *thread, const void *subject) {
  const KVOSCall *call = thread->callCount > 0 ? &thread->calls[thread->callCount - 1] : NULL;
  return call && call->hook == KVOS_WILL && call->subject == subject;
}

static void tell_beginning(KVOSOpenChange *open, KVOSTracked *subject) {
  if (!open->isUntold || open->change == 0) return;
  open->isUntold = false;
  kvos_record_change_half(false, kvos_named(subject), open->key, open->change, 0,
                          kvos_next_order(subject));
}

void kvos_changes(const KVOSHookPoint *point, void *self, void *selector, uintptr_t first,
                  uintptr_t second, uintptr_t third, uintptr_t fourth) {
  Going going __attribute__((cleanup(end_going))) = {NULL, NULL};
  const void *keyObject = key_of(point->hook, first, third);
  if (kvos_may_enter() && keyObject && (going.thread = kvos_thread())) {
    KVOSThread *thread = going.thread;
    KVOSTracked *subject = kvos_find_object(self);
    uint32_t key = 0;
    int number = kvos_enter();
    if (subject == NULL) {
      note_unseen(thread, self);
    } else if (thread->changeCount < KVOS_CHANGE_LIMIT && kvos_intern_key(keyObject, &key)) {
      bool isMerged = kvos_semantics()->mergesNestedChanges && find_open(thread, self, key) >= 0;
      bool isDependent = is_dependent(thread, self);
      uint64_t change = isMerged ? 0 : kvos_next_number();
      thread->changes[thread->changeCount++] =
          (KVOSOpenChange){self, subject, key, change, isDependent, keyObject};
      if (change && !isDependent) {
        kvos_record_change_half(false, kvos_named(subject), key, change,
                                kind_of(point->hook, first, second), kvos_next_order(subject));
      }
      going.call = kvos_begin_call(thread,
                                   (KVOSCall){.hook = KVOS_WILL, .subject = self,
                                              .tracked = subject, .key = key,
                                              .keyObject = keyObject, .change = change},
                                   (uintptr_t)__builtin_frame_address(0));
    }
    kvos_leave(number);
  }
  point->original(self, selector, first, second, third, fourth);
}

// Whoever died registered, and is told now if the runtime goes on. Returns the registration, or 0.
static uint64_t find_dead(KVOSTracked *subject, uint32_t key, uint64_t *order) {
  if (atomic_load_explicit(&subject->deadCount, memory_order_relaxed) == 0) return 0;
  uint64_t found = 0;
  kvos_lock_registry();
  for (KVOSTriple *each = subject->observed; each; each = each->nextOfSubject) {
    if (each->dead == 0 || each->keyPath != key) continue;
    found = each->dead;
    *order = kvos_next_order(subject);
    break;
  }
  kvos_unlock_registry();
  return found;
}

// Setters pass the very string object again that they began with, and keep it meanwhile: it is read once, and
// its object is looked for once. Null: this is the end of another change.
static const KVOSOpenChange *find_own(const KVOSThread *thread, const void *subject,
                                      const void *keyObject) {
  const KVOSOpenChange *last =
      thread->changeCount > 0 ? &thread->changes[thread->changeCount - 1] : NULL;
  bool isOwn = last && last->subject == subject && last->keyObject == keyObject &&
               last->tracked->address == subject;
  return isOwn ? last : NULL;
}

void kvos_changed(const KVOSHookPoint *point, void *self, void *selector, uintptr_t first,
                  uintptr_t second, uintptr_t third, uintptr_t fourth) {
  Going going __attribute__((cleanup(end_going))) = {NULL, NULL};
  const void *keyObject = key_of(point->hook, first, third);
  if (kvos_may_enter() && keyObject && (going.thread = kvos_thread())) {
    KVOSThread *thread = going.thread;
    const KVOSOpenChange *own = find_own(thread, self, keyObject);
    KVOSTracked *subject = own ? own->tracked : kvos_find_object(self);
    uint32_t key = own ? own->key : 0;
    int number = kvos_enter();
    if (subject == NULL) {
      take_unseen(thread, self);
    } else if (own || kvos_intern_key(keyObject, &key)) {
      long open = find_open(thread, self, key);
      uint64_t change = 0;
      if (open >= 0) {
        change = thread->changes[open].change;
        tell_beginning(&thread->changes[open], subject);
        for (uint32_t at = (uint32_t)open; at + 1 < thread->changeCount; at++) {
          thread->changes[at] = thread->changes[at + 1];
        }
        thread->changeCount--;
      } else if (!take_unseen(thread, self)) {
        change = kvos_next_number();
      }
      if (change) {
        kvos_record_change_half(true, kvos_named(subject), key, change,
                                kind_of(point->hook, first, second), kvos_next_order(subject));
        uint64_t order = KVOS_NO_ORDER;
        uint64_t dead = open >= 0 ? find_dead(subject, key, &order) : 0;
        if (dead) kvos_record_notify(dead, KVOS_AFTER, change, order, kvos_stack_id());
      }
      going.call = kvos_begin_call(thread,
                                   (KVOSCall){.hook = KVOS_DID, .subject = self,
                                              .tracked = subject, .key = key,
                                              .keyObject = keyObject, .change = change},
                                   (uintptr_t)__builtin_frame_address(0));
    }
    kvos_leave(number);
  }
  point->original(self, selector, first, second, third, fourth);
}

// MARK: - Telling

typedef struct {
  KVOSThread *thread;
  KVOSCall *call;
  KVOSTracked *subject;
  KVOSPhase phase;
  uint64_t change;
} Telling;

// Runs when the callback returns, and when an exception leaves it.
static void end_telling(Telling *telling) {
  int number = kvos_enter();
  KVOSCall call = *telling->call;
  kvos_end_call(telling->thread, telling->call);
  if (!call.hasReturned) {
    for (uint32_t at = telling->thread->callCount; at-- > 0;) {
      KVOSCall *around = &telling->thread->calls[at];
      if (around->hook != KVOS_ADD || around->registration != call.registration) continue;
      around->hasFailedInside = true;
      break;
    }
  }
  // Without an order: the callback may have been the last that kept its object alive.
  if (!call.isUnhandled) {
    kvos_record_notify_end(call.registration, telling->phase, telling->change, true, KVOS_NO_ORDER,
                           0);
  }
  kvos_leave(number);
}

// Before the root class raises: the process may end there.
static void end_unhandled(KVOSCall *call) {
  if (call->isUnhandled) return;
  call->isUnhandled = true;
  int number = kvos_enter();
  kvos_record_notify_end(call->registration, call->phase, call->change, false, KVOS_NO_ORDER,
                         kvos_stack_id());
  kvos_leave(number);
}

// Of an observer that passes on what it is told, another object is seen to be told: the registration of the
// first that was not told of this change yet. The lock is held.
static KVOSTriple *find_passed_on(KVOSTracked *subject, uint32_t keyPath, uint64_t change) {
  for (KVOSTriple *each = subject->observed; each; each = each->nextOfSubject) {
    if (each->observer == NULL || !each->observer->passesOn || each->keyPath != keyPath ||
        each->count == 0) {
      continue;
    }
    if (change != 0 && each->toldChange == change) continue;
    each->toldChange = change;
    return each;
  }
  return NULL;
}

// The triple of these. Most objects have few observers: the first are looked at where they hang on the object,
// before the observer is looked for. The lock is held.
static KVOSTriple *find_triple(KVOSTracked *subject, const void *observer, uint32_t keyPath) {
  KVOSTriple *each = subject->observed;
  for (int turn = 0; each && turn < 4; each = each->nextOfSubject, turn++) {
    if (each->keyPath == keyPath && each->observer && each->observer->address == observer) return each;
  }
  KVOSTracked *trackedObserver = each ? kvos_find_object(observer) : NULL;
  return trackedObserver ? kvos_find_triple(subject, trackedObserver, keyPath) : NULL;
}

// Of registrations that differ in nothing each is told once of a change: the newest that was not told yet. Null:
// none is live.
static KVOSRegistration *choose(KVOSTriple *triple, uintptr_t context, uint64_t told) {
  KVOSRegistration *alike = NULL;
  for (uint32_t at = triple->count; at-- > 0;) {
    KVOSRegistration *each = &triple->live[at];
    if (each->context != context) continue;
    if (each->told != told || told == 0) return each;
    if (alike == NULL) alike = each;
  }
  return alike ? alike : triple->count > 0 ? &triple->live[triple->count - 1] : NULL;
}

// The registration that is told, live or the last that ended; 0: none that is known. `around`: the call that it
// is told in, or null.
static uint64_t find_told(const void *subject, const void *observer, uint32_t keyPath,
                          uintptr_t context, const KVOSCall *around, uint64_t *order) {
  uint64_t found = 0;
  uint64_t change = around ? around->change : 0;
  kvos_lock_registry();
  KVOSTracked *trackedSubject = around && around->tracked && around->tracked->address == subject
                                    ? around->tracked
                                    : kvos_find_object(subject);
  KVOSTriple *triple = trackedSubject ? find_triple(trackedSubject, observer, keyPath) : NULL;
  if (triple == NULL && trackedSubject && trackedSubject->isPassedOn) {
    triple = find_passed_on(trackedSubject, keyPath, change);
  }
  if (triple) {
    uint64_t told = change == 0 ? 0 : change << 1 | (around->hook == KVOS_WILL);
    KVOSRegistration *registration = choose(triple, context, told);
    found = registration ? registration->id : triple->lastEnded;
    if (registration) registration->told = told;
    *order = kvos_next_order(trackedSubject);
  }
  kvos_unlock_registry();
  return found;
}

// Why the observer is told, from what is going on around.
static KVOSPhase phase_of(const KVOSThread *thread, uint64_t registration, uint64_t *change) {
  *change = 0;
  for (uint32_t at = thread->callCount; at-- > 0;) {
    const KVOSCall *call = &thread->calls[at];
    if (call->hook == KVOS_ADD && call->registration == registration) return KVOS_INITIAL;
    if (call->hook == KVOS_WILL || call->hook == KVOS_DID) {
      *change = call->change;
      return call->hook == KVOS_WILL ? KVOS_PRIOR : KVOS_AFTER;
    }
    if (call->hook == KVOS_OBSERVE) break;
  }
  return KVOS_AFTER;
}

// The call of this very callback that is going on, when an override calls super; or null.
static KVOSCall *find_outer(KVOSThread *thread, const void *observer, const void *subject,
                            const void *keyObject) {
  KVOSCall *call = thread->callCount > 0 ? &thread->calls[thread->callCount - 1] : NULL;
  bool isSame = call && call->hook == KVOS_OBSERVE && call->observer == observer &&
                call->subject == subject && call->keyObject == keyObject;
  return isSame ? call : NULL;
}

// Whether the Foundation's own observer would tell one that died registered, and that is contained. It is
// left where it is: taken out, it would look for objects of its path, which may be gone as well.
static bool tells_the_dead(const void *forwarder) {
  if (!kvos_contains(KVOS_CONTAINS_OBSERVERS | KVOS_CONTAINS_DELIVERIES)) return false;
  const KVOSTracked *known = kvos_find_object(forwarder);
  if (known == NULL || known->forwardsTo == NULL) return false;
  const KVOSTracked *target = kvos_find_object(known->forwardsTo);
  return target == NULL || target->id != known->forwardsToID;
}

void kvos_told(const KVOSHookPoint *point, void *self, void *selector, uintptr_t first,
               uintptr_t second, uintptr_t third, uintptr_t context) {
  const void *keyObject = (const void *)first;
  const void *subject = (const void *)second;
  KVOSThread *thread = kvos_thread();
  uintptr_t place = (uintptr_t)__builtin_frame_address(0);
  if (thread) kvos_forget_left_calls(thread, place);
  if (thread == NULL || !kvos_may_enter() || keyObject == NULL || subject == NULL) {
    point->original(self, selector, first, second, third, context);
    return;
  }
  if (point->isForwarder) {
    if (!tells_the_dead(self)) point->original(self, selector, first, second, third, context);
    return;
  }
  KVOSCall *outer = find_outer(thread, self, subject, keyObject);
  if (outer) {
    // Nobody in between took it, and the root class raises.
    if (point->isRoot) end_unhandled(outer);
    if (point->isRoot && kvos_contains(KVOS_CONTAINS_UNHANDLED)) return;
    point->original(self, selector, first, second, third, context);
    return;
  }
  int number = kvos_enter();
  Telling telling = {.thread = thread};
  KVOSCall *around = thread->callCount > 0 ? &thread->calls[thread->callCount - 1] : NULL;
  uint32_t key = 0;
  uint64_t order = KVOS_NO_ORDER;
  // The Foundation passes on the very key that it was given.
  bool isKnown = around && around->keyObject == keyObject && around->hook != KVOS_OBSERVE;
  if (isKnown) key = around->key;
  uint64_t registration = isKnown || kvos_intern_key(keyObject, &key)
                              ? find_told(subject, self, key, context, around, &order)
                              : 0;
  if (registration) {
    telling.phase = phase_of(thread, registration, &telling.change);
    telling.call = kvos_begin_call(thread,
                                   (KVOSCall){.hook = KVOS_OBSERVE, .subject = subject,
                                              .observer = self, .keyObject = keyObject,
                                              .phase = telling.phase, .change = telling.change,
                                              .registration = registration},
                                   place);
  }
  if (telling.call && telling.phase == KVOS_PRIOR) {
    KVOSTracked *changing = kvos_find_object(around->subject);
    long open = changing ? find_open(thread, around->subject, around->key) : -1;
    if (open >= 0) tell_beginning(&thread->changes[open], changing);
  }
  if (telling.call) {
    kvos_record_notify(registration, telling.phase, telling.change, order, 0);
    if (point->isRoot) end_unhandled(telling.call);
  }
  kvos_leave(number);
  if (telling.call == NULL) {
    point->original(self, selector, first, second, third, context);
    return;
  }
  Telling ending __attribute__((cleanup(end_telling))) = telling;
  if (!point->isRoot || !kvos_contains(KVOS_CONTAINS_UNHANDLED)) {
    point->original(self, selector, first, second, third, context);
  }
  telling.call->hasReturned = true;
}
