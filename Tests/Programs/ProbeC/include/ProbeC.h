// What the recorder's probe does that Swift cannot say: forks, and a signal handler that records.

#ifndef PROBEC_H
#define PROBEC_H

#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/// fork(), with the handlers of pthread_atfork().
pid_t probe_fork(void);

/// A fork without calls of its handlers, as by `clone()`.
pid_t probe_bare_fork(void);

/// vfork() and then `path` instead of the child; returns the child.
pid_t probe_vfork(const char *path, char *_Nullable const *_Nonnull arguments);

/// What came of probe_record_under_signals().
typedef struct {
  /// How many events the thread tried to record, from 1.
  uint64_t thread;
  /// How many events the handler tried to record, from 2^32 + 1.
  uint64_t handler;
} ProbeCounts;

/// Records ends of registration on the calling thread, while a timer interrupts it as often as the
/// kernel does that, and the handler records too. Every thirty-second event registers something else, or removes it.
///
/// Returns when both have recorded so many events at the least.
ProbeCounts probe_record_under_signals(uint64_t handlerCount, uint64_t threadCount);

/// Sorts two numbers with qsort() of the C library, which keeps no frame pointers, and then again from
/// the next line; `body` is called once in either.
void probe_call_within_sorts(void (*body)(void));

/// Gives up what lets root write where the mode of a folder forbids it, for this thread and those that
/// it starts. Returns 0, or -1 and errno.
int probe_heed_modes(void);

/// How often this process called fallocate().
uint64_t probe_room_request_count(void);

#pragma clang assume_nonnull end

#endif
