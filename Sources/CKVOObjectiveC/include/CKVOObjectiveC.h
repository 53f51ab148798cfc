// Observing objects of an Objective-C runtime from a program without Objective-C: an observer whose class is
// made at run time, and what its owner must know of objects, keys and values.
//
// Nothing is linked: see CKVORuntime.h. Objects are addresses, which whoever calls keeps alive for as
// long as the call lasts. What is given back by them is not retained, unless it says so.
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

/// What an observer is told. Good for the time of the callback.
typedef struct {
  /// As NSKeyValueChange numbers them: 1 setting, 2 insertion, 3 removal, 4 replacement.
  unsigned kind;
  bool isPrior;
  /// Null where they were not asked for, and where they are nil.
  void *_Nullable oldValue;
  void *_Nullable newValue;
  /// The places of a collection that changed; null where the whole was set.
  void *_Nullable indexes;
} KVOSToldChange;

typedef struct {
  /// A change of what the observer with this number observes, on the thread that makes it.
  void (*told)(uint64_t number, const KVOSToldChange *change);
  /// A watched object is being deallocated: its subclasses' parts are gone, its memory is still its own.
  void (*died)(const void *object);
} KVOSObjectiveCCallbacks;

typedef enum {
  KVOS_OBJECTIVE_C_READY = 0,
  /// No Objective-C runtime, or no Foundation, is loaded in this process.
  KVOS_OBJECTIVE_C_MISSING = 1,
  /// There is one, which lacks what is needed to make a class.
  KVOS_OBJECTIVE_C_INCOMPLETE = 2
} KVOSObjectiveCState;

/// Finds the runtime, makes the class of observers and hooks deallocation. The first call that succeeds
/// does all of it; later ones do nothing. The callbacks of the first are the ones that count.
KVOSObjectiveCState kvos_begin_objective_c(const KVOSObjectiveCCallbacks *callbacks);

// MARK: Observers

/// The name of the observers' class, as the recorder for Objective-C programs sees it.
#define KVOS_OBSERVER_CLASS "KVOSafetyObserver"

/// A new observer with this number, above 0, or null where there is no memory.
void *_Nullable kvos_make_observer(uint64_t number);

/// Calls addObserver:forKeyPath:options:context:. What comes of NSKeyValueObservingOptionInitial is told inside.
void kvos_add_observer(void *subject, void *observer, const char *keyPath, unsigned long options);

/// Calls removeObserver:forKeyPath:.
void kvos_remove_observer(void *subject, void *observer, const char *keyPath);

/// Silences an observer. Its memory is given back some time later, because another thread may be about to
/// tell it something; never where the Foundation `isStillReferring` to it.
void kvos_retire_observer(void *observer, bool isStillReferring);

// MARK: Deaths

/// Begins to watch an object, and ends it; once each. O(1).
void kvos_watch_object(const void *object);
void kvos_unwatch_object(const void *object);

// MARK: Objects

/// Opens a pool of the calling thread for what is autoreleased, and closes it. A thread of a program
/// in Swift has none.
void *_Nullable kvos_open_pool(void);
void kvos_close_pool(void *_Nullable pool);

/// The name of the object's class, without what a Foundation made of it for observing.
const char *kvos_object_class_name(const void *object);

/// Whether the object refuses to be observed: arrays, sets and ordered sets do.
bool kvos_refuses_observers(const void *object);

/// Whether the object's class has the key: an accessor or an instance variable of that name, or ways of its
/// own to answer for keys.
bool kvos_has_key(const void *object, const char *key);

/// What the object answers for the key, which it has.
void *_Nullable kvos_value_for_key(void *object, const char *key);

// MARK: Values

/// How many bytes of UTF-8 a string has; -1 where the object is none.
long kvos_string_byte_count(const void *object);

/// Writes these bytes, and a closing zero, into `buffer`, which has room for `byteCount` in all. False: it
/// did not fit.
bool kvos_copy_string(const void *object, char *buffer, unsigned long byteCount);

/// The number, where the object is one.
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
