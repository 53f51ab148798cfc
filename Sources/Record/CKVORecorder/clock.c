#include "clock.h"

atomic_bool kvos_has_even_counter;

#if defined(__x86_64__)
#include <cpuid.h>

void kvos_find_counter(void) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  // Bit 8 of EDX: the counter runs at one rate in every state of the processor.
  bool isEven = __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8);
  atomic_store_explicit(&kvos_has_even_counter, isEven, memory_order_relaxed);
}

#else

void kvos_find_counter(void) {}

#endif
