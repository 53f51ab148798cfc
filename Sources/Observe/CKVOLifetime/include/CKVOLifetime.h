// Notices the deallocation of an object of any Swift class, by the destroyer entry of its class.
//
// The entry (word -2 of a class's metadata, the deallocating deinit) is replaced, in place and for good, by a function
// that checks whether this object is watched. The identity of the class and its casts stay as they are. Every other
// instance costs one load of a counter.

#ifndef CKVOLIFETIME_H
#define CKVOLIFETIME_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

/// Called on the deallocating thread before the object's deinit; the end callback receives its result. Null: the object
/// is not relevant after all. It may read the object but must not retain it.
typedef void *_Nullable (*KVOSDeallocationBegins)(const void *object);

/// Called when deinit is done and the stored properties are destroyed: on the same thread, and for an isolated deinit
/// that was handed to its actor from whatever thread next watches an object, deallocates a watched one (of many, at one
/// of the next) or calls `kvos_settle_deallocations`. The address is not reused before this returns.
typedef void (*KVOSDeallocationEnded)(void *token);

/// Sets both callbacks; the first call wins, later ones are ignored.
void kvos_set_deallocation_callbacks(KVOSDeallocationBegins begins, KVOSDeallocationEnded ended);

/// Begins to watch `object`, a live instance of a Swift class. Returns 0, or -1 if the class cannot be
/// patched (its page stays read-only, or the table of classes is full): then nothing is watched, and
/// the caller falls back to weak references.
///
/// An object that is watched n times needs n calls of `kvos_unwatch_deallocation`. Any thread, while the caller keeps
/// the object alive. O(1); takes a lock only at the first object of a class. May call the callback of a deferred end,
/// so no lock may be held.
int kvos_watch_deallocation(const void *object);

/// Reports the ends of deallocations that an isolated deinit deferred and that have happened since, all of them. Calls
/// out, so no lock may be held. O(deferred ends); one load if there are none.
void kvos_settle_deallocations(void);

/// Ends one watch. Call it before the object's memory is freed.
void kvos_unwatch_deallocation(const void *object);

// Swift's runtime (runtime/HeapObject.h). An unowned reference keeps the memory of an object, not the object; it is
// counted in the object's own words, while a weak one moves the counts into a side table.
void *swift_unownedRetain(void *object);
void swift_unownedRelease(void *object);
void *_Nullable swift_tryRetain(void *object);
bool swift_isDeallocating(void *object);

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
