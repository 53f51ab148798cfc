// The signal handler of the recorder, which runs before the previous handlers.
//
// Runs at any instruction of any thread. It may call nothing that is not async-signal-safe: no
// allocation, no lock, no hook, no output.
//
// What it must survive, and how:
// - another program cuts the file of the log while threads write into its mapping: anonymous memory is mapped
//   there, and the access is tried again;
// - the crash record faults or hangs: crash.c;
// - the program's handler returns or jumps out: all of the recorder's work is done before it is called;
// - a handler is changed while another thread's signal is handled: the previous handlers are read once.

#include "crash.h"

#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS};
enum {
  numberCount = sizeof numbers / sizeof numbers[0]
};

static struct sigaction previous[numberCount];

static struct sigaction *previous_of(int number) {
  for (int index = 0; index < numberCount; index++) {
    if (numbers[index] == number) return &previous[index];
  }
  return NULL;
}

// MARK: - A log that was cut

// Maps memory over the log that was cut below the address that raised the signal; false if there is no such
// log.
static bool cover_cut_part(int number, const siginfo_t *info) {
  if (number != SIGBUS || info->si_code <= 0) return false;
  KVOSPart *part = kvos_part_containing(info->si_addr);
  if (part == NULL || part->process != getpid()) return false;
  atomic_store_explicit(&part->damage, KVOS_CUT, memory_order_relaxed);
  if (!kvos_cover_part(part)) return false;
  // No epoch that is given under the lock comes near this one, nor one from another cut.
  _Atomic uint64_t *epoch = kvos_recorder()->epoch;
  if (atomic_load_explicit(epoch, memory_order_relaxed) != 0) {
    atomic_fetch_add_explicit(epoch, (uint64_t)1 << 40, memory_order_relaxed);
  }
  return true;
}

// MARK: - Going on as if we were not here

// Whether the instruction that raised the signal raises it again when the handler returns.
static bool repeats(int number, const siginfo_t *info) {
  bool isFault = number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE;
  return isFault && info->si_code > 0;
}

static bool is_function(const struct sigaction *action) {
  return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

static void set_default(int number) {
  struct sigaction none = {.sa_handler = SIG_DFL};
  sigaction(number, &none, NULL);
}

static void unblock(int number) {
  sigset_t one;
  sigemptyset(&one);
  if (number != 0) {
    sigaddset(&one, number);
  } else {
    for (int index = 0; index < numberCount; index++) sigaddset(&one, numbers[index]);
  }
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
}

void kvos_end_process(int number) {
  set_default(number);
  unblock(number);
  raise(number);
}

static void end(int number, siginfo_t *info) {
  set_default(number);
  if (repeats(number, info)) return;
  unblock(number);
  // With the kernel's siginfo, which a core file and a debugger show.
  syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info);
}

static void call(const struct sigaction *previous, int number, siginfo_t *info, void *context) {
  const ucontext_t *interrupted = context;
  // The mask that the kernel would have given it.
  sigset_t mask = previous->sa_mask;
  for (int other = 1; other < SIGRTMAX; other++) {
    if (sigismember(&interrupted->uc_sigmask, other) == 1) sigaddset(&mask, other);
  }
  if (!(previous->sa_flags & SA_NODEFER)) sigaddset(&mask, number);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  if (previous->sa_flags & SA_SIGINFO) {
    previous->sa_sigaction(number, info, context);
  } else {
    previous->sa_handler(number);
  }
}

static void handle(int number, siginfo_t *info, void *context) {
  int code = errno;
  if (kvos_is_crash_timer(info)) {
    errno = code;
    return;
  }
  struct sigaction *stored = previous_of(number);
  struct sigaction previous = *stored;
  bool isIgnored = previous.sa_handler == SIG_IGN && info->si_code <= 0;
  if (!isIgnored && !cover_cut_part(number, info)) {
    unblock(0);
    kvos_record_crash(number, info, context, !is_function(&previous));
    kvos_wake_helper();
    if (is_function(&previous)) {
      if (previous.sa_flags & (int)SA_RESETHAND) *stored = (struct sigaction){.sa_handler = SIG_DFL};
      kvos_expose_helper();
      call(&previous, number, info, context);
      kvos_shield_helper();
    } else {
      end(number, info);
    }
  }
  errno = code;
}

// MARK: - Installing

bool kvos_has_crash_record(void) {
  return atomic_load_explicit(&kvos_recorder()->hasCrashRecord, memory_order_relaxed);
}

void kvos_install_crash_record(void) {
  KVOSRecorder *recorder = kvos_recorder();
  if (atomic_exchange(&recorder->hasCrashRecord, true)) return;
  kvos_prepare_crash_record();
  KVOSWriter *writer = kvos_writer();
  if (writer && !writer->hasSignalStack) kvos_give_signal_stack(writer);
  struct sigaction own = {.sa_sigaction = handle,
                          // A fault of the crash record itself must come here too.
                          .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigfillset(&own.sa_mask);
  for (int index = 0; index < numberCount; index++) sigdelset(&own.sa_mask, numbers[index]);
  for (int index = 0; index < numberCount; index++) {
    // Stored before it is replaced: another thread may enter the handler at once.
    sigaction(numbers[index], NULL, &previous[index]);
    sigaction(numbers[index], &own, NULL);
  }
}
