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

/// How probe_step() ends its child.
typedef enum {
  /// Not: what would be left after each store is copied instead.
  PROBE_END_NONE = 0,
  PROBE_END_KILL = 1,
  PROBE_END_FAULT = 2,
  PROBE_END_ABORT = 3,
  /// `_exit(3)`, on x86-64 alone.
  PROBE_END_EXIT = 4
} ProbeEnd;

/// What probe_step() saw.
typedef struct {
  uint64_t stepCount;
  /// How many instructions changed the files.
  uint64_t storeCount;
  /// That of waitpid(), if the child was ended.
  int status;
} ProbeSteps;

/// The word of the page in which the child says what probe_exit_function() returns.
#define PROBE_EXIT_WORD 511

/// Starts a program, waits until it raises SIGSTOP, and steps through it until it does so again.
///
/// After each instruction that changes a file in `folder`, which has no others, the files are copied to
/// `output/<number>/` and the page to `output/<number>.page`; or, if there is an `end`, the program is ended at the one
/// with the number `store`. Returns 0, or -1 if the child cannot be stepped or ends by itself. Once for a process.
int probe_step(char *_Nullable const *_Nonnull arguments, const char *folder, const char *page, const char *output,
               ProbeEnd end, uint64_t store, ProbeSteps *steps);

/// The address of a function that ends the process at once.
uint64_t probe_exit_function(void);

#pragma clang assume_nonnull end

#endif
