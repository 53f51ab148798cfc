// Notices that a watched object is deallocated, by -dealloc of the root classes.
//
// An object that is not watched costs one load at its deallocation. Several objects share a counter, by a hash of their
// addresses, so a counter above zero means "perhaps"; the callback decides. relaxed: the caller that watches an object
// keeps it alive during the call, so the object's deallocation comes after.

#include "messages.h"

#include <stdatomic.h>

enum {
  counterCount = 65536
};

static atomic_uint counters[counterCount];

static atomic_uint *counter_of(const void *object) {
  return &counters[((uintptr_t)object >> 4) * 0x9E3779B97F4A7C15u >> 40 & (counterCount - 1)];
}

void kvos_watch_object(const void *object) { atomic_fetch_add_explicit(counter_of(object), 1, memory_order_relaxed); }

void kvos_unwatch_object(const void *object) { atomic_fetch_sub_explicit(counter_of(object), 1, memory_order_relaxed); }

static void kvos_watched_is_dealloced(const KVOSHookPoint *point, void *self, void *selector) {
  if (__builtin_expect(atomic_load_explicit(counter_of(self), memory_order_relaxed) != 0, 0)) {
    kvos_objective_c_callbacks.deallocated(self);
  }
  point->original(self, selector, 0, 0, 0, 0);
}

void kvos_hook_deallocation(void) {
  static const KVOSHandler none[KVOS_HOOK_COUNT] = {NULL};
  kvos_install_hooks(none, kvos_watched_is_dealloced);
}
