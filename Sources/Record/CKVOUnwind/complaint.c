// Standard error, written to without a buffer, whatever state it is in.

#include "CKVOUnwind.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
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

// How many bytes at `at` are a character that a terminal acts on instead of showing it, and its number: a control
// character, or a mark of direction.
static size_t acting(const unsigned char *at, unsigned *number) {
  if (at[0] < 0x20 || at[0] == 0x7f) {
    *number = at[0];
    return 1;
  }
  bool isNext = (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) || (at[0] == 0xd8 && at[1] == 0x9c);
  if (isNext) {
    *number = (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu);
    return 2;
  }
  if (at[0] != 0xe2 || (at[1] & 0xfe) != 0x80 || (at[2] & 0xc0) != 0x80) return 0;
  *number = 0x2000u | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
  bool isActive = *number == 0x200e || *number == 0x200f || (*number >= 0x2028 && *number <= 0x202e) ||
                  (*number >= 0x2066 && *number <= 0x2069);
  return isActive ? 3 : 0;
}

// Writes the escape of a character as Swift spells it, and returns how many bytes that is; `into` has room for 12.
static size_t put_escape(char *into, unsigned number) {
  switch (number) {
    case '\n': return (size_t)sprintf(into, "\\n");
    case '\r': return (size_t)sprintf(into, "\\r");
    case '\t': return (size_t)sprintf(into, "\\t");
    default: return (size_t)sprintf(into, "\\u{%x}", number);
  }
}

// What stands for the rest of a line that is too long.
static const char cut[] = "…\n";

void kvos_say_text(const char *text) {
  char shown[3 * PATH_MAX];
  size_t count = 0;
  const unsigned char *at = (const unsigned char *)text;
  // The longest escape and what stands for the rest fit.
  while (*at && count < sizeof shown - 16) {
    unsigned number;
    bool isEnd = at[0] == '\n' && at[1] == 0;
    size_t length = isEnd ? 0 : acting(at, &number);
    if (length == 0) {
      shown[count++] = (char)*at++;
    } else {
      count += put_escape(shown + count, number);
      at += length;
    }
  }
  if (*at) count = (size_t)(stpcpy(shown + count, cut) - shown);
  kvos_write_error(shown, count);
}

void kvos_say(const char *format, ...) {
  char text[2 * PATH_MAX + 512];
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (count >= (int)sizeof text) {
    // Before the character that was cut, if one was.
    char *end = text + sizeof text - sizeof cut;
    while ((*end & 0xc0) == 0x80) end--;
    strcpy(end, cut);
  }
  if (count > 0) kvos_say_text(text);
}
