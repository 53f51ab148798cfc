// What the files of the preloaded library share. Nothing outside this target includes it.
//
// Locks: `kvos_lock_registry()` guards objects, triples and what hangs on them. No method is called with it
// held, and no original. Names are interned inside, which may take the recorder's lock; nothing of this
// library's is taken inside that.
//
// What runs in the program's threads must not disturb it: nothing here raises, ends the process or waits
// for anything but these locks, and errno stays as it was (kvos_enter(), kvos_leave()).

#ifndef PRELOAD_H
#define PRELOAD_H

#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CKVORecorder.h"
#include "CKVORuntime.h"

#define KVOS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define KVOS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

// MARK: Objects

struct KVOSTriple;

/// An object that observes or is observed, from its first registration to its death.
///
/// The memory of one is used for another later, and never given back: a thread that found it without
/// the lock may still read it.
typedef struct KVOSTracked {
  /// Written before the object is found, and not again while it lives.
  const void *address;
  uint64_t id;
  void *class;
  uint32_t className;
  /// The last place given out among the events of this object.
  _Atomic uint64_t order;
  /// How many registrations on it have an observer that died, and are still the runtime's.
  _Atomic uint32_t deadCount;
  /// Whether its class was hooked for an observer, and whether that passes on what it is told.
  bool isPrepared;
  bool passesOn;
  /// Whether an observer of it ever was one that passes on what it is told.
  bool isPassedOn;
  /// Whether an exception left a callback that told of it: some Foundations tell nobody any more.
  _Atomic bool isSilenced;
  /// How many registrations were made on it.
  _Atomic uint64_t additionCount;
  /// Of the Foundation's own observer: the object that it tells, and that object's number. It is in no event.
  const void *forwardsTo;
  uint64_t forwardsToID;
  // The rest under the lock.
  struct KVOSTriple *observed;
  struct KVOSTriple *observing;
  struct KVOSTracked *nextFree;
} KVOSTracked;

/// The tracked object at the address, or null. No lock, some nanoseconds. Valid as long as the caller keeps
/// it alive. Only where kvos_may_enter() said yes: it may take the lock after all.
KVOSTracked *kvos_find_object(const void *address);

typedef struct {
  _Atomic uintptr_t address;
  KVOSTracked *object;
} KVOSObjectSlot;

/// A byte for each slot stands apart from it: 0 where the slot is free, else some bits of the address. Most
/// objects that are asked for are not there, and their byte says so: what is read for them is a sixteenth of
/// the table, and stays in the processor's cache.
typedef struct {
  uint64_t mask;
  KVOSObjectSlot *slots;
  _Atomic uint8_t marks[];
} KVOSObjectTable;

/// Never null. objects.c says who may change these, and how.
extern _Atomic(KVOSObjectTable *) kvos_objectTable;
extern _Atomic uint64_t kvos_objectVersion;

/// Where an object is looked for first. Objects of one kilobyte are neighbours in the table, and kilobytes are
/// scattered: what a program allocates and deallocates one behind the other is then asked for in few lines of
/// the processor's cache, whatever number of objects there are.
static inline uint64_t kvos_object_home(uintptr_t address, uint64_t mask) {
  uint64_t region = (address >> 10) * 0x9E3779B97F4A7C15u >> 32;
  return (region << 6 | (address >> 4 & 63)) & mask;
}

/// Whether the object is certainly not tracked. False: kvos_find_object() knows. No lock, no call.
static inline bool kvos_is_strange(const void *object) {
  // acquire, and the fence: as in kvos_find_object().
  uint64_t before = atomic_load_explicit(&kvos_objectVersion, memory_order_acquire);
  KVOSObjectTable *present = atomic_load_explicit(&kvos_objectTable, memory_order_acquire);
  uint64_t at = kvos_object_home((uintptr_t)object, present->mask);
  uint8_t mark = atomic_load_explicit(&present->marks[at], memory_order_acquire);
  atomic_thread_fence(memory_order_acquire);
  uint64_t after = atomic_load_explicit(&kvos_objectVersion, memory_order_relaxed);
  return mark == 0 && before == after && (before & 1) == 0;
}

/// The same; begins to track it where it is not. The lock is held. Null: no memory.
KVOSTracked *kvos_track(const void *address);

/// Tracks the Foundation's own observer, which tells `target`. The lock is held.
void kvos_track_forwarder(const void *address, const KVOSTracked *target);

/// Takes the object out: its address is free for another. The lock is held.
void kvos_untrack(KVOSTracked *object);

/// Gives its memory to the next one. The lock is held, and nothing refers to it any more.
void kvos_recycle(KVOSTracked *object);

/// The next place among the events of the object.
static inline uint64_t kvos_next_order(KVOSTracked *object) {
  // relaxed: the numbers are compared, and publish nothing.
  return atomic_fetch_add_explicit(&object->order, 1, memory_order_relaxed) + 1;
}

