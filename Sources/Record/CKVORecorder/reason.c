// Why a process crashes, in words, from the signal and the runtimes.
//
// All but kvos_prepare_reason() runs in a signal handler: it may not allocate, lock or print.

#include "crash.h"

#include <dlfcn.h>
#include <unistd.h>

// The Swift runtime's buffer for the text of a fatal error; since Swift 6. Weak: a program may have
// an older runtime, or none.
extern const char *_Atomic *swift_getFatalErrorMessageBuffer(void) __attribute__((weak));
static const char *_Atomic *fatalError;
// The C library's record of the message that it prints before it aborts.
typedef struct {
  unsigned byteCount;
  char text[];
} AbortMessage;
static AbortMessage *const *abortMessage;
// The text that was already reported for a crash that the program survived.
static const char *reportedError;

static void add_text(KVOSCrashReason *reason, const char *text, uint32_t byteCount) {
  for (uint32_t at = 0; at < byteCount && reason->byteCount < KVOS_REASON_LIMIT; at++) {
    reason->text[reason->byteCount++] = text[at];
  }
}

#define ADD(text) add_text(reason, text, sizeof text - 1)

static void add_number(KVOSCrashReason *reason, uint64_t number, uint64_t base) {
  char digits[20];
  uint32_t at = sizeof digits;
  do {
    digits[--at] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number != 0);
  add_text(reason, digits + at, sizeof digits - at);
}

static void add_message(KVOSCrashReason *reason, const char *text) {
  uint32_t byteCount = 0;
  while (byteCount < KVOS_REASON_LIMIT && text[byteCount] != 0) byteCount++;
  if (byteCount == KVOS_REASON_LIMIT) {
    while (byteCount > 0 && ((uint8_t)text[byteCount] & 0xC0) == 0x80) byteCount--;
  }
  while (byteCount > 0 && text[byteCount - 1] == '\n') byteCount--;
  add_text(reason, text, byteCount);
}

static void add_runtime_message(KVOSCrashReason *reason, int number) {
  const char *text = fatalError ? atomic_load_explicit(fatalError, memory_order_acquire) : NULL;
  if (text && text != reportedError) {
    reportedError = text;
    add_message(reason, text);
  } else if (number == SIGABRT && abortMessage && *abortMessage) {
    add_message(reason, (*abortMessage)->text);
  }
}

void kvos_find_reason(KVOSCrashReason *reason, int number, const siginfo_t *info, bool isNowhere) {
  bool isMemory = number == SIGSEGV || number == SIGBUS;
  if (number == SIGILL || number == SIGTRAP || number == SIGABRT) {
    add_runtime_message(reason, number);
  } else if (isMemory && info->si_code > 0 && info->si_code != SI_KERNEL) {
    if (isNowhere)
      ADD("jump to 0x");
    else
      ADD("access to 0x");
    add_number(reason, (uintptr_t)info->si_addr, 16);
  } else if (number == SIGFPE && info->si_code == FPE_INTDIV) {
    ADD("division by zero");
  }
  bool isSent = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
  if (isSent && info->si_pid != getpid()) {
    ADD("sent by process ");
    add_number(reason, (uint64_t)info->si_pid, 10);
  }
}

void kvos_prepare_reason(void) {
  if (swift_getFatalErrorMessageBuffer) fatalError = swift_getFatalErrorMessageBuffer();
  abortMessage = (AbortMessage *const *)dlsym(RTLD_DEFAULT, "__abort_msg");
}
