#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ProbeC.h"

static _Atomic uint64_t requestCount;

// Replaces the C library's.
int fallocate(int descriptor, int mode, off_t offset, off_t byteCount) {
  atomic_fetch_add(&requestCount, 1);
  return (int)syscall(SYS_fallocate, descriptor, mode, offset, byteCount);
}

uint64_t probe_room_request_count(void) { return atomic_load(&requestCount); }
