// The common part of all measured C programs: `program <operations> <scratch folder>` performs this number of
// operations between bench_begin and bench_end, and prints one line:
//
//     operations=1000 thread-ns=20700 process-ns=20750
//
// thread-ns is CPU time of the calling thread, process-ns that of all threads; both are user plus system time, so
// that waiting and other programs do not count.

#ifndef DRIVER_H
#define DRIVER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline uint64_t bench_nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t bench_thread_began, bench_process_began;

static inline void bench_begin(void) {
  bench_process_began = bench_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  bench_thread_began = bench_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

static inline void bench_end(uint64_t operations) {
  uint64_t thread = bench_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - bench_thread_began;
  uint64_t process = bench_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - bench_process_began;
  printf("operations=%llu thread-ns=%llu process-ns=%llu\n", (unsigned long long)operations,
         (unsigned long long)thread, (unsigned long long)process);
}

/// Ends the program with `what` and the system's error: a benchmark that could not run has no figure.
static inline void bench_fail(const char *what) {
  perror(what);
  exit(1);
}

/// The arguments: the number of operations, and a folder for files.
static inline uint64_t bench_operations(int count, char **arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: %s operations scratch-folder\n", arguments[0]);
    exit(64);
  }
  return strtoull(arguments[1], NULL, 10);
}

/// Prevents the compiler from omitting the computation of `value`.
static inline void bench_keep(uint64_t value) { __asm__ volatile("" : : "r"(value) : "memory"); }

#endif
