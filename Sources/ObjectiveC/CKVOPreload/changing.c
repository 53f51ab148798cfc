// willChangeValueForKey:, didChangeValueForKey:, and their forms for indexes and sets.
//
// Only changes of observed objects are recorded. If the runtime merges a change inside a change of the same key into
// the outer one, so does the log: no observer is notified of the inner one. The runtime's deliveries of a change are in
// `delivering.c`.

#include "preload.h"

#include <string.h>

// MARK: - Changes

typedef struct {
  KVOSThread *thread;
  KVOSCall *call;
} Going;

static void end_going(Going *going) {
  if (going->call) kvos_end_call(going->thread, going->call);
}

long kvos_find_open_change(const KVOSThread *thread, const void *subject, uint32_t key) {
  for (uint32_t at = thread->changeCount; at-- > 0;) {
    if (thread->changes[at].subject == subject && thread->changes[at].key == key) return at;
  }
  return -1;
}

// Changes of an object that was not observed when they began; their ends must not be reported as unmatched.
static void note_unseen(KVOSThread *thread, KVOSUnseenChange unseen) {
  if (thread->unseenCount == KVOS_UNSEEN_LIMIT) {
    // The older half is dropped: those changes may never end.
    thread->unseenCount /= 2;
    memmove(thread->unseen, thread->unseen + thread->unseenCount, thread->unseenCount * sizeof *thread->unseen);
    thread->hasForgottenUnseen = true;
  }
  if (thread->unseenCount == thread->unseenCapacity && !kvos_grow_unseen(thread)) return;
  thread->unseen[thread->unseenCount++] = unseen;
  thread->changingMarks |= kvos_changing_mark(unseen.subject);
}

static void forget_marks(KVOSThread *thread) {
  if (thread->changeCount == 0 && thread->unseenCount == 0) thread->changingMarks = 0;
}

static void drop_unseen(KVOSThread *thread, uint32_t at) {
  thread->unseenCount--;
  memmove(thread->unseen + at, thread->unseen + at + 1, (thread->unseenCount - at) * sizeof *thread->unseen);
  forget_marks(thread);
}

static void drop_open(KVOSThread *thread, uint32_t at) {
  thread->changeCount--;
  memmove(thread->changes + at, thread->changes + at + 1, (thread->changeCount - at) * sizeof *thread->changes);
  forget_marks(thread);
}

void kvos_forget_changes(KVOSThread *thread, const void *subject) {
  for (uint32_t at = thread->unseenCount; at-- > 0;) {
    if (thread->unseen[at].subject == subject) drop_unseen(thread, at);
  }
  for (uint32_t at = thread->changeCount; at-- > 0;) {
    if (thread->changes[at].subject == subject) drop_open(thread, at);
  }
}

// Removes the newest one. Returns false if there is none of this key.
static bool take_unseen(KVOSThread *thread, const void *subject, uint32_t key, KVOSUnseenChange *taken) {
  for (uint32_t at = thread->unseenCount; at-- > 0;) {
    if (thread->unseen[at].subject != subject || thread->unseen[at].key != key) continue;
    *taken = thread->unseen[at];
    drop_unseen(thread, at);
    return true;
  }
  return false;
}

static bool push_open(KVOSThread *thread, KVOSOpenChange open) {
  if (thread->changeCount == thread->changeCapacity && !kvos_grow_changes(thread)) return false;
  thread->changes[thread->changeCount++] = open;
  thread->changingMarks |= kvos_changing_mark(open.subject);
  return true;
}

static void notify_beginning(KVOSOpenChange *open, KVOSTracked *subject) {
  if (!open->isUnnotified || open->change == 0) return;
  open->isUnnotified = false;
  uint64_t order = open->wasUnseen ? open->order : kvos_next_order(subject);
  kvos_record_change_half(false, kvos_named(subject), open->key, open->change, 0, order, open->stack);
}

// Whether a change that the thread began after the one with the number `sequence` is open in the log.
static bool has_later(const KVOSThread *thread, uint64_t sequence) {
  for (uint32_t at = thread->changeCount; at-- > 0;) {
    const KVOSOpenChange *each = &thread->changes[at];
    if (each->sequence > sequence && each->change != 0 && !each->isUnnotified) return true;
  }
  return false;
}

