// The recorder's own thread: it provides space and pages before they are needed, and computes the checksums of finished
// segments, so that the recorded threads need not.
//
// Without it everything still works: a thread that needs space allocates it, and seals the segment that it leaves.
//
// A second thread makes the first one slower, because the C library stops eliding locks from then on: in a
// program that allocates a great deal that costs more than the helper saves. So a library that was loaded into
// a program waits with it until the program itself has a second thread.

#include "recorder.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#else
// A C library before 2.32 does not tell.
static const char __libc_single_threaded = 0;
#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static const uint64_t leastAhead = 128 << 10;
static const uint64_t mostAhead = 2 << 20;

// How much space to keep beyond the allocated bytes: more for a log that grows fast.
static uint64_t ahead_of(uint64_t claimed) {
  uint64_t ahead = claimed / 4 < leastAhead ? leastAhead : claimed / 4;
  return ahead < mostAhead ? ahead : mostAhead;
}

// If the kernel does not support it (before 5.14), the pages come as they are written to.
static void populate(KVOSPart *part) {
  uint64_t claimed = atomic_load_explicit(&part->claimed, memory_order_relaxed);
  uint64_t allocated = atomic_load_explicit(&part->allocated, memory_order_relaxed);
  uint64_t end = claimed + ahead_of(claimed);
  if (end > allocated) end = allocated;
  if (part->populated < claimed) part->populated = claimed;
  if (part->populated >= end) return;
  madvise(part->base + part->populated, end - part->populated, MADV_POPULATE_WRITE);
  part->populated = end;
}

// The signals that were blocked by the thread that started the helper. Set before the helper starts.
static sigset_t signalsOfProgram;

// A handler of crashes that stops all threads does so by a signal: Swift's tries SIGUSR1, SIGUSR2 and SIGPROF, and
// reports a thread that blocks all of them as impossible to suspend. Otherwise the helper blocks them, so that no
// handler of the program runs on it and no signal that the program waits for ends it.
//
// A program whose handler jumps out of a crash leaves the helper in that state: it does nothing from then on, and the
// recorded threads do its work.
static bool expose_if_wanted(KVOSHelper *helper) {
  // acquire: pairs with the release in kvos_expose_helper() and kvos_shield_helper().
  uint8_t signals = atomic_load_explicit(&helper->signals, memory_order_acquire);
  if (signals == KVOS_HELD_BACK) return false;
  if (signals == KVOS_WANTED) {
    pthread_sigmask(SIG_SETMASK, &signalsOfProgram, NULL);
    // Unless the crash is over already. release: signals that are sent after this store is seen arrive.
    atomic_compare_exchange_strong_explicit(&helper->signals, &signals, KVOS_TAKEN, memory_order_release,
                                            memory_order_relaxed);
  }
  return true;
}

static void hold_signals_back(sigset_t *previous) {
  // The program's signals are for the program's threads. The signal of this thread's own bad access must not be
  // blocked: it must reach the handler that covers a truncated file.
  sigset_t all;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGSEGV);
  pthread_sigmask(SIG_SETMASK, &all, previous);
}

static void *help(void *context) {
  KVOSRecorder *recorder = context;
  bool wasExposed = false;
  while (true) {
    while (sem_wait(&recorder->helper.work) != 0) {
    }
    if (expose_if_wanted(&recorder->helper)) {
      wasExposed = true;
      continue;
    }
    if (wasExposed) hold_signals_back(NULL);
    wasExposed = false;
    kvos_lock(recorder);
    KVOSPart *part = atomic_load_explicit(&recorder->part, memory_order_relaxed);
    if (part && part->descriptor >= 0) {
      uint64_t claimed = atomic_load_explicit(&part->claimed, memory_order_relaxed);
      uint64_t end = claimed + ahead_of(claimed);
      uint64_t allocated = atomic_load_explicit(&part->allocated, memory_order_relaxed);
      if (allocated < end) kvos_allocate(part, end - allocated);
    }
    // Named, so that it stays mapped while the lock is released.
    recorder->helper.part = part;
    kvos_unlock(recorder);
    if (part) {
      populate(part);
      kvos_seal_segments(part);
    }
    kvos_lock(recorder);
    recorder->helper.part = NULL;
    kvos_unlock(recorder);
  }
  return NULL;
}

// relaxed: set before the log is started, by the thread that starts it.
static atomic_bool isHelperSpared;

void kvos_spare_helper(void) { atomic_store_explicit(&isHelperSpared, true, memory_order_relaxed); }

void kvos_start_helper(KVOSRecorder *recorder) {
  if (recorder->helper.isRunning) return;
  if (atomic_load_explicit(&isHelperSpared, memory_order_relaxed) && __libc_single_threaded) return;
  if (!recorder->helper.hasSemaphore && sem_init(&recorder->helper.work, 0, 0) != 0) return;
  recorder->helper.hasSemaphore = true;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  // The lock, which is held, blocks signals as well.
  signalsOfProgram = recorder->previousSignals;
  sigset_t previous;
  hold_signals_back(&previous);
  pthread_t thread;
  bool isRunning = pthread_create(&thread, &attributes, help, recorder) == 0;
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  pthread_attr_destroy(&attributes);
  if (isRunning) pthread_setname_np(thread, "kvo-safety");
  atomic_store_explicit(&recorder->helper.isRunning, isRunning, memory_order_relaxed);
}

void kvos_wake_helper(void) {
  KVOSHelper *helper = &kvos_recorder()->helper;
  if (atomic_load_explicit(&helper->isRunning, memory_order_relaxed)) sem_post(&helper->work);
}

void kvos_expose_helper(void) {
  KVOSHelper *helper = &kvos_recorder()->helper;
  if (!atomic_load_explicit(&helper->isRunning, memory_order_relaxed)) return;
  // release: pairs with the acquire in expose_if_wanted().
  atomic_store_explicit(&helper->signals, KVOS_WANTED, memory_order_release);
  sem_post(&helper->work);
  struct timespec aMoment = {.tv_nsec = 1000000};
  for (int turn = 0; turn < 100; turn++) {
    // acquire: pairs with the release in expose_if_wanted().
    if (atomic_load_explicit(&helper->signals, memory_order_acquire) != KVOS_WANTED) return;
    nanosleep(&aMoment, NULL);
  }
}

void kvos_shield_helper(void) {
  KVOSHelper *helper = &kvos_recorder()->helper;
  // release: pairs with the acquire in expose_if_wanted().
  atomic_store_explicit(&helper->signals, KVOS_HELD_BACK, memory_order_release);
  kvos_wake_helper();
}

void kvos_forget_helper(KVOSRecorder *recorder) {
  recorder->helper.part = NULL;
  recorder->helper.hasSemaphore = false;
  atomic_store_explicit(&recorder->helper.signals, KVOS_HELD_BACK, memory_order_relaxed);
  atomic_store_explicit(&recorder->helper.isRunning, false, memory_order_relaxed);
}
