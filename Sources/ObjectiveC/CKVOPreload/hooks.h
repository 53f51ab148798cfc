// What the hooked methods do, and what of it is contained.

#ifndef HOOKS_H
#define HOOKS_H

#include "events.h"

/// The rules that can be contained.
typedef enum {
  KVOS_CONTAINS_DOUBLE_REMOVALS = 1,
  KVOS_CONTAINS_UNREGISTERED = 2,
  KVOS_CONTAINS_OBSERVERS = 4,
  KVOS_CONTAINS_DELIVERIES = 8,
  KVOS_CONTAINS_UNHANDLED = 16,
  KVOS_CONTAINS_PATHS = 32,
  KVOS_CONTAINS_OBSERVED = 64,
  KVOS_CONTAINS_REMOVALS = 128,
  KVOS_CONTAINS_CLASSES = 256,
  KVOS_CONTAINS_CONTEXTS = 512
} KVOSContained;

/// Reads KVO_SAFETY_CONTAIN, and reports on standard error which parts of it are not rules that can be contained.
void kvos_read_containment(const char *text);
bool kvos_contains(KVOSContained rule);

// MARK: Hooks

void kvos_added(const KVOSHookPoint *, void *, void *, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
void kvos_removed(const KVOSHookPoint *, void *, void *, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
void kvos_told(const KVOSHookPoint *, void *, void *, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
void kvos_changes(const KVOSHookPoint *, void *, void *, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
void kvos_changed(const KVOSHookPoint *, void *, void *, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
void kvos_dealloced(const KVOSHookPoint *, void *, void *);

/// The enclosing call of the thread that was seen already, an addition or a removal; or null.
const KVOSCall *kvos_find_begun(const KVOSThread *thread, bool isAddition, const void *subject, const void *observer,
                                const void *keyObject);

/// The id of the stack of an addition or a removal: that of the outermost call, if `begun` is an override of the
/// program, or else of this one. 0 if the object with this number is left out.
uint32_t kvos_stack_of_call(const KVOSCall *begun, uint64_t object);

/// Calls the program's override of an addition or a removal, and marks `call` as pending meanwhile.
void kvos_pass_override(const KVOSHookPoint *point, KVOSThread *thread, KVOSCall call, uintptr_t frame, void *selector,
                        const uintptr_t arguments[4]);

/// Records a path that no runtime accepts, and its effect on this object. Returns whether the original may be called.
bool kvos_refuse_call(const KVOSHookPoint *point, KVOSAct *act, const KVOSCall *begun, const void *subject,
                      const void *observer, const void *keyObject);

/// The index of the newest open change of this key in the thread, or -1.
long kvos_find_open_change(const KVOSThread *thread, const void *subject, uint32_t key);

/// The change of this key that ended while another one was open, if its observers may be notified now, else 0. `isOver`:
/// they were notified in time.
uint64_t kvos_find_crossed(KVOSThread *thread, const void *subject, uint32_t key, bool isOver);

/// The stack of the single call that announces a change: of the program's call of a setter that the Foundation
/// generated, or 0. For other changes that the Foundation makes, as a collection's proxy does, it is the whole stack:
/// the program's call is further out. `frame` is that of the handler.
uint32_t kvos_find_site(const KVOSHookPoint *point, const void *subject, void *const *frame);

/// Whether the address is in the Foundation's image, as the methods of its own classes are.
bool kvos_is_in_foundation(uintptr_t address);

/// Whether the hooked method is the Foundation's own, and no override or replacement of the program.
bool kvos_is_of_foundation(const KVOSHookPoint *point);

/// Whether it is that of the Foundation's root class, and not of a program's root class or category.
bool kvos_is_foundation_root(const KVOSHookPoint *point);

/// Whether the Foundation itself calls the hooked method whose handler has this frame.
bool kvos_is_called_by_foundation(void *const *frame);

/// The same, unless a setter that the Foundation generated calls it.
bool kvos_is_called_by_foundation_but_setter(const void *subject, void *const *frame);

/// Whether the key of a change is the same text for as long as the change is open: a literal, or what a setter that the
/// Foundation generated passes at both ends. Other strings may be changed meanwhile, or their address reused.
bool kvos_is_fixed_key(const void *keyObject, const void *subject, void *const *frame);

/// Logs changes of the object that the thread began before it was observed: a registration is about to be made.
void kvos_adopt_unseen(KVOSThread *thread, const void *subject);

/// The thread raises an exception: stored if a callback is running.
void kvos_note_raised(KVOSThread *thread, const void *exception);

/// Nothing catches the exception that this thread raised: no clean-up runs, and if an addition raised it, its end is
/// logged here. `frame` is that of the caller.
void kvos_end_raised_addition(uintptr_t frame);

/// A tracked object, which was of the class `previous`, has another class; `caller` is where that was done.
void kvos_class_was_changed(KVOSTracked *object, void *previous, uintptr_t caller);

/// A deallocation that has begun. Initially empty.
typedef struct {
  /// Entries of the Foundation's record of the object's observers that are detached when it has returned.
  KVOSDetached detached;
  /// The object, if it may still be removed until then; else null.
  KVOSDying *dying;
} KVOSEnding;

/// An object is being deallocated: if it is tracked, that is recorded. `ending`: null if its memory may be freed
/// already, and is not read.
void kvos_begin_deallocation(void *object, KVOSEnding *ending);

/// The deallocation was left, by an exception if not by a return: if the object is still observed or observes, that is
/// recorded. Before anything of the program runs, because the object's memory may be free.
void kvos_judge_deallocation(KVOSEnding *ending);

/// The object is deallocated. Objects of the program may be deallocated with it.
void kvos_object_did_deallocate(KVOSEnding *ending);

static inline void kvos_leave_deallocation(KVOSEnding *ending) {
  if (KVOS_UNLIKELY(ending->dying != NULL)) kvos_judge_deallocation(ending);
}

/// The process or the thread ends: no deallocation of this thread returns.
void kvos_judge_all_deallocations(void);

/// Watches the end of the Foundation's records of observers: it raises then if there are any.
void kvos_watch_records(void);

#endif
