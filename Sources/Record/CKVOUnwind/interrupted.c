// Captures the stack of a thread that a signal interrupted, in the handler of that signal.
//
// May not allocate, lock, call back, or read memory that may not be there. Following frame pointers obeys that.
// libunwind does not entirely: it reads addresses that the stack contains, and waits for the loader's lock. Its caller
// must be prepared for a fault in it, and for it never to return.

#define _GNU_SOURCE
#include "CKVOUnwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

typedef struct {
  uintptr_t pc, frame, sp;
} Registers;

static Registers registers_of(const ucontext_t *context) {
#if defined(__x86_64__)
  const greg_t *all = context->uc_mcontext.gregs;
  return (Registers){(uintptr_t)all[REG_RIP], (uintptr_t)all[REG_RBP], (uintptr_t)all[REG_RSP]};
#elif defined(__aarch64__)
  const mcontext_t *all = &context->uc_mcontext;
  return (Registers){all->pc, all->regs[29], all->sp};
#else
  (void)context;
  return (Registers){0, 0, 0};
#endif
}

int kvos_read_words(uintptr_t address, uintptr_t *words, size_t count) {
  int code = errno;
  struct iovec here = {words, count * sizeof *words};
  struct iovec there = {(void *)address, count * sizeof *words};
  int isRead = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)here.iov_len;
  errno = code;
  return isRead;
}

// If a call led to an address without code, its return address; 0 if that is not available.
static uintptr_t caller_of_nowhere(const ucontext_t *context) {
#if defined(__x86_64__)
  uintptr_t address = 0;
  return kvos_read_words(registers_of(context).sp, &address, 1) ? address : 0;
#elif defined(__aarch64__)
  return context->uc_mcontext.regs[30];
#else
  (void)context;
  return 0;
#endif
}

uintptr_t kvos_interrupted_pc(const void *context) { return registers_of(context).pc; }

int kvos_follow_interrupted(const void *context, int isNowhere, uintptr_t *frames, int capacity) {
  Registers registers = registers_of(context);
  int count = 0;
  uintptr_t first = isNowhere ? caller_of_nowhere(context) : registers.pc + 1;
  if (first != 0 && count < capacity) frames[count++] = first;
  uintptr_t frame = registers.frame;
  while (count < capacity && (frame & (sizeof(uintptr_t) - 1)) == 0) {
    uintptr_t record[2];
    if (!kvos_read_words(frame, record, 2) || record[1] == 0) break;
    frames[count++] = record[1];
    uintptr_t next = record[0] & ~KVOS_ASYNC_FRAME_BIT;
    if (next <= frame) break;  // a stack grows downwards: anything else is not a chain
    frame = next;
  }
  return count;
}

// MARK: - libunwind

// No headers are needed for these few functions, whose names and constants are those of its binary interface since 1.0.
// Other processors only have frame pointers.
#if defined(__x86_64__)

enum {
  instructionPointer = 16,
  startsInSignal = 1,
  cursorWordCount = 127
};

static int (*initialize)(void *cursor, void *context, int flags);
static int (*step)(void *cursor);
static int (*get_register)(void *cursor, int number, uintptr_t *value);
static int (*is_signal_frame)(void *cursor);

// One thread at a time: the stack that a handler runs on may be small.
static uintptr_t cursor[cursorWordCount * 2];
static ucontext_t changed;

void kvos_prepare_unwinding_interrupted(void) {
  if (!kvos_open_unwinder()) return;
  void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  step = (int (*)(void *))dlsym(library, "_ULx86_64_step");
  get_register = (int (*)(void *, int, uintptr_t *))dlsym(library, "_ULx86_64_get_reg");
  is_signal_frame = (int (*)(void *))dlsym(library, "_ULx86_64_is_signal_frame");
  void *found = dlsym(library, "_ULx86_64_init_local2");
  if (step && get_register && is_signal_frame) initialize = (int (*)(void *, void *, int))found;
  // Runs all of it once, so that the loader has bound the functions that it calls, and its own tables exist.
  ucontext_t here;
  uintptr_t frames[8];
  if (getcontext(&here) == 0) kvos_unwind_interrupted(&here, 0, frames, 8);
}

int kvos_unwind_interrupted(const void *context, int isNowhere, uintptr_t *frames, int capacity) {
  if (initialize == NULL) return 0;
  const ucontext_t *start = context;
  if (isNowhere) {
    // The state after the call that led to an address without code.
    memcpy(&changed, context, sizeof changed);
    changed.uc_mcontext.gregs[REG_RIP] = (greg_t)caller_of_nowhere(context);
    changed.uc_mcontext.gregs[REG_RSP] += (greg_t)sizeof(uintptr_t);
    start = &changed;
  }
  if (initialize(cursor, (void *)start, startsInSignal) != 0) return 0;
  int isReturnAddress = isNowhere;
  int count = 0;
  while (count < capacity) {
    uintptr_t address = 0;
    if (get_register(cursor, instructionPointer, &address) != 0 || address == 0) break;
    frames[count++] = isReturnAddress ? address : address + 1;
    isReturnAddress = is_signal_frame(cursor) <= 0;
    if (step(cursor) <= 0) break;
  }
  return count;
}

#else

void kvos_prepare_unwinding_interrupted(void) {}

int kvos_unwind_interrupted(const void *context, int isNowhere, uintptr_t *frames, int capacity) {
  (void)context, (void)isNowhere, (void)frames, (void)capacity;
  return 0;
}

#endif
