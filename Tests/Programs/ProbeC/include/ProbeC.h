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

/// Calls `body` on a stack of its own, from code that keeps no frame pointers and whose register for them leads to memory
/// that may not be read. Returns 0 if there is no such stack.
int probe_call_on_other_stack(void (*body)(void));

/// Gives up what lets root write where the mode of a folder forbids it, for this thread and those that
/// it starts. Returns 0, or -1 and errno.
int probe_heed_modes(void);

/// How often this process called fallocate().
uint64_t probe_room_request_count(void);

/// How probe_end() ends its child.
typedef enum {
  PROBE_END_KILL = 1,
  PROBE_END_FAULT = 2,
  PROBE_END_ABORT = 3,
  /// `_exit(3)`.
  PROBE_END_EXIT = 4
} ProbeEnd;

/// What probe_step() saw.
typedef struct {
  uint64_t stepCount;
  /// How many instructions changed the files.
  uint64_t storeCount;
} ProbeSteps;

/// The word of the page in which the child says what probe_exit_function() returns.
#define PROBE_EXIT_WORD 511

/// Starts a program, waits until it raises SIGSTOP, and steps through it until it does so again.
///
/// After each instruction that changes a file in `folder`, which has no others, its address and how often it has been
/// executed are a line of the file `stores`, and the files are copied to `output/<number>/` and the page to
/// `output/<number>.page`, unless `output` is empty. Returns 0, or -1 if the child cannot be stepped or ends by itself.
/// Once for a process. On x86-64 alone.
int probe_step(char *_Nullable const *_Nonnull arguments, const char *folder, const char *page, const char *output,
               const char *stores, ProbeSteps *steps);

/// Starts the program of probe_step() again, and ends it when it has executed an instruction `execution` times.
///
/// Returns 0 and the status of waitpid(), or -1 if the child did not come there.
int probe_end(char *_Nullable const *_Nonnull arguments, const char *page, ProbeEnd end, uint64_t address,
              uint64_t execution, int *status);

/// Starts a program that is traced, with the same addresses each time, and waits until it raises SIGSTOP; returns its
/// number, or -1.
pid_t probe_start_traced(char *_Nullable const *_Nonnull arguments);

/// The address of the instruction that a stopped child executes next.
uint64_t probe_instruction(pid_t child);

/// The address of a function that ends the process at once.
uint64_t probe_exit_function(void);

#pragma clang assume_nonnull end

#endif
