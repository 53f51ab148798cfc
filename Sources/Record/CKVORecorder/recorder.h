// Declarations that the files of the recorder share. Nothing outside this target includes it.
//
// Locks, in the order in which they may be taken:
// 1. `lock` of the recorder (recursive): the present part and its growth, the list of writers, adding
//    names, the tables. The hooks are called with it held.
// 2. the lock of one shard of the live registrations.
// A writer's fields belong to its thread, except for those that the lock guards, as said there.

#ifndef RECORDER_H
#define RECORDER_H

#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "CKVORecorder.h"
#include "budget.h"
#include "log.h"
#include "names.h"
#include "part.h"
#include "writer.h"

/// Whether the helper accepts signals: only while a crash is handled, for a handler that stops all threads by them.
enum KVOSHelperSignals {
  KVOS_HELD_BACK,
  KVOS_WANTED,
  KVOS_TAKEN
};

/// The helper's thread. Guarded by the recorder's lock, except for the semaphore, which needs none.
typedef struct {
  _Atomic bool isRunning;
  bool hasSemaphore;
  /// Of KVOSHelperSignals.
  _Atomic uint8_t signals;
  sem_t work;
  /// The part that it works on without the lock.
  KVOSPart *part;
} KVOSHelper;

// MARK: The recorder

struct KVOSShard;
typedef struct KVOSShard KVOSShard;

/// The state that two copies of this code in one process share. Its layout, and that of everything reachable from it,
/// is version 8.
typedef struct {
  /// Changes whenever writers have to check: a part began, the log ended, a name could not be written. It lies in a
  /// page that is zeroed in a fork's child, so that the child never writes into the parent's log.
  _Atomic uint64_t *epoch;
  pthread_mutex_t lock;
  /// How often its holder took it, and which signals that thread had blocked before.
  uint32_t lockDepth;
  sigset_t previousSignals;
  KVOSPool strings;
  KVOSPool stacks;
  /// The live registrations.
  KVOSShard *shards;
  /// Stacks by their frame pointers.
  KVOSIndex knownStacks;
  _Atomic(KVOSPart *) part;
  /// All parts of this process, the newest first; never shortened.
  _Atomic(KVOSPart *) parts;
  KVOSWriter tables;
  KVOSWriter *writers;
  KVOSLogSettings settings;
  /// Random, and the id of the process.
  uint32_t session[2];
  uint32_t partNumber;
  uint64_t lastEpoch;
  /// Whether a log is written. A fork's child has none yet, and opens it with its first event.
  _Atomic bool isOn;
  /// How many strings and stacks the tables of the present part have.
  uint32_t definedStringCount;
  uint32_t definedStackCount;
  /// Whether a name could not be written: no event may be recorded before it is.
  bool isBlocked;
  uint64_t imageChangeCount;
  /// When a part could not be opened: the time of the next attempt.
  uint64_t retryNanoseconds;
  KVOSHelper helper;
  /// Events of this log that were lost.
  _Atomic uint64_t lost;
  /// Those of them that are reported, or that no writer will report.
  _Atomic uint64_t reportedLost;
  /// The calling thread's writer, as the copy that owns this makes it.
  KVOSWriter *(*writerOfThread)(void);
  /// The same, or null if it has none. Async-signal-safe.
  KVOSWriter *(*knownWriterOfThread)(void);
  /// Whether one of the copies records crashes.
  _Atomic bool hasCrashRecord;
  /// The kernel's ids of the thread whose crash keeps the log from rotating, and of the one that ends a part; 0:
  /// none. See hold.c.
  _Atomic int32_t holder;
  _Atomic int32_t ender;
  /// Until when the log does not rotate.
  _Atomic uint64_t heldUntil;
  /// How many events the parts before the present one have. Guarded by the lock.
  uint64_t earlierEventCount;
  /// Whether a crash was recorded in this log, which the process survived if it asks.
  _Atomic bool hasSeenCrash;
} KVOSRecorder;

extern _Atomic(KVOSRecorder *) kvos_shared_recorder;
KVOSRecorder *kvos_find_recorder(void);

/// The recorder of the process: that of the first copy of this code that the loader finds.
static inline KVOSRecorder *kvos_recorder(void) {
  // acquire: pairs with the release of the thread that found it, and so initialized it.
  KVOSRecorder *found = atomic_load_explicit(&kvos_shared_recorder, memory_order_acquire);
  return KVOS_LIKELY(found != NULL) ? found : kvos_find_recorder();
}