void kvos_lock_registry(void);
void kvos_unlock_registry(void);

// MARK: Registrations

typedef struct {
  uint64_t id;
  uintptr_t context;
  /// The change that its observer was told of last, times two, and one if that was before it.
  uint64_t told;
} KVOSRegistration;

/// All registrations of one observer with one object for one key path.
typedef struct KVOSTriple {
  KVOSTracked *subject;
  KVOSTracked *observer;
  uint32_t keyPath;
  /// Live ones, the newest last.
  uint32_t count, capacity;
  KVOSRegistration *live;
  KVOSRegistration inlineLive[1];
  /// The last that ended, or 0.
  uint64_t lastEnded;
  /// Of an observer that died registered: the registration that the runtime still has, or 0.
  uint64_t dead;
  /// The change that it was told of last, where it passes that on.
  uint64_t toldChange;
  struct KVOSTriple *nextOfSubject, **linkOfSubject;
  struct KVOSTriple *nextOfObserver, **linkOfObserver;
  struct KVOSTriple *nextInBucket;
} KVOSTriple;

// All with the lock held.

KVOSTriple *kvos_find_triple(const KVOSTracked *subject, const KVOSTracked *observer,
                             uint32_t keyPath);
/// The same; makes it where there is none. Null: no memory.
KVOSTriple *kvos_make_triple(KVOSTracked *subject, KVOSTracked *observer, uint32_t keyPath);
bool kvos_push_registration(KVOSTriple *triple, KVOSRegistration registration);
/// Takes out the live registration at `index`, and returns it.
KVOSRegistration kvos_take_registration(KVOSTriple *triple, uint32_t index);
/// Takes a triple out of everything and frees it.
void kvos_drop_triple(KVOSTriple *triple);
/// Takes a triple out of its observer's list and of what finds it by name: the observer is dead.
void kvos_orphan_triple(KVOSTriple *triple);

// MARK: Threads

/// A call that is going on in a hooked method.
typedef struct {
  KVOSHook hook;
  /// Whether nobody took what the observer was told, and the log has the end of it.
  bool isUnhandled;
  /// Whether it goes no further than to the root class, which would raise.
  bool isContained;
  /// Whether it has returned, as against being left by an exception.
  bool hasReturned;
  /// Whether an exception came out of a callback inside.
  bool hasFailedInside;
  const void *subject;
  /// Of a change, the books of `subject`; valid while their address is that.
  KVOSTracked *tracked;
  const void *observer;
  const void *keyObject;
  uint32_t key;
  uint64_t change;
  /// What a callback is told, as KVOSPhase.
  unsigned phase;
  uint64_t registration;
  /// Where the stack was: a call whose place is below the present one is over.
  uintptr_t place;
} KVOSCall;

/// A change that has begun and not ended.
typedef struct {
  const void *subject;
  /// The books of `subject`; valid while their address is that.
  KVOSTracked *tracked;
  uint32_t key;
  /// The stack of its beginning, where the program itself says that it begins; else 0.
  uint32_t stack;
  /// 0: it is not in the log.
  uint64_t change;
  /// How many additions `subject` had seen.
  uint64_t additionCount;
  /// Whether its beginning is not in the log yet.
  bool isUntold;
  /// Whether somebody was told that it is coming.
  bool isAnnounced;
  const void *keyObject;
} KVOSOpenChange;

/// A change that began before anybody observed its object.
typedef struct {
  const void *subject;
  uint32_t key;
  uint32_t stack;
} KVOSUnseenChange;

/// An exception on its way through the thread.
typedef struct {
  const void *exception;
  uint32_t name;
  uint32_t stack;
} KVOSRaised;

#define KVOS_CALL_PAGE_SIZE 64u
#define KVOS_UNSEEN_LIMIT 4096u
#define KVOS_KNOWN_KEY_COUNT 16u

/// A key that the thread read lately, with its text, which stays.
typedef struct {
  const uint8_t *bytes;
  uint32_t byteCount;
  uint32_t key;
} KVOSKnownKey;

/// What this library keeps of a thread. Its own thread's alone; a signal handler of the program that
/// calls a hooked method finds `isInside` set where it interrupted one.
///
/// Nothing of it has a limit but memory: where that runs out, what could not be noted is in the log as dropped.
typedef struct {
  uint32_t callCount, callPageCount;
  uint32_t changeCount, changeCapacity;
  uint32_t unseenCount, unseenCapacity;
  uint32_t scopeCount, scopeCapacity;
  /// Pages, because a call that is going on must stay where it is.
  KVOSCall **callPages;
  KVOSOpenChange *changes;
  KVOSUnseenChange *unseen;
  uint64_t *scopes;
  /// Whether an unseen change was forgotten: an end without a beginning then says nothing.
  bool hasForgottenUnseen;
  KVOSRaised raised;
  KVOSKnownKey knownKeys[KVOS_KNOWN_KEY_COUNT];
} KVOSThread;