void kvos_adopt_unseen(KVOSThread *thread, const void *subject) {
  for (uint32_t at = 0; at < thread->unseenCount;) {
    KVOSUnseenChange unseen = thread->unseen[at];
    if (unseen.subject != subject) {
      at++;
      continue;
    }
    drop_unseen(thread, at);
    kvos_lock_registry();
    KVOSTracked *tracked = kvos_track(subject);
    uint64_t order = tracked ? kvos_next_order(tracked) : KVOS_NO_ORDER;
    kvos_unlock_registry();
    if (tracked == NULL) continue;
    // In the log it would begin inside of those that began later, and seem to cross them.
    bool isInside = has_later(thread, unseen.sequence);
    KVOSOpenChange open = {.subject = subject,
                           .tracked = tracked,
                           .key = unseen.key,
                           .stack = unseen.stack,
                           .change = kvos_next_number(),
                           .sequence = unseen.sequence,
                           .order = order,
                           .isUnnotified = true,
                           .wasUnseen = true};
    if (!push_open(thread, open)) continue;
    thread->hasUnnotifiedUnseen |= isInside;
    if (!isInside) notify_beginning(&thread->changes[thread->changeCount - 1], tracked);
  }
}

// A change has ended: those that the thread began before it may begin in the log.
static void notify_unseen(KVOSThread *thread) {
  thread->hasUnnotifiedUnseen = false;
  for (uint32_t at = 0; at < thread->changeCount; at++) {
    KVOSOpenChange *open = &thread->changes[at];
    if (!open->wasUnseen || !open->isUnnotified || open->tracked->address != open->subject) continue;
    if (has_later(thread, open->sequence)) {
      thread->hasUnnotifiedUnseen = true;
    } else {
      notify_beginning(open, open->tracked);
    }
  }
}

static void note_crossed(KVOSThread *thread, const KVOSOpenChange *open) {
  if (!kvos_semantics()->endsNewestChange || open->change == 0 || !has_later(thread, open->sequence)) return;
  memmove(thread->crossed + 1, thread->crossed, (KVOS_CROSSED_LIMIT - 1) * sizeof *thread->crossed);
  thread->crossed[0] = (KVOSCrossedChange){open->subject, open->key, open->change};
  thread->hasCrossed = true;
}

static void forget_crossed(KVOSThread *thread) {
  memset(thread->crossed, 0, sizeof thread->crossed);
  thread->hasCrossed = false;
}

uint64_t kvos_find_crossed(KVOSThread *thread, const void *subject, uint32_t key, bool isOver) {
  for (uint32_t at = 0; thread->hasCrossed && at < KVOS_CROSSED_LIMIT; at++) {
    KVOSCrossedChange *each = &thread->crossed[at];
    if (each->change == 0 || each->subject != subject || each->key != key) continue;
    uint64_t change = each->change;
    if (isOver) each->change = 0;
    return change;
  }
  return 0;
}

// MARK: - What a change is

// The object, if the Foundation notifies observers of it.
static KVOSTracked *find_observed(const void *object) {
  KVOSTracked *found = kvos_find_object(object);
  return found && found->isForgotten ? NULL : found;
}

// Whether the thread is notifying of a change of the key already: some Foundations do not notify of another one then.
static bool is_notifying(const KVOSThread *thread, const void *subject, uint32_t key) {
  static const uint32_t farthest = 64;
  uint32_t end = thread->callCount > farthest ? thread->callCount - farthest : 0;
  for (uint32_t at = thread->callCount; at-- > end;) {
    const KVOSCall *call = kvos_call(thread, at);
    if (call->hook == KVOS_DID && call->subject == subject && call->key == key) return true;
  }
  return false;
}

// Whether the thread is in the end of a change of the key, and notifies no observer at the moment: the Foundation reads
// the new value, and a getter may set it.
static bool is_reading(const KVOSThread *thread, const void *subject, uint32_t key) {
  const KVOSCall *call = kvos_last_call(thread);
  return call && call->hook == KVOS_DID && call->subject == subject && call->key == key;
}

// Whether the Foundation makes the change a part of one of the same key, and notifies of that one alone.
static bool is_merged(const KVOSThread *thread, const void *subject, uint32_t key) {
  if (kvos_semantics()->mergesNestedChanges && kvos_find_open_change(thread, subject, key) >= 0) return true;
  return kvos_semantics()->mergesChangesOfGetter && is_reading(thread, subject, key);
}

// Whether the end of the change at `open` (-1: of one that never began) may be a fault, or lead to one: then its stack
// is worth the cost.
static bool is_suspicious(const KVOSThread *thread, const KVOSTracked *subject, uint32_t key, long open) {
  if (open < 0) return true;
  const KVOSOpenChange *own = &thread->changes[open];
  if (own->isAnnounced || own->additionCount != subject->additionCount || subject->isSilenced) {
    return true;
  }
  for (uint32_t at = (uint32_t)open + 1; at < thread->changeCount; at++) {
    if (thread->changes[at].change != 0 && !thread->changes[at].isUnnotified) return true;
  }
  return thread->callCount > 0 && is_notifying(thread, own->subject, key);
}

