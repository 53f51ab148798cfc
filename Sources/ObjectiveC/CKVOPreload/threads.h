// What a thread of the program has begun: calls in hooked methods, changes, exceptions on their way.

#ifndef THREADS_H
#define THREADS_H

#include <errno.h>

#include "registrations.h"

/// A running call of a hooked method.
typedef struct {
  KVOSHook hook;
  /// Whether it is an override of an addition or a removal by the program: none of it is in the log yet.
  bool isPending;
  /// Whether no class handled the notification, and its end is in the log.
  bool isUnhandled;
  /// Whether it reaches only the root class, which would raise.
  bool isContained;
  /// Whether it has returned, as opposed to being left by an exception.
  bool hasReturned;
  /// Whether an exception left a callback inside.
  bool hasFailedInside;
  const void *subject;
  /// For a change, the tracking record of `subject`; valid while the record has that address.
  KVOSTracked *tracked;
  const void *observer;
  const void *keyObject;
  uint32_t key;
  uint64_t change;
  /// Of a callback: its phase, as KVOSPhase, and the number of `subject`.
  unsigned phase;
  uint64_t subjectID;
  uint64_t registration;
  /// Of a pending one: its stack, and the context of a removal that says one.
  uint32_t stack;
  uintptr_t context;
  /// The frame of the call: one that is below the present frame has ended.
  uintptr_t frame;
  /// Of an addition that the Foundation carries out: what it left on the stack, as long as the call runs.
  void *addition;
} KVOSCall;

/// A change that has begun and not ended.
typedef struct {
  const void *subject;
  /// The tracking record of `subject`; valid while the record has that address.
  KVOSTracked *tracked;
  uint32_t key;
  /// The stack of its beginning, if the program itself announces it; else 0.
  uint32_t stack;
  /// 0: it is not in the log.
  uint64_t change;
  /// How many additions `subject` had seen.
  uint64_t additionCount;
  /// Its number among the changes that the thread began.
  uint64_t sequence;
  /// Whether its beginning is not in the log yet.
  bool isUnnotified;
  /// Whether it began before its object was observed. If others that began later were in the log by then, it is not.
  bool wasUnseen;
  /// Of an unseen one: its position in the order of the object's events, before that of the registration.
  uint64_t order;
  /// Whether a prior notification was sent.
  bool isAnnounced;
  /// The object of `key`, if its text stays what it is; else null.
  const void *fixedKeyObject;
} KVOSOpenChange;

/// A change that began before its object was observed.
typedef struct {
  const void *subject;
  uint32_t key;
  uint32_t stack;
  uint64_t sequence;
} KVOSUnseenChange;

/// A change that ended while others that began after it were open. A Foundation that ends the newest change whatever
/// its key is notifies of it when the last of them ends.
typedef struct {
  const void *subject;
  uint32_t key;
  uint64_t change;
} KVOSCrossedChange;

/// An exception that is propagating on the thread.
typedef struct {
  const void *exception;
  uint32_t name;
  uint32_t stack;
  /// Whether it has left a callback, and may leave those around it. If it is caught in between, another one may have its
  /// address.
  bool hasLeft;
} KVOSRaised;

/// An object that the thread deallocates while it observes or is observed. It may be removed until its memory is freed:
/// what is associated with it, and what its variables release, may do that. No other thread finds it, because its
/// address may be reused a moment before the deallocation returns.
typedef struct KVOSDying {
  const void *address;
  KVOSTracked *object;
  /// The Foundation's record of its observers, or null.
  const void *records;
  /// The stack of the deallocation.
  uint32_t stack;
  /// The frame of the hook: one that is below the present frame was left by a jump.
  uintptr_t frame;
  struct KVOSDying *outer;
  /// Memory for a list of its registrations: none is allocated or freed between the object's and the program's next.
  void *room;
  uint32_t roomCount;
} KVOSDying;

#define KVOS_CALL_PAGE_SIZE 64u
#define KVOS_UNSEEN_LIMIT 4096u
#define KVOS_KNOWN_KEY_COUNT 16u
#define KVOS_CROSSED_LIMIT 4u

/// A key that the thread read lately, with its text, which is never freed.
typedef struct {
  const uint8_t *bytes;
  uint32_t byteCount;
  uint32_t key;
} KVOSKnownKey;

/// This library's record of a thread. Only its own thread uses it; a signal handler of the program that calls a hooked
/// method finds `isInside` set if it interrupted one.
///
/// It is limited only by memory: if that runs out, the unrecorded events are logged as dropped.
typedef struct {
  uint32_t callCount, callPageCount;
  uint32_t changeCount, changeCapacity;
  uint32_t unseenCount, unseenCapacity;
  uint32_t scopeCount, scopeCapacity;
  /// Pages, because a running call must not move.
  KVOSCall **callPages;
  KVOSOpenChange *changes;
  KVOSUnseenChange *unseen;
  uint64_t *scopes;
  /// How many changes the thread has begun.
  uint64_t begunCount;
  /// A bit for each object of `changes` and `unseen`: if it is not set, the object is in neither.
  uint64_t changingMarks;
  /// Whether an unseen change was dropped: an end without a beginning then says nothing.
  bool hasForgottenUnseen;
  /// Whether one of `changes` may be unseen and not in the log yet.
  bool hasUnnotifiedUnseen;
  /// Whether a change has crossed another one since the thread last had no open change, and the last of them, the newest
  /// first; of change 0: none.
  bool hasCrossed;
  KVOSCrossedChange crossed[KVOS_CROSSED_LIMIT];
  KVOSRaised raised;
  /// The innermost one, or null; and a list of unused ones.
  KVOSDying *dying, *spareDying;
  KVOSKnownKey knownKeys[KVOS_KNOWN_KEY_COUNT];
} KVOSThread;

