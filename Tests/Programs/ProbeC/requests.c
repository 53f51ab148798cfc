#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>

#include "ProbeC.h"

static _Atomic uint64_t requestCount;

// In front of the C library's, and of one that is preloaded to fail.
int fallocate(int descriptor, int mode, off_t offset, off_t byteCount) {
  atomic_fetch_add(&requestCount, 1);
  int (*next)(int, int, off_t, off_t) = (__typeof__(&fallocate))dlsym(RTLD_NEXT, "fallocate");
  return next(descriptor, mode, offset, byteCount);
}

uint64_t probe_room_request_count(void) { return atomic_load(&requestCount); }
