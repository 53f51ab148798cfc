#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ProbeC.h"

pid_t probe_fork(void) { return fork(); }

pid_t probe_bare_fork(void) { return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }

pid_t probe_vfork(const char *path, char *_Nullable const *_Nonnull arguments) {
  pid_t child = vfork();
  if (child == 0) {
    execv(path, arguments);
    _exit(127);
  }
  return child;
}