extern __thread int kvos_inside __attribute__((tls_model("initial-exec")));
extern __thread KVOSThread *kvos_ownThread __attribute__((tls_model("initial-exec")));

/// Makes what is kept of the calling thread. Null: no memory.
KVOSThread *kvos_make_thread(void);

/// The calling thread, or null where there is no memory.
static inline KVOSThread *kvos_thread(void) {
  KVOSThread *own = kvos_ownThread;
  return KVOS_LIKELY(own != NULL) ? own : kvos_make_thread();
}

/// The scope of what the calling thread records, as the recorder wants it.
static inline uint64_t kvos_scope(void) {
  const KVOSThread *own = kvos_ownThread;
  return own && own->scopeCount > 0 ? (own->scopes[own->scopeCount - 1] << 2) + 1 : 0;
}

/// The call at `index`, which is below the count; 0 is the outermost.
static inline KVOSCall *kvos_call(const KVOSThread *thread, uint32_t index) {
  return &thread->callPages[index / KVOS_CALL_PAGE_SIZE][index % KVOS_CALL_PAGE_SIZE];
}

/// The innermost call that is going on, or null.
static inline KVOSCall *kvos_last_call(const KVOSThread *thread) {
  return thread->callCount > 0 ? kvos_call(thread, thread->callCount - 1) : NULL;
}

/// Makes room for one more. False: no memory; that something is missing is in the log then.
bool kvos_grow_calls(KVOSThread *thread);
bool kvos_grow_changes(KVOSThread *thread);
bool kvos_grow_unseen(KVOSThread *thread);
bool kvos_grow_scopes(KVOSThread *thread);

/// Forgets calls that were left by a jump: their place is not above the present one.
static inline void kvos_forget_left_calls(KVOSThread *thread, uintptr_t place) {
  while (thread->callCount > 0 && kvos_call(thread, thread->callCount - 1)->place <= place) {
    thread->callCount--;
  }
}

/// Begins a call; null: no memory. Ended by kvos_end_call(), also where an exception leaves it.
static inline KVOSCall *kvos_begin_call(KVOSThread *thread, KVOSCall call, uintptr_t place) {
  kvos_forget_left_calls(thread, place);
  bool isFull = thread->callCount == thread->callPageCount * KVOS_CALL_PAGE_SIZE;
  if (KVOS_UNLIKELY(isFull) && !kvos_grow_calls(thread)) return NULL;
  call.place = place;
  KVOSCall *begun = kvos_call(thread, thread->callCount++);
  *begun = call;
  return begun;
}

static inline void kvos_end_call(KVOSThread *thread, const KVOSCall *call) {
  // A call that was left by a jump is gone already.
  for (uint32_t index = thread->callCount; index-- > 0;) {
    if (kvos_call(thread, index) != call) continue;
    thread->callCount = index;
    return;
  }
}

/// Whether the work of a hook may begin: false inside one, where methods go through as they are.
static inline bool kvos_may_enter(void) { return kvos_inside == 0; }

/// Between these, hooked methods that are called go through as they are. Returns errno, to give back.
static inline int kvos_enter(void) {
  kvos_inside++;
  return errno;
}

static inline void kvos_leave(int number) {
  kvos_inside--;
  errno = number;
}

// MARK: Events

/// An object as an event names it, copied, so that it may die meanwhile.
typedef struct {
  uint64_t id;
  uint32_t className;
} KVOSNamed;

static inline KVOSNamed kvos_named(const KVOSTracked *object) {
  return (KVOSNamed){object->id, object->className};
}

/// The context of an addition or a removal.
typedef struct {
  bool isSaid;
  uintptr_t value;
} KVOSContext;

typedef enum { KVOS_BY_USER = 0, KVOS_BY_OBSERVER = 4, KVOS_BY_RUNTIME = 5 } KVOSCause;
typedef enum {
  KVOS_NIL_PATH = 0, KVOS_EMPTY_PATH = 1, KVOS_UNKNOWN_KEY = 2, KVOS_NOT_OBSERVABLE = 5
} KVOSRefusal;
typedef enum { KVOS_INITIAL = 0, KVOS_PRIOR = 1, KVOS_AFTER = 2 } KVOSPhase;

/// An addition or a removal, as events describe it.
typedef struct {
  KVOSNamed subject;
  /// Id 0: none.
  KVOSNamed observer;
  uint32_t keyPath;
  KVOSContext context;
  unsigned long options;
  /// 0: none.
  uint64_t registration;
  uint64_t order;
} KVOSAct;

