// A copy of this process in which a walk runs.

#define _GNU_SOURCE
#include "CKVORetention.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

pid_t kvos_begin_snapshot(void) {
  pid_t child = fork();
  if (child != 0) return child;
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGTERM, SIGINT};
  for (size_t index = 0; index < sizeof faults / sizeof faults[0]; index++) {
    signal(faults[index], SIG_DFL);
  }
  sigset_t all;
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  // A copy that outlives the requesting process is useless; a minute is longer than any time limit.
  alarm(60);
  signal(SIGALRM, SIG_DFL);
  return 0;
}

int kvos_snapshot_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

void kvos_end_snapshot(int status) { _exit(status); }
