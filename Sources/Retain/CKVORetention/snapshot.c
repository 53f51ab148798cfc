// A copy of this process in which a walk runs.

#define _GNU_SOURCE
#include "CKVORetention.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

size_t kvos_describe_wait(pid_t child, char *description, size_t limit) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/syscall", (int)child);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  // The number of the system call, its arguments, the stack pointer and the instruction; "running" outside of a call.
  ssize_t count = read(file, description, limit - 1);
  close(file);
  if (count <= 0) return 0;
  description[count] = 0;
  char *end = description;
  return strtol(description, &end, 10) == SYS_futex && *end == ' ' ? (size_t)count : 0;
}

void kvos_end_snapshot(int status) { _exit(status); }