/// The writer that this copy gave the calling thread, or null.
///
/// initial-exec: a signal handler reads it, and may not be the first to ask the loader for the memory.
extern __thread KVOSWriter *kvos_own_writer __attribute__((tls_model("initial-exec"), visibility("hidden")));

/// The calling thread's writer if this copy does not know it, or null if there is no memory for one.
KVOSWriter *kvos_find_writer(void);

/// How many segments of `part` the calling thread has, if its writer has ended.
uint32_t kvos_ended_segment_count(const KVOSPart *part);

/// The calling thread's writer, or null if there is no memory for one.
static inline KVOSWriter *kvos_writer(void) {
  KVOSWriter *own = kvos_own_writer;
  return KVOS_LIKELY(own != NULL) ? own : kvos_find_writer();
}

/// Makes `writer` ready to write now. Returns false if the event is lost, which is counted.
bool kvos_prepare(KVOSRecorder *recorder, KVOSWriter *writer);

/// Initializes the lock again.
void kvos_make_lock(KVOSRecorder *recorder);

/// Takes the lock, and blocks the thread's signals: a handler that records must not find names or segments that its own
/// thread has half written.
void kvos_lock(KVOSRecorder *recorder);

/// Blocks the calling thread's signals, except for those that its own faults raise.
void kvos_hold_signals(sigset_t *previous);

/// Releases the lock, and unblocks signals.
void kvos_unlock(KVOSRecorder *recorder);

/// Before a fork, and after it in the parent and in the child.
void kvos_fork_begins(void);
void kvos_fork_ends(void);
void kvos_fork_happened(void);

/// Gives `writer` a segment with space for `byteCount` bytes. The lock is held.
bool kvos_claim(KVOSRecorder *recorder, KVOSWriter *writer, uint64_t byteCount);

/// Whether this is the child of a fork that has no log of its own yet, if it records: of fork(), or of a system call,
/// whose child finds the wiped page of its parent.
static inline bool kvos_is_in_new_child(const KVOSRecorder *recorder) {
  return atomic_load_explicit(&recorder->part, memory_order_relaxed) == NULL ||
         atomic_load_explicit(recorder->epoch, memory_order_relaxed) == 0;
}

/// Begins the log of a fork's child, if it has none yet: it lists the registrations that are live now. Does nothing in
/// other processes. The lock is not held.
void kvos_begin_log_of_child(void);

/// Makes every writer check before its next record. The lock is held.
void kvos_change_epoch(KVOSRecorder *recorder);

/// The kernel's id of the calling thread. Async-signal-safe.
static inline int32_t kvos_own_id(void) { return (int32_t)syscall(SYS_gettid); }

/// Notes how much of its segment the writer has used, and leaves it. The lock is held.
void kvos_close_segment(KVOSRecorder *recorder, KVOSWriter *writer);

/// Gives the file's space back and, if no writer names the part, its mapping. The lock is held.
void kvos_drop_part(KVOSRecorder *recorder, KVOSPart *part);

/// Writes the names, process and images that the tables of the current file lack. Returns false if there was no space;
/// every event then checks until there is. The lock is held.
bool kvos_define_names(KVOSRecorder *recorder);

/// Makes every event check before it is written, because a name is not in the log. Returns false. The lock is held.
bool kvos_block(KVOSRecorder *recorder);

/// How often images were loaded or unloaded so far, as the loader counts it.
uint64_t kvos_image_change_count(void);

/// The tables of live registrations of this copy.
KVOSShard *kvos_own_shards(void);

/// Writes the live registrations. The lock is held.
void kvos_write_live(KVOSRecorder *recorder, KVOSWriter *writer);

/// Removes the live registrations. The lock is held.
void kvos_live_clear(void);

/// Takes and releases all locks of the live registrations, for a fork. The recorder's lock is held.
void kvos_live_lock(void);
void kvos_live_unlock(void);

/// A child that was made without fork(): the holder of a lock of the live registrations no longer exists.
void kvos_live_free_locks(void);

/// Counts lost events; `writer` reports them when it can.
void kvos_count_lost(KVOSRecorder *recorder, KVOSWriter *writer, uint64_t count);

/// Starts the thread that populates and seals, if it is not running in this process and is useful. The lock is held.
void kvos_start_helper(KVOSRecorder *recorder);

/// Wakes the helper. Async-signal-safe.
void kvos_wake_helper(void);

/// The program's handler of a crash is called next: the helper accepts signals, and does nothing else, until the second
/// call. Async-signal-safe; the first call waits for the helper, a tenth of a second at most.
void kvos_expose_helper(void);
void kvos_shield_helper(void);

/// For a fork's child, which has no helper.
void kvos_forget_helper(KVOSRecorder *recorder);

#endif