// The kind of the change, as numbered in the log.
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
// same order, as if they crossed. Such a change begins in the log when it ends. `hook`: the half.
static bool is_dependent(const KVOSThread *thread, KVOSHook hook, const void *subject) {
  const KVOSCall *call = kvos_last_call(thread);
  return call && call->hook == hook && call->subject == subject;
}

static bool is_observed(const KVOSTracked *subject, uint32_t key) {
  bool isFound = false;
  kvos_lock_registry();
  for (const KVOSTriple *each = subject->observed; each && !isFound; each = each->nextOfSubject) {
    isFound = each->keyPath == key && (each->count > 0 || each->leftRegistration != 0);
  }
  kvos_unlock_registry();
  return isFound;
}

// Whether the Foundation begins a change that nobody can observe, and will not end it: a value is set by a key that the
// class does not have, which raises. The Foundation may observe the object itself, in the middle of a path: then
// `subject` is null.
static bool is_of_no_key(const void *object, const KVOSTracked *subject, uint32_t key, void *const *frame) {
  return kvos_is_called_by_foundation_but_setter(object, frame) && !(subject && is_observed(subject, key)) &&
         kvos_lacks_key(object, key);
}

void kvos_changes(const KVOSHookPoint *point, void *self, void *selector, uintptr_t first, uintptr_t second,
                  uintptr_t third, uintptr_t fourth) {
  Going going __attribute__((cleanup(end_going))) = {NULL, NULL};
  const void *keyObject = key_of(point->hook, first, third);
  if (kvos_may_enter() && keyObject && (going.thread = kvos_thread())) {
    KVOSThread *thread = going.thread;
    KVOSTracked *subject = find_observed(self);
    uint32_t key = 0, stack = 0;
    uint64_t change = 0;
    int number = kvos_enter();
    bool isKnown = kvos_intern_key(keyObject, &key);
    bool isRecorded = subject ? kvos_is_sampled(subject->id) : kvos_sampled_objects() > 0;
    if (KVOS_UNLIKELY(thread->hasCrossed) && thread->changeCount == 0) forget_crossed(thread);
    if (isKnown && isRecorded) stack = kvos_find_site(point, self, __builtin_frame_address(0));
    if (isKnown && subject == NULL) {
      bool isOfNoKey = is_of_no_key(self, NULL, key, __builtin_frame_address(0));
      if (!isOfNoKey) note_unseen(thread, (KVOSUnseenChange){self, key, stack, ++thread->begunCount});
    } else if (isKnown) {
      bool isMerged = is_merged(thread, self, key);
      bool isDependent = is_dependent(thread, KVOS_WILL, self);
      bool isFixed = kvos_is_fixed_key(keyObject, self, __builtin_frame_address(0));
      bool isOfNoKey = !isDependent && is_of_no_key(self, subject, key, __builtin_frame_address(0));
      change = isMerged || isOfNoKey ? 0 : kvos_next_number();
      KVOSOpenChange open = {.subject = self,
                             .tracked = subject,
                             .key = key,
                             .stack = stack,
                             .change = change,
                             .additionCount = subject->additionCount,
                             .sequence = ++thread->begunCount,
                             .isUnnotified = isDependent,
                             .fixedKeyObject = isFixed ? keyObject : NULL};
      if (!push_open(thread, open)) change = 0;
      if (change && !isDependent) {
        kvos_record_change_half(false, kvos_named(subject), key, change, kind_of(point->hook, first, second),
                                kvos_next_order(subject), stack);
      }
    }
    // Also for objects that are not observed themselves: a path may lead through them.
    going.call = kvos_begin_call(thread,
                                 (KVOSCall){.hook = KVOS_WILL,
                                            .subject = self,
                                            .tracked = subject,
                                            .key = key,
                                            .keyObject = keyObject,
                                            .change = change},
                                 (uintptr_t)__builtin_frame_address(0));
    kvos_leave(number);
  }
  point->original(self, selector, first, second, third, fourth);
}

