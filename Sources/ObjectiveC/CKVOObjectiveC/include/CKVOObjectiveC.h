// Observing objects of an Objective-C runtime from a program without Objective-C: an observer whose class is made at
// run time, and functions for inspecting objects, keys and values.
//
// Nothing is linked: see CKVORuntime.h. Objects are addresses; the caller keeps them alive during the call. Returned
// objects are not retained, unless documented otherwise.
//
// Any thread may call these functions, with no lock held that a callback takes: they message objects, which
// runs code of the program. A change runs in the thread that makes it.

#ifndef CKVOOBJECTIVEC_H
#define CKVOOBJECTIVEC_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

/// The change that an observer is notified of. Valid during the callback.
typedef struct {
  /// As numbered in NSKeyValueChange: 1 setting, 2 insertion, 3 removal, 4 replacement.
  unsigned kind;
  bool isPrior;
  /// Null if they were not requested, or if they are nil.
  void *_Nullable oldValue;
  void *_Nullable newValue;
  /// The indexes of a collection that changed; null if the whole was set.
  void *_Nullable indexes;
} KVOSNotifiedChange;

typedef struct {
  /// Called for a change that the observer with this number observes, on the thread that makes it.
  void (*notified)(uint64_t number, const KVOSNotifiedChange *change);
  /// A watched object is being deallocated: the parts of its subclasses are destroyed, its memory is still valid.
  void (*deallocated)(const void *object);
} KVOSObjectiveCCallbacks;

typedef enum {
  KVOS_OBJECTIVE_C_READY = 0,
  /// No Objective-C runtime, or no Foundation, is loaded in this process.
  KVOS_OBJECTIVE_C_MISSING = 1,
  /// There is one, but it lacks the functions to create a class.
  KVOS_OBJECTIVE_C_INCOMPLETE = 2
} KVOSObjectiveCState;

/// Finds the runtime, makes the class of observers and hooks deallocation. The first call that succeeds does all of it;
/// later ones do nothing. Only the callbacks of the first call are used.
KVOSObjectiveCState kvos_begin_objective_c(const KVOSObjectiveCCallbacks *callbacks);

// MARK: Observers

/// The name of the observers' class, as the recorder for Objective-C programs sees it.
#define KVOS_OBSERVER_CLASS "KVOSafetyObserver"

/// A new observer with this number, above 0, or null if there is no memory.
void *_Nullable kvos_make_observer(uint64_t number);

/// Calls addObserver:forKeyPath:options:context:, which delivers the notification of NSKeyValueObservingOptionInitial.
void kvos_add_observer(void *subject, void *observer, const char *keyPath, unsigned long options);

/// Calls removeObserver:forKeyPath:.
void kvos_remove_observer(void *subject, void *observer, const char *keyPath);

/// Silences an observer. Its memory is freed some time later, because another thread may be about to notify it; never
/// if the Foundation `isStillReferring` to it.
void kvos_retire_observer(void *observer, bool isStillReferring);

// MARK: Deallocations

/// Begins and ends watching an object; call each once. O(1).
void kvos_watch_object(const void *object);
void kvos_unwatch_object(const void *object);

// MARK: Objects

/// Opens and closes an autorelease pool of the calling thread. A thread of a Swift program has none.
void *_Nullable kvos_open_pool(void);
void kvos_close_pool(void *_Nullable pool);

/// The name of the object's class, not of the subclass that a Foundation created for observing.
const char *kvos_object_class_name(const void *object);

/// Whether the object refuses to be observed: arrays, sets and ordered sets do.
bool kvos_refuses_observers(const void *object);

/// Whether the object's class has the key: an accessor or an instance variable of that name, or its own way to resolve
/// keys.
bool kvos_has_key(const void *object, const char *key);

/// The object's value for the key, which it must have.
void *_Nullable kvos_value_for_key(void *object, const char *key);

// MARK: Values

/// How many bytes of UTF-8 a string has; -1 if the object is not a string.
long kvos_string_byte_count(const void *object);

/// Writes these bytes, and a closing zero, into `buffer`, which has space for `byteCount` in all. Returns false if it
/// does not fit.
bool kvos_copy_string(const void *object, char *buffer, unsigned long byteCount);

/// The number, if the object is one.
bool kvos_read_integer(const void *object, int64_t *value);
bool kvos_read_double(const void *object, double *value);

/// The first index of a set of them, or that above `index`; -1: there is none.
long kvos_first_index(const void *indexes);
long kvos_index_above(const void *indexes, long index);

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
