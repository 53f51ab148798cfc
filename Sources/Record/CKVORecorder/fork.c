// The recorder's lock, and what a fork does to it and to the log.
//
// A fork's child has its own log, from its first event on. It touches neither the segments nor the file of the parent.
// The lock is held across the fork, so that the child finds everything consistent.

#include "recorder.h"

#include <unistd.h>

// MARK: - The lock

void kvos_make_lock(KVOSRecorder *recorder) {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recorder->lock, &recursive);
  pthread_mutexattr_destroy(&recursive);
  recorder->lockDepth = 0;
}

static void become_child(KVOSRecorder *recorder);

void kvos_hold_signals(sigset_t *previous) {
  // A signal raised by a fault of this thread cannot be blocked; the crash record handles it.
  sigset_t all;
  sigfillset(&all);
  const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
  for (unsigned at = 0; at < sizeof faults / sizeof *faults; at++) sigdelset(&all, faults[at]);
  pthread_sigmask(SIG_BLOCK, &all, previous);
}

void kvos_lock(KVOSRecorder *recorder) {
  // A child that was made without fork(), and so without its handlers, is recognized by the wiped page.
  uint64_t none = 0;
  if (KVOS_UNLIKELY(atomic_load_explicit(recorder->epoch, memory_order_relaxed) == 0) &&
      atomic_compare_exchange_strong(recorder->epoch, &none, UINT64_MAX)) {
    kvos_make_lock(recorder);
    kvos_live_free_locks();
    become_child(recorder);
  }
  sigset_t previous;
  kvos_hold_signals(&previous);
  pthread_mutex_lock(&recorder->lock);
  if (recorder->lockDepth++ == 0) recorder->previousSignals = previous;
}

void kvos_unlock(KVOSRecorder *recorder) {
  sigset_t previous = recorder->previousSignals;
  bool isOver = --recorder->lockDepth == 0;
  pthread_mutex_unlock(&recorder->lock);
  if (isOver) pthread_sigmask(SIG_SETMASK, &previous, NULL);
}

// MARK: - Forks

// Only memory is written, and one descriptor looked at and closed: a child may do that immediately. The file is opened
// by the first event.
static void become_child(KVOSRecorder *recorder) {
  for (KVOSWriter *writer = recorder->writers; writer; writer = writer->next) {
    writer->epoch = 0;
    writer->segment = NULL;
    writer->part = writer->partOfIndex = writer->namedIn = NULL;
    writer->cursor = writer->limit = NULL;
    atomic_store_explicit(&writer->lost, 0, memory_order_relaxed);
  }
  KVOSPart *part = atomic_load_explicit(&recorder->part, memory_order_relaxed);
  if (part && kvos_has_descriptor(part)) close(part->descriptor);
  // The mappings stayed with the parent.
  atomic_store_explicit(&recorder->part, NULL, memory_order_relaxed);
  atomic_store_explicit(&recorder->parts, NULL, memory_order_relaxed);
  recorder->tables = (KVOSWriter){.type = KVOS_TABLES};
  recorder->partNumber = 0;
  atomic_store_explicit(&recorder->holder, 0, memory_order_relaxed);
  atomic_store_explicit(&recorder->ender, 0, memory_order_relaxed);
  recorder->retryNanoseconds = 0;
  recorder->earlierEventCount = 0;
  atomic_store_explicit(&recorder->hasSeenCrash, false, memory_order_relaxed);
  recorder->session[0] = recorder->session[0] * 31 + (uint32_t)getpid();
  recorder->session[1] = (uint32_t)getpid();
  atomic_store_explicit(&recorder->lost, 0, memory_order_relaxed);
  atomic_store_explicit(&recorder->reportedLost, 0, memory_order_relaxed);
  kvos_forget_helper(recorder);
  kvos_change_epoch(recorder);
}

void kvos_fork_begins(void) {
  kvos_lock(kvos_recorder());
  kvos_live_lock();
}

void kvos_fork_ends(void) {
  kvos_live_unlock();
  kvos_unlock(kvos_recorder());
}

void kvos_fork_happened(void) {
  KVOSRecorder *recorder = kvos_recorder();
  sigset_t previous = recorder->previousSignals;
  kvos_make_lock(recorder);
  kvos_live_unlock();
  become_child(recorder);
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
}
