// The recorder's clock: the processor's own counter if it runs evenly on all cores, at a third of
// the price of CLOCK_MONOTONIC; else that.

#ifndef CLOCK_H
#define CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/// Nanoseconds of CLOCK_MONOTONIC.
static inline uint64_t kvos_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Whether the counter is usable. relaxed: written before the first log is published, by each thread that looks for the
/// recorder first, and always with the same value.
extern atomic_bool kvos_has_even_counter;

/// Determines that.
void kvos_find_counter(void);

/// Ticks: a constant unit of time.
static inline __attribute__((always_inline)) uint64_t kvos_tick(void) {
#if defined(__x86_64__)
  bool isEven = atomic_load_explicit(&kvos_has_even_counter, memory_order_relaxed);
  return __builtin_expect(isEven, 1) ? __builtin_ia32_rdtsc() : kvos_nanoseconds();
#elif defined(__aarch64__)
  uint64_t now;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#else
  return kvos_nanoseconds();
#endif
}

#endif
