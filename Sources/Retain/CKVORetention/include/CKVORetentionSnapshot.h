// A copy of this process to walk in.

#ifndef CKVORETENTION_SNAPSHOT_H
#define CKVORETENTION_SNAPSHOT_H

#include <sys/types.h>

/// As fork(2). In the child faults end it, whatever handlers the process has, and leave no core; nothing
/// of the process is shared but its files. The child has the calling thread alone, and ends by
/// kvos_end_snapshot().
pid_t kvos_begin_snapshot(void);

/// A pipe, its reading end first, that programs which are started meanwhile do not inherit. Returns 0, or
/// -1 and errno.
int kvos_snapshot_pipe(int *ends);

/// Ends the calling process at once, without what it would do at its exit.
void kvos_end_snapshot(int status) __attribute__((noreturn));

#endif
