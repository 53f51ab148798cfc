// Keeps the log file with a crash record among the files that remain.
//
// Other threads continue while a thread crashes. With a small size limit they would begin the next log file while the
// record is written, and four files later its file would be deleted before the process ends: a handler that prints a
// stack takes seconds. So the log does not rotate after a crash. The current log file may exceed its share of the limit
// by the space that is mapped for names (16 MB); events that do not fit are lost, and counted.
//
// What it must survive, and how:
// - a thread is beginning a log file when another one crashes: each announces what it does before it checks the other
//   (both are sequentially consistent). A thread that sees a crash does not begin the file; a crash that sees a thread
//   waits for it;
// - that thread does not finish, because it waits for a lock of the crashing one: the crash waits two seconds;
// - the crashing thread is that thread: it does not wait;
// - the log is stopped or restarted in the meantime, by a main thread that returns: it waits for the record;
// - the program survives, because its handler returns or jumps out: the thread's next event releases the parts, because
//   it takes the slow path after a crash record. An event of the handler itself does not release them;
// - the thread never records again: the log may rotate again after a minute.

#include "crash.h"

#include <time.h>
#include <unistd.h>

// A process that takes longer to end may lose its crash record.
static const uint64_t patienceNanoseconds = 60000000000;
// How long one thread waits for another, in milliseconds.
enum {
  waitLimit = 2000
};

static void wait_a_moment(void) {
  struct timespec aMoment = {.tv_nsec = 1000000};
  nanosleep(&aMoment, NULL);
}

void kvos_hold_parts(KVOSRecorder *recorder) {
  int32_t self = kvos_own_id();
  atomic_store_explicit(&recorder->heldUntil, UINT64_MAX, memory_order_relaxed);
  // seq_cst: with the load below, and with both of kvos_begin_ending_part().
  atomic_store_explicit(&recorder->holder, self, memory_order_seq_cst);
  for (int turn = 0; turn < waitLimit; turn++) {
    int32_t ender = atomic_load_explicit(&recorder->ender, memory_order_seq_cst);
    if (ender == 0 || ender == self) return;
    wait_a_moment();
  }
}

void kvos_note_crash_record(KVOSRecorder *recorder, bool isWritten) {
  uint64_t until = isWritten ? kvos_nanoseconds() + patienceNanoseconds : 0;
  atomic_store_explicit(&recorder->heldUntil, until, memory_order_relaxed);
}

void kvos_release_parts(KVOSRecorder *recorder) {
  int32_t holder = atomic_load_explicit(&recorder->holder, memory_order_relaxed);
  if (KVOS_LIKELY(holder == 0) || holder != kvos_own_id()) return;
  // A handler runs on the thread's signal stack, which it was given at the latest when it recorded.
  stack_t stack;
  if (sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK)) return;
  // Unless another thread has crashed since.
  atomic_compare_exchange_strong_explicit(&recorder->holder, &holder, 0, memory_order_seq_cst, memory_order_relaxed);
}

bool kvos_are_parts_held(const KVOSRecorder *recorder) {
  if (KVOS_LIKELY(atomic_load_explicit(&recorder->holder, memory_order_seq_cst) == 0)) return false;
  return kvos_nanoseconds() < atomic_load_explicit(&recorder->heldUntil, memory_order_relaxed);
}

bool kvos_begin_ending_part(KVOSRecorder *recorder) {
  if (kvos_are_parts_held(recorder)) return false;
  // seq_cst: with the load that follows, and with both of kvos_hold_parts().
  atomic_store_explicit(&recorder->ender, kvos_own_id(), memory_order_seq_cst);
  if (!kvos_are_parts_held(recorder)) return true;
  kvos_finish_ending_part(recorder);
  return false;
}

// Whether another thread is writing its crash record. Once that is written, the end of the log does not affect it.
static bool is_being_written(const KVOSRecorder *recorder) {
  int32_t holder = atomic_load_explicit(&recorder->holder, memory_order_seq_cst);
  return holder != 0 && holder != kvos_own_id() &&
         atomic_load_explicit(&recorder->heldUntil, memory_order_relaxed) == UINT64_MAX;
}

void kvos_begin_ending_log(KVOSRecorder *recorder) {
  for (int turn = 0;; turn++) {
    // seq_cst: as in kvos_begin_ending_part().
    atomic_store_explicit(&recorder->ender, kvos_own_id(), memory_order_seq_cst);
    if (!is_being_written(recorder) || turn == waitLimit) return;
    // Otherwise each would wait for the other.
    kvos_finish_ending_part(recorder);
    wait_a_moment();
  }
}

void kvos_finish_ending_part(KVOSRecorder *recorder) {
  // seq_cst, of which release counts: a crash that sees it sees the new part whole.
  atomic_store_explicit(&recorder->ender, 0, memory_order_seq_cst);
}
