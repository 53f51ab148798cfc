// Notices that an object of any Swift class dies, by the destroyer entry of its class.
//
// The entry (word -2 of a class's metadata, the deallocating deinit) is replaced, in place and for
// good, by a function that asks whether this very object is watched. The identity of the class and
// its casts stay as they are. Every other instance pays one load of a counter.

#ifndef CKVOLIFETIME_H
#define CKVOLIFETIME_H

#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

/// Called on the dying thread before the object's deinit; what it returns is handed to the end. Null:
/// the object is not of interest after all. It may read the object and must not keep it.
typedef void *_Nullable (*KVOSDeathBegins)(const void *object);

/// Called when deinit is done and the stored properties are gone: on the same thread, and for an
/// isolated deinit that was handed to its actor from whatever thread next watches an object, sees
/// one die or calls `kvos_settle_deaths`. The address is not used again before this returns.
typedef void (*KVOSDeathEnded)(void *token);

/// Sets both callbacks; the first call wins, later ones are ignored.
void kvos_set_death_callbacks(KVOSDeathBegins begins, KVOSDeathEnded ended);

/// Begins to watch `object`, a live instance of a Swift class. Returns 0, or -1 where the class
/// cannot be patched (its page stays read-only, or the table of classes is full): then nothing is
/// watched, and the caller falls back to weak references.
///
/// An object that is watched n times needs n calls of `kvos_unwatch_death`. Any thread, while the
/// caller keeps the object alive. O(1); takes a lock at the first object of a class alone. May call
/// the callback of an end that was put off, so no lock may be held.
int kvos_watch_death(const void *object);

/// Tells the ends of deaths that an isolated deinit put off and that have come since. Calls out, so no
/// lock may be held. One load where there are none.
void kvos_settle_deaths(void);

/// Ends one watch. To be called before the object's memory is given back.
void kvos_unwatch_death(const void *object);

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
