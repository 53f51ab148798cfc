#include <stddef.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "ProbeC.h"

enum {
  byteCount = 256 << 10
};

#if defined(__x86_64__)

// Calls `body` as code without frame pointers does that uses their register for a number of its own.
__attribute__((naked)) static void call_with_frame(void (*body)(void), uintptr_t frame) {
  __asm__ volatile(
      "pushq %rbp\n\tmovq %rsi, %rbp\n\tcallq *%rdi\n\t"
      "popq %rbp\n\tretq");
}

static _Thread_local struct {
  void (*body)(void);
  uintptr_t frame;
  ucontext_t caller;
} call;

static void begin(void) { call_with_frame(call.body, call.frame); }

int probe_call_on_other_stack(void (*body)(void)) {
  // The second half is the memory that may not be read.
  char *memory = mmap(NULL, 2 * byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, byteCount, PROT_READ | PROT_WRITE) != 0) return 0;
  ucontext_t other;
  if (getcontext(&other) != 0) return 0;
  other.uc_stack.ss_sp = memory;
  other.uc_stack.ss_size = byteCount;
  other.uc_link = &call.caller;
  call.body = body;
  call.frame = (uintptr_t)memory + byteCount + 4096;
  makecontext(&other, begin, 0);
  int isDone = swapcontext(&call.caller, &other) == 0;
  munmap(memory, (size_t)2 * byteCount);
  return isDone;
}

#else

int probe_call_on_other_stack(void (*body)(void)) {
  body();
  return 1;
}

#endif
