// Lower bound of recording: clock_gettime and a memcpy of 32 bytes into a mapped file.

#include "record_bound.h"

RECORD_BOUND_MAIN(bench_nanoseconds(CLOCK_MONOTONIC))
