// Standard error, written to without a buffer, whatever state it is in.

#include "CKVORecorder.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// Signals that a write may raise: the reader closed the pipe, or the file is at its size limit.
static const struct { int code, signal; } raised[] = {{EPIPE, SIGPIPE}, {EFBIG, SIGXFSZ}};

enum {
  raisedCount = sizeof raised / sizeof *raised
};

// Takes the signal that a write raised, unless it was pending before, and so belongs to the program.
static void take_signal(int code, const sigset_t *pending) {
  for (int at = 0; at < raisedCount; at++) {
    if (code != raised[at].code || sigismember(pending, raised[at].signal)) continue;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, raised[at].signal);
    struct timespec atOnce = {0, 0};
    sigtimedwait(&signals, NULL, &atOnce);
  }
}

void kvos_write_error(const char *bytes, size_t count) {
  int number = errno;
  sigset_t held, previous, pending;
  sigpending(&pending);
  sigemptyset(&held);
  for (int at = 0; at < raisedCount; at++) sigaddset(&held, raised[at].signal);
  pthread_sigmask(SIG_BLOCK, &held, &previous);
  while (count > 0) {
    ssize_t written = write(STDERR_FILENO, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (written < 0) take_signal(errno, &pending);
      break;
    }
    bytes += written;
    count -= (size_t)written;
  }
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  errno = number;
}

void kvos_say(const char *format, ...) {
  char text[2 * PATH_MAX + 512];
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (count >= (int)sizeof text) count = sizeof text - 1;
  if (count > 0) kvos_write_error(text, (size_t)count);
}