extern __thread int kvos_inside __attribute__((tls_model("initial-exec")));
extern __thread KVOSThread *kvos_ownThread __attribute__((tls_model("initial-exec")));

/// Creates the record of the calling thread. Null: no memory.
KVOSThread *kvos_make_thread(void);

/// The calling thread, or null if there is no memory.
static inline KVOSThread *kvos_thread(void) {
  KVOSThread *own = kvos_ownThread;
  return KVOS_LIKELY(own != NULL) ? own : kvos_make_thread();
}

/// The object at the address if the calling thread is deallocating it, or null.
KVOSTracked *kvos_find_in_deallocation(const KVOSThread *thread, const void *address);

static inline KVOSTracked *kvos_find_dying(const void *address) {
  const KVOSThread *own = kvos_ownThread;
  return KVOS_UNLIKELY(own && own->dying) ? kvos_find_in_deallocation(own, address) : NULL;
}

/// That, or the tracked object at the address, or null.
static inline KVOSTracked *kvos_find_known(const void *address) {
  KVOSTracked *dying = kvos_find_dying(address);
  return dying ? dying : kvos_find_object(address);
}

/// The scope of the calling thread's events, as the recorder expects it.
static inline uint64_t kvos_scope(void) {
  const KVOSThread *own = kvos_ownThread;
  return own && own->scopeCount > 0 ? (own->scopes[own->scopeCount - 1] << 2) + 1 : 0;
}

/// The call at `index`, which is below the count; 0 is the outermost.
static inline KVOSCall *kvos_call(const KVOSThread *thread, uint32_t index) {
  return &thread->callPages[index / KVOS_CALL_PAGE_SIZE][index % KVOS_CALL_PAGE_SIZE];
}

/// The innermost running call, or null.
static inline KVOSCall *kvos_last_call(const KVOSThread *thread) {
  return thread->callCount > 0 ? kvos_call(thread, thread->callCount - 1) : NULL;
}

/// The bit of the object in `changingMarks`.
static inline uint64_t kvos_changing_mark(const void *object) {
  return (uint64_t)1 << ((uintptr_t)object * 0x9E3779B97F4A7C15u >> 58);
}

/// Drops the thread's open changes of a deallocated object: its address may be reused.
void kvos_forget_changes(KVOSThread *thread, const void *subject);

/// Whether this thread may have an open change of the object. If false, it certainly has none.
static inline bool kvos_may_be_changing(const void *subject) {
  const KVOSThread *own = kvos_ownThread;
  return own && (own->changingMarks & kvos_changing_mark(subject));
}

/// The same as kvos_forget_changes(), if there may be such a change.
static inline void kvos_end_changes(const void *subject) {
  if (KVOS_UNLIKELY(kvos_may_be_changing(subject))) kvos_forget_changes(kvos_ownThread, subject);
}

/// Makes space for one more. Returns false if there is no memory; the log then notes that events are missing.
bool kvos_grow_calls(KVOSThread *thread);
bool kvos_grow_changes(KVOSThread *thread);
bool kvos_grow_unseen(KVOSThread *thread);
bool kvos_grow_scopes(KVOSThread *thread);

/// Drops calls that were left by a jump: their frame is not above the present one.
static inline void kvos_forget_left_calls(KVOSThread *thread, uintptr_t frame) {
  while (thread->callCount > 0 && kvos_call(thread, thread->callCount - 1)->frame <= frame) {
    thread->callCount--;
  }
}

/// Begins a call; null: no memory. Ended by kvos_end_call(), even if an exception leaves it.
static inline KVOSCall *kvos_begin_call(KVOSThread *thread, KVOSCall call, uintptr_t frame) {
  kvos_forget_left_calls(thread, frame);
  bool isFull = thread->callCount == thread->callPageCount * KVOS_CALL_PAGE_SIZE;
  if (KVOS_UNLIKELY(isFull) && !kvos_grow_calls(thread)) return NULL;
  call.frame = frame;
  KVOSCall *begun = kvos_call(thread, thread->callCount++);
  *begun = call;
  return begun;
}

static inline void kvos_end_call(KVOSThread *thread, const KVOSCall *call) {
  // A call that was left by a jump has been dropped already.
  for (uint32_t index = thread->callCount; index-- > 0;) {
    if (kvos_call(thread, index) != call) continue;
    thread->callCount = index;
    return;
  }
}

/// Whether the work of a hook may begin: false inside another hook, where methods are passed through.
static inline bool kvos_may_enter(void) { return kvos_inside == 0; }

/// Between these, hooked methods are passed through. Returns errno, to be restored.
static inline int kvos_enter(void) {
  kvos_inside++;
  return errno;
}

static inline void kvos_leave(int number) {
  kvos_inside--;
  errno = number;
}

#endif
