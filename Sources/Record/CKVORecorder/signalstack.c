// Stacks for signal handlers: a stack overflow leaves none to run on.
//
// A thread is given one when it first records, unless the program gave it one. The memory stays with the writer, and
// passes to the next thread that takes over the writer.

#include "recorder.h"

#include <sys/auxv.h>
#include <sys/mman.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

// Beyond what the kernel puts there: the crash record, libunwind, and the handler after it.
static const size_t roomOfHandlers = 64 << 10;

static size_t stack_byte_count(void) {
  size_t least = (size_t)getauxval(AT_MINSIGSTKSZ);
  if (least < 4096) least = 4096;
  return (least + roomOfHandlers + KVOS_PAGE - 1) & ~(size_t)(KVOS_PAGE - 1);
}

static void *make_stack(size_t byteCount) {
  // The page below has no access: an overflow of this stack too changes no other memory.
  uint8_t *memory =
      mmap(NULL, KVOS_PAGE + byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  uint8_t *stack = memory + KVOS_PAGE;
  if (mprotect(stack, byteCount, PROT_READ | PROT_WRITE) == 0) return stack;
  munmap(memory, KVOS_PAGE + byteCount);
  return NULL;
}

void kvos_give_signal_stack(KVOSWriter *writer) {
  stack_t present;
  if (sigaltstack(NULL, &present) != 0) return;
  if (!(present.ss_flags & SS_DISABLE)) {
    writer->hasSignalStack = true;
    return;
  }
  size_t byteCount = stack_byte_count();
  if (writer->signalStack == NULL) writer->signalStack = make_stack(byteCount);
  if (writer->signalStack == NULL) return;
  stack_t own = {.ss_sp = writer->signalStack, .ss_size = byteCount};
  writer->hasSignalStack = sigaltstack(&own, NULL) == 0;
}

void kvos_take_signal_stack(KVOSWriter *writer) {
  stack_t present;
  if (writer->signalStack == NULL || sigaltstack(NULL, &present) != 0) return;
  if (present.ss_sp == writer->signalStack) {
    stack_t none = {.ss_flags = SS_DISABLE};
    // A thread that ends in a handler still runs on it: then no other thread may use the memory.
    if (sigaltstack(&none, NULL) != 0) writer->signalStack = NULL;
  }
  writer->hasSignalStack = false;
}
