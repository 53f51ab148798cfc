// A copy of this process in which a walk runs.

#ifndef CKVORETENTION_SNAPSHOT_H
#define CKVORETENTION_SNAPSHOT_H

#include <sys/types.h>

/// Like fork(2). In the child, a fault ends the process without a core dump, regardless of the process's signal
/// handlers; the child shares only open files with its parent. It has only the calling thread, and must end with
/// kvos_end_snapshot().
pid_t kvos_begin_snapshot(void);

/// Creates a pipe, with its reading end first, that concurrently started programs do not inherit. Returns 0, or -1
/// and errno.
int kvos_snapshot_pipe(int *ends);

/// Describes the lock on which a child with a single thread waits, for example one of kvos_begin_snapshot().
///
/// Nothing can release that lock: the thread that held it does not exist in the child. A wait with a time limit looks
/// the same, but two descriptions of it differ unless both were made during one wait.
///
/// Returns the number of bytes of the description, at most `limit`; 0 if the child waits for no lock, or it cannot be
/// told, for example without /proc.
size_t kvos_describe_wait(pid_t child, char *description, size_t limit);

/// Ends the calling process immediately, without its exit handlers.
void kvos_end_snapshot(int status) __attribute__((noreturn));

#endif
