// For information: the same as clock_memcpy.c, with the processor's own counter as clock, which is neither comparable
// between machines nor in nanoseconds.

#if defined(__x86_64__)
#include <x86intrin.h>

#include "record_bound.h"

RECORD_BOUND_MAIN(__rdtsc())
#else
#error "rdtsc is an instruction of x86-64"
#endif
