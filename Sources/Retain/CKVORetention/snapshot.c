// A copy of this process in which a walk runs.

#define _GNU_SOURCE
#include "CKVORetention.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// A signal to the process group, such as one of the terminal, arrives here, too.
static void remove_handlers(void) {
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action;
    // Some numbers belong to the C library.
    if (sigaction(number, NULL, &action) != 0) continue;
    if (action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL) signal(number, SIG_DFL);
  }
}

pid_t kvos_begin_snapshot(void) {
  pid_t child = fork();
  if (child != 0) return child;
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  remove_handlers();
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

// Whether a thread waits for a lock or another thread, without a time limit.
static bool waits_forever(int tasks, const char *thread) {
  char path[64];
  snprintf(path, sizeof path, "%s/syscall", thread);
  int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  // The number of the system call and its six arguments, among others; "running" outside of a call.
  char text[256];
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return false;
  text[count] = 0;
  long number = -1;
  unsigned long limit = 1;
  int found = sscanf(text, "%ld %*x %*x %*x %lx", &number, &limit);
  return found == 2 && number == SYS_futex && limit == 0;
}

bool kvos_all_threads_wait(pid_t child) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", (int)child);
  DIR *tasks = opendir(path);
  if (tasks == NULL) return false;
  bool isWaiting = true;
  size_t threadCount = 0;
  for (struct dirent *entry; isWaiting && (entry = readdir(tasks)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    threadCount++;
    isWaiting = waits_forever(dirfd(tasks), entry->d_name);
  }
  closedir(tasks);
  return isWaiting && threadCount > 0;
}

void kvos_end_snapshot(int status) { _exit(status); }
