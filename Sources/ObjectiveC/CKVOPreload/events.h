// What is written into the log.

#ifndef EVENTS_H
#define EVENTS_H

#include "threads.h"

/// An object as an event names it, copied, because it may be deallocated in the meantime.
typedef struct {
  uint64_t id;
  uint32_t className;
} KVOSNamed;

static inline KVOSNamed kvos_named(const KVOSTracked *object) { return (KVOSNamed){object->id, object->className}; }

/// The context of an addition or a removal.
typedef struct {
  bool isSaid;
  uintptr_t value;
} KVOSContext;

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

/// A callback, as events describe it.
typedef struct {
  /// The number of the object.
  uint64_t subject;
  uint64_t registration;
  KVOSPhase phase;
  /// 0: none.
  uint64_t change;
} KVOSNotification;

/// Whether the log has a budget, and time is measured. Written before anything is hooked.
extern bool kvos_isMeasured;

// With a budget, each records nothing if its object is left out; deallocations, which may be those of observers, are
// recorded as long as any object is.

void kvos_record_register(const KVOSAct *act, uint32_t stack);
/// A registration that is still there, although the log contains its end; `stack` is that of its addition.
void kvos_record_live(const KVOSAct *act, uint32_t stack);
void kvos_record_register_end(const KVOSAct *act);
void kvos_record_refused(const KVOSAct *act, KVOSRefusalReason reason, uint32_t stack);
void kvos_record_remove(const KVOSAct *act, bool isEnd, uint32_t stack);
void kvos_record_cancel(uint64_t subject, uint64_t registration, KVOSCancelCause cause, uint64_t order, uint32_t stack);
void kvos_record_change_half(bool isEnd, KVOSNamed subject, uint32_t key, uint64_t change, unsigned kind,
                             uint64_t order, uint32_t stack);
void kvos_record_notify(const KVOSNotification *notification, uint64_t order, uint32_t stack);
void kvos_record_notify_end(const KVOSNotification *notification, bool isHandled, uint32_t stack);
/// The same for a callback that an exception left: its name, and where it was raised.
void kvos_record_notify_left(const KVOSNotification *notification, const KVOSRaised *raised);
void kvos_record_dropped(const char *why);
void kvos_record_deallocation(bool isEnd, KVOSNamed object, uint64_t order, uint32_t stack);
void kvos_record_class(KVOSNamed object, uint32_t className);
void kvos_record_scope(bool isEnd, uint64_t scope, uint64_t parent, const char *name);
/// A crash: nothing catches the exception, and the stack is that of its origin. A flight recording is kept.
void kvos_record_uncaught(const void *exception);
void kvos_record_exit(int status);

/// Finds the names of methods in images that have none themselves, if classes were loaded since the last time.
void kvos_prepare_names(void);
/// Classes were loaded.
void kvos_forget_names(void);
extern atomic_bool kvos_hasNames;

/// The id of the calling thread's stack.
uint32_t kvos_stack_id(void);

/// The same for an event of the object with this number; 0 if that is left out.
static inline uint32_t kvos_stack_id_of(uint64_t object) { return kvos_is_sampled(object) ? kvos_stack_id() : 0; }

/// The id of a text of this process.
uint32_t kvos_intern_text(const char *text);

/// The stack of the single call with this return address.
static inline uint32_t kvos_site_id(uintptr_t returnAddress) { return kvos_intern_stack(&returnAddress, 1); }

/// The id of the text of a key or key path. Returns false if it is not a text.
bool kvos_intern_key(const void *string, uint32_t *key);

/// The space that realistic key paths need, with the closing zero.
#define KVOS_PATH_TEXT_SIZE 1024u

/// Copies an interned text as a C string. Returns false if it needs more than `size` bytes, or has a zero in it.
bool kvos_copy_text(uint32_t string, char *text, size_t size);

/// An unused number for a registration, a change or a scope.
uint64_t kvos_next_number(void);

/// Logs, once for each key, a problem of the key of an addition that the runtime silently accepted.
void kvos_note_problems(const KVOSAct *act, const void *subject, uint32_t stack);

/// Whether `key` is a key, not a path, that the object's class has, or may have.
bool kvos_finds_key(const void *object, uint32_t key);

/// Whether the object's class certainly has no such key.
bool kvos_lacks_key(const void *object, uint32_t key);

/// Excludes keys whose dependencies a class declares in the way that this runtime expects. Once.
void kvos_watch_dependencies(void);

void kvos_record_problem(uint32_t className, uint32_t key, KVOSProblem problem, uint32_t stack);

#endif
