// What a walk needs from the allocator, and the lock of the walk.

#define _GNU_SOURCE
#include "CKVORetention.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

// AddressSanitizer's own functions, which exist in a program that is linked with it.
extern int __sanitizer_get_ownership(const volatile void *address) __attribute__((weak));
extern size_t __sanitizer_get_allocated_size(const volatile void *address) __attribute__((weak));

// Only newer runtimes have this function.
extern const void *__sanitizer_get_allocated_begin(const void *address) __attribute__((weak));

int kvos_sanitizer_allocation(uintptr_t address, uintptr_t *start, uintptr_t *byteCount) {
  if (__sanitizer_get_ownership == NULL) return -1;
  const void *begin = (const void *)address;
  if (__sanitizer_get_allocated_begin != NULL) {
    begin = __sanitizer_get_allocated_begin(begin);
  }
  if (begin == NULL || !__sanitizer_get_ownership(begin)) return 0;
  *start = (uintptr_t)begin;
  *byteCount = __sanitizer_get_allocated_size(begin);
  return 1;
}

__attribute__((no_sanitize("address"))) uintptr_t kvos_allocation_size(const void *address) {
  return kvos_allocation_size_by_word(address, ((const uintptr_t *)address)[-1]);
}

uintptr_t kvos_allocation_size_by_word(const void *address, uintptr_t word) {
  if (__sanitizer_get_ownership != NULL) {
    return __sanitizer_get_ownership(address) ? __sanitizer_get_allocated_size(address) : 0;
  }
#ifdef __GLIBC__
  // Memory on a stack or in an image may be preceded by anything, so the caller checks the range before reading it.
  uintptr_t size = kvos_chunk_size(word);
  if ((uintptr_t)address % 16 != 0 || word & KVOS_CHUNK_UNUSED_FLAG || size < KVOS_CHUNK_SMALLEST || size >> 40)
    return 0;
  return kvos_chunk_byte_count(word);
#else
  return 0;
#endif
}

int kvos_is_glibc_heap(void) {
#ifdef __GLIBC__
  if (__sanitizer_get_ownership != NULL) return 0;
  uintptr_t *volatile memory = malloc(100);
  int isKnown = memory != NULL && kvos_allocation_size(memory) == malloc_usable_size(memory);
  free(memory);
  return isKnown;
#else
  return 0;
#endif
}

size_t kvos_copy_memory(uintptr_t address, void *copy, size_t count) {
  struct iovec from = {(void *)address, count};
  struct iovec to = {copy, count};
  ssize_t copied = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  return copied < 0 ? 0 : (size_t)copied;
}

// In C for its speed in debug builds. Source of the bits: stdlib/public/SwiftShims/swift/shims/RefCount.h of
// swiftlang/swift, for 64-bit platforms.
static int isLiving(uint64_t counts) {
  // The counts are in a side table, whose address is in the lower bits; the second highest bit is then set, too.
  if (counts >> 63) return counts >> 62 & 1;
  int isDestroyed = counts >> 32 & 1;
  return counts & 1 && (counts & 0xfffffffe) != 0 && !isDestroyed;
}

int kvos_is_living(uint64_t counts) { return isLiving(counts); }

uint32_t kvos_owner_count(uint64_t counts) {
  int isDestroyed = counts >> 32 & 1;
  int isForEver = (counts & 0xffffffff) == 0xffffffff;
  if (counts >> 63 || isDestroyed || isForEver) return 0;
  return (uint32_t)(counts >> 33) + 1;
}

uint32_t kvos_unowned_count(uint64_t counts) { return (uint32_t)counts >> 1; }

int kvos_is_side_table(uint64_t counts, uintptr_t address) {
  return counts >> 62 == 3 && (counts << 2 >> 2) << 3 == address;
}

size_t kvos_next_object(const void *copy, size_t count, size_t offset) {
  for (; offset + 16 <= count; offset += 16) {
    const uint64_t *words = (const uint64_t *)((const char *)copy + offset);
    if (words[0] >= 4096 && (words[0] & 7) == 0 && words[0] >> 47 == 0 && isLiving(words[1])) {
      return offset;
    }
  }
  return count;
}

extern void *__asan_region_is_poisoned(void *begin, size_t size) __attribute__((weak));

int kvos_is_sanitized(void) { return __asan_region_is_poisoned != NULL; }

int kvos_is_poisoned(uintptr_t address, uintptr_t byteCount) {
  return __asan_region_is_poisoned != NULL && __asan_region_is_poisoned((void *)address, byteCount) != NULL;
}

// The lock of the walk, and the state that it guards.
//
// A child that is forked while another thread walks gets the lock in its locked state, with no thread to unlock it,
// and tables that may be half changed. So the child resets both, and never waits. Nothing is locked before the fork,
// so the parent is not slowed down.
static pthread_mutex_t walking = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t handlers = PTHREAD_ONCE_INIT;
static void *sharedPlans;
// Written under the lock, or by the only thread of a new child.
static volatile int isWalking;
static pthread_t walker;

static void renewLock(void) {
  // The forking thread itself may hold it, for a walk in this very child.
  if (isWalking && pthread_equal(walker, pthread_self())) return;
  const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
  walking = unlocked;
  if (isWalking) sharedPlans = NULL;
  isWalking = 0;
}

static void addHandlers(void) { pthread_atfork(NULL, NULL, renewLock); }

void kvos_walk_lock(void) {
  pthread_once(&handlers, addHandlers);
  pthread_mutex_lock(&walking);
  walker = pthread_self();
  isWalking = 1;
}

void kvos_walk_unlock(void) {
  isWalking = 0;
  pthread_mutex_unlock(&walking);
}

void *kvos_shared_plans(void) { return sharedPlans; }
void kvos_share_plans(void *plans) { sharedPlans = plans; }

// Symbols of the blocks runtime: a program that links it statically has the first of each pair, and one that loads it
// the second.
extern void *_NSConcreteStackBlock[] __attribute__((weak));
extern void *_NSConcreteMallocBlock[] __attribute__((weak));
extern void *_NSConcreteGlobalBlock[] __attribute__((weak));

const void *kvos_block_class(int index) {
  switch (index) {
    case 0:
      return _NSConcreteMallocBlock != NULL ? (const void *)_NSConcreteMallocBlock
                                            : dlsym(RTLD_DEFAULT, "_NSConcreteMallocBlock");
    case 1:
      return _NSConcreteGlobalBlock != NULL ? (const void *)_NSConcreteGlobalBlock
                                            : dlsym(RTLD_DEFAULT, "_NSConcreteGlobalBlock");
    case 2:
      return _NSConcreteStackBlock != NULL ? (const void *)_NSConcreteStackBlock
                                           : dlsym(RTLD_DEFAULT, "_NSConcreteStackBlock");
    default: return NULL;
  }
}