void kvos_record_register(const KVOSAct *act, uint32_t stack);
void kvos_record_register_end(uint64_t registration);
void kvos_record_refused(const KVOSAct *act, KVOSRefusal reason, uint32_t stack);
void kvos_record_remove(const KVOSAct *act, bool isEnd, uint32_t stack);
void kvos_record_cancel(uint64_t registration, KVOSCause cause, uint64_t order, uint32_t stack);
void kvos_record_change_half(bool isEnd, KVOSNamed subject, uint32_t key, uint64_t change,
                             unsigned kind, uint64_t order, uint32_t stack);
void kvos_record_notify(uint64_t registration, KVOSPhase phase, uint64_t change, uint64_t order,
                        uint32_t stack);
void kvos_record_notify_end(uint64_t registration, KVOSPhase phase, uint64_t change,
                            bool isHandled, uint64_t order, uint32_t stack);
/// The same for a callback that an exception left: what that is called, and where it was raised.
void kvos_record_notify_left(uint64_t registration, KVOSPhase phase, uint64_t change,
                             const KVOSRaised *raised);
void kvos_record_dropped(const char *why);
void kvos_record_death(bool isEnd, KVOSNamed object, uint64_t order, uint32_t stack);
void kvos_record_class(KVOSNamed object, uint32_t className);
void kvos_record_scope(bool isEnd, uint64_t scope, uint64_t parent, const char *name);
void kvos_record_exit(int status);

/// Finds the names of methods in images that have none themselves, where classes came since the last time.
void kvos_prepare_names(void);
/// Classes came.
void kvos_forget_names(void);
extern atomic_bool kvos_hasNames;

/// The id of the calling thread's stack.
static inline uint32_t kvos_stack_id(void) {
  if (KVOS_UNLIKELY(!atomic_load_explicit(&kvos_hasNames, memory_order_relaxed))) kvos_prepare_names();
  return kvos_capture_stack_id(true);
}

/// The id of a text of this process.
uint32_t kvos_intern_text(const char *text);

/// The stack of one call alone, whose return address this is.
static inline uint32_t kvos_site_id(uintptr_t returnAddress) {
  return kvos_intern_stack(&returnAddress, 1);
}

/// The id of the text of a key or key path. False: it is no text.
bool kvos_intern_key(const void *string, uint32_t *key);

/// A number that no registration, change or scope had before.
uint64_t kvos_next_number(void);

/// Puts into the log, once for each, what is wrong with the key of an addition that the runtime took in silence.
void kvos_note_problems(const KVOSAct *act, const void *subject, uint32_t stack);

/// Has keys whose dependencies a class declares as this runtime wants it be left alone. Once.
void kvos_watch_dependencies(void);

typedef enum { KVOS_NO_ACCESSOR = 1, KVOS_IGNORED_DEPENDENCIES = 2 } KVOSProblem;
void kvos_record_problem(uint32_t className, uint32_t key, KVOSProblem problem, uint32_t stack);

// MARK: Containment

/// The rules that can be contained.
typedef enum {
  KVOS_CONTAINS_DOUBLE_REMOVALS = 1, KVOS_CONTAINS_UNREGISTERED = 2, KVOS_CONTAINS_OBSERVERS = 4,
  KVOS_CONTAINS_DELIVERIES = 8, KVOS_CONTAINS_UNHANDLED = 16, KVOS_CONTAINS_PATHS = 32
} KVOSContained;

/// Reads KVO_SAFETY_CONTAIN, and says on standard error what of it is no rule that can be contained.
void kvos_read_containment(const char *text);
bool kvos_contains(KVOSContained rule);

// MARK: Hooks

void kvos_added(const KVOSHookPoint *, void *, void *, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
void kvos_removed(const KVOSHookPoint *, void *, void *, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
void kvos_told(const KVOSHookPoint *, void *, void *, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
void kvos_changes(const KVOSHookPoint *, void *, void *, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
void kvos_changed(const KVOSHookPoint *, void *, void *, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
void kvos_dealloced(const KVOSHookPoint *, void *, void *);

/// The index of the newest open change of this key in the thread, or -1.
long kvos_find_open_change(const KVOSThread *thread, const void *subject, uint32_t key);

/// Puts changes of the object that the thread began before anybody observed it into the log: a registration
/// is about to be made.
void kvos_adopt_unseen(KVOSThread *thread, const void *subject);

/// The thread raises an exception: remembered if a callback is going on.
void kvos_note_raised(KVOSThread *thread, const void *exception);

/// A tracked object is being deallocated. Called once for each.
void kvos_object_dies(void *object);

// MARK: The log

/// Opens the log that the environment names. 0, or an errno; what is wrong was said then.
int kvos_open_log(const char *pattern);

/// Ends the log, and says on standard error what it lost.
void kvos_close_log(void);

/// Writes a line to standard error, whatever state that is in.
void kvos_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
