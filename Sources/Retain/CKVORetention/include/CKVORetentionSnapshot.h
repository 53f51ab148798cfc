// A copy of this process in which a walk runs.

#ifndef CKVORETENTION_SNAPSHOT_H
#define CKVORETENTION_SNAPSHOT_H

#include <stdbool.h>
#include <sys/types.h>

/// Like fork(2). The child has no signal handlers, and a fault ends it without a core dump; it shares only open files
/// with its parent. It has only the calling thread, and must end with kvos_end_snapshot().
pid_t kvos_begin_snapshot(void);

/// Creates a pipe, with its reading end first, that concurrently started programs do not inherit. Returns 0, or -1
/// and errno.
int kvos_snapshot_pipe(int *ends);

/// Whether all threads of a child, for example one of kvos_begin_snapshot(), wait for locks or for each other, without a
/// time limit.
///
/// Nothing can end that: a thread that held a lock when the child was forked does not exist in it. False as well if it
/// cannot be told, for example without /proc.
bool kvos_all_threads_wait(pid_t child);

/// Ends the calling process immediately, without its exit handlers.
void kvos_end_snapshot(int status) __attribute__((noreturn));

#endif