// Finds an observer that was deallocated while registered, and would be notified now if the runtime continued. Returns
// the registration, or 0.
static uint64_t find_deallocated(KVOSTracked *subject, uint32_t key, uint64_t *order) {
  if (atomic_load_explicit(&subject->deallocatedCount, memory_order_relaxed) == 0) return 0;
  uint64_t found = 0;
  kvos_lock_registry();
  for (KVOSTriple *each = subject->observed; each; each = each->nextOfSubject) {
    bool isDying = each->isDying && each->count > 0;
    if (!(isDying || each->leftRegistration != 0) || each->keyPath != key) continue;
    found = isDying ? each->live[each->count - 1].id : each->leftRegistration;
    *order = kvos_next_order(subject);
    break;
  }
  kvos_unlock_registry();
  return found;
}

// Setters pass the same string object at both ends, and retain it in between; a literal never changes: such a key is read
// once, and its object is looked up once. Null: this may be the end of another change.
static const KVOSOpenChange *find_own(const KVOSThread *thread, const void *subject, const void *keyObject) {
  const KVOSOpenChange *last = thread->changeCount > 0 ? &thread->changes[thread->changeCount - 1] : NULL;
  bool isOwn =
      last && last->subject == subject && last->fixedKeyObject == keyObject && last->tracked->address == subject;
  return isOwn ? last : NULL;
}

// Writes the end of a change into the log. Returns its number; 0: it is not in the log.
static uint64_t end_change(KVOSThread *thread, KVOSTracked *subject, uint32_t key, unsigned kind,
                           const KVOSHookPoint *point, void *const *frame) {
  long open = kvos_find_open_change(thread, subject->address, key);
  uint32_t stack = 0;
  if (kvos_is_sampled(subject->id)) {
    stack =
        is_suspicious(thread, subject, key, open) ? kvos_stack_id() : kvos_find_site(point, subject->address, frame);
  }
  KVOSUnseenChange unseen;
  uint64_t change = 0;
  if (open >= 0) {
    change = thread->changes[open].change;
    notify_beginning(&thread->changes[open], subject);
    note_crossed(thread, &thread->changes[open]);
    drop_open(thread, (uint32_t)open);
  } else if (take_unseen(thread, subject->address, key, &unseen)) {
    // Another thread has registered in the meantime. It began before all recorded events of the object.
    change = kvos_next_number();
    kvos_record_change_half(false, kvos_named(subject), key, change, 0, 0, unseen.stack);
  } else if (!thread->hasForgottenUnseen && !is_dependent(thread, KVOS_DID, subject->address)) {
    // That of the key on which another one depends is the only mistake.
    change = kvos_next_number();
  }
  if (change == 0) return 0;
  kvos_record_change_half(true, kvos_named(subject), key, change, kind, kvos_next_order(subject), stack);
  uint64_t order = KVOS_NO_ORDER;
  uint64_t leftRegistration = open >= 0 ? find_deallocated(subject, key, &order) : 0;
  KVOSNotification notification = {subject->id, leftRegistration, KVOS_PHASE_AFTER, change};
  if (leftRegistration) kvos_record_notify(&notification, order, kvos_stack_id_of(notification.subject));
  return change;
}

void kvos_changed(const KVOSHookPoint *point, void *self, void *selector, uintptr_t first, uintptr_t second,
                  uintptr_t third, uintptr_t fourth) {
  Going going __attribute__((cleanup(end_going))) = {NULL, NULL};
  const void *keyObject = key_of(point->hook, first, third);
  if (kvos_may_enter() && keyObject && (going.thread = kvos_thread())) {
    KVOSThread *thread = going.thread;
    const KVOSOpenChange *own = find_own(thread, self, keyObject);
    KVOSTracked *subject = own ? own->tracked : find_observed(self);
    uint32_t key = own ? own->key : 0;
    int number = kvos_enter();
    uint64_t change = 0;
    bool isKnown = own || kvos_intern_key(keyObject, &key);
    KVOSUnseenChange unseen;
    if (isKnown && subject == NULL) {
      take_unseen(thread, self, key, &unseen);
    } else if (isKnown) {
      change = end_change(thread, subject, key, kind_of(point->hook, first, second), point, __builtin_frame_address(0));
    }
    if (KVOS_UNLIKELY(thread->hasUnnotifiedUnseen)) notify_unseen(thread);
    going.call = kvos_begin_call(thread,
                                 (KVOSCall){.hook = KVOS_DID,
                                            .subject = self,
                                            .tracked = subject,
                                            .key = key,
                                            .keyObject = keyObject,
                                            .change = change},
                                 (uintptr_t)__builtin_frame_address(0));
    kvos_leave(number);
  }
  point->original(self, selector, first, second, third, fourth);
}
