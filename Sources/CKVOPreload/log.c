// The log of this process: what stands at its head, when it begins and ends.
//
// The recorder asks for files and for the head through hooks, with its lock held. What Swift answers for
// programs in Swift (Sources/KVORecorder) is answered here for those that have no Swift.

#include "files.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "CKVOUnwind.h"

static const uint64_t defaultByteLimit = (uint64_t)1 << 30;
static const uint64_t leastByteLimit = (uint64_t)1 << 20;
enum { KIND_PROCESS = 1, KIND_MODULE = 2 };

static bool isOpen;

// MARK: - Standard error

void kvos_say(const char *format, ...) {
  char text[PATH_MAX + 512];
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (count >= (int)sizeof text) count = sizeof text - 1;
  // A pipe that nobody reads any more is no reason to die.
  sigset_t pipeSignal, former, pending;
  sigpending(&pending);
  sigemptyset(&pipeSignal);
  sigaddset(&pipeSignal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipeSignal, &former);
  ssize_t written = write(STDERR_FILENO, text, (size_t)(count > 0 ? count : 0));
  struct timespec atOnce = {0, 0};
  if (written < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE)) {
    sigtimedwait(&pipeSignal, NULL, &atOnce);
  }
  pthread_sigmask(SIG_SETMASK, &former, NULL);
}

// MARK: - The head

static char executable[PATH_MAX + 1];
static char started[32];

static void describe_once(void) {
  ssize_t count = readlink("/proc/self/exe", executable, sizeof executable - 1);
  executable[count > 0 ? count : 0] = 0;
  time_t now = time(NULL);
  struct tm parts;
  if (gmtime_r(&now, &parts)) strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

static bool describe_process(bool isComplete) {
  // Bits: pid, executable, runtime, os, started, complete, saysScopes.
  uint64_t fields[] = {1,
                       0x5F | (isComplete ? 1u << 5 : 0),
                       (uint64_t)getpid(),
                       kvos_intern_text(executable),
                       kvos_semantics()->number,
                       kvos_intern_text("Linux"),
                       kvos_intern_text(started)};
  return kvos_describe(KIND_PROCESS, fields, sizeof fields / sizeof *fields);
}

// The images that the present part was told of, by where their code begins and ends.
static struct {
  uint64_t *starts;
  size_t count, capacity;
  bool isShort;
} told;

static bool was_told(uint64_t start) {
  for (size_t at = 0; at < told.count; at++) {
    if (told.starts[at] == start) return true;
  }
  return false;
}

static void describe_image(const KVOSImage *image, void *context) {
  (void)context;
  uint64_t mark = image->textStart ^ image->textEnd << 32;
  if (told.isShort || was_told(mark)) return;
  char buildID[2 * 64 + 1];
  size_t count = image->buildIDByteCount < 64 ? image->buildIDByteCount : 64;
  for (size_t at = 0; at < count; at++) snprintf(buildID + 2 * at, 3, "%02x", image->buildID[at]);
  buildID[2 * count] = 0;
  uint64_t fields[] = {kvos_intern_text(image->path), kvos_intern_text(buildID), image->loadBias,
                       image->textStart, image->textEnd};
  if (!kvos_describe(KIND_MODULE, fields, sizeof fields / sizeof *fields)) {
    told.isShort = true;
    return;
  }
  if (told.count == told.capacity) {
    size_t capacity = told.capacity ? told.capacity * 2 : 64;
    uint64_t *longer = realloc(told.starts, capacity * sizeof *longer);
    if (longer == NULL) return;  // it is told again
    told.starts = longer;
    told.capacity = capacity;
  }
  told.starts[told.count++] = mark;
}

static bool describe_images(bool isFirst) {
  if (isFirst) told.count = 0;
  told.isShort = false;
  kvos_visit_images(describe_image, NULL);
  return !told.isShort;
}

static int open_part(uint32_t number, KVOSPartReason reason) {
  (void)number;
  switch (reason) {
    case KVOS_CHILD: return kvos_open_first(true);
    case KVOS_REPLACEMENT: return kvos_open_replacement();
    case KVOS_NEXT: break;
  }
  return kvos_open_next();
}

// MARK: - Start and end

// A number of bytes as people write it: digits, and K, M or G behind them. 0: not one.
static uint64_t byte_count(const char *text) {
  if (!isdigit((unsigned char)*text)) return 0;
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  unsigned shift = 0;
  if (*end != 0) {
    const char *unit = strchr("KMG", toupper((unsigned char)*end));
    if (unit == NULL || *unit == 0 || end[1] != 0) return 0;
    shift = 10 * (unsigned)(unit - "KMG" + 1);
  }
  if (errno == ERANGE || number > UINT64_MAX >> 1 >> shift) return 0;
  return (uint64_t)number << shift;
}

static uint64_t byte_limit(void) {
  const char *text = getenv("KVO_SAFETY_LOG_LIMIT");
  if (text == NULL || *text == 0) return defaultByteLimit;
  uint64_t count = byte_count(text);
  if (count >= leastByteLimit) return count;
  kvos_say("KVOSafety: KVO_SAFETY_LOG_LIMIT is \"%s\", and must be a number of bytes of 1M or more, "
           "such as 256M or 2G. 1G is used.\n", text);
  return defaultByteLimit;
}

static void say_failure(int number) {
  const char *kind = kvos_kind_of_file(kvos_log_path());
  if (number == KVOS_NO_LOG) {
    kvos_say("KVOSafety: cannot write the log \"%s\": the file that is there is no log, and is left as it is. "
             "The program runs on, unrecorded.\n", kvos_log_path());
  } else if (kind) {
    kvos_say("KVOSafety: cannot write the log \"%s\": it is %s, and a log must be a regular file. "
             "The program runs on, unrecorded.\n", kvos_log_path(), kind);
  } else {
    kvos_say("KVOSafety: cannot write the log \"%s\": %s. The program runs on, unrecorded.\n",
             kvos_log_path(), strerror(number));
  }
}

int kvos_open_log(const char *pattern) {
  // Somebody else's log is of another runtime, with numbers of its own: two in one would say nothing that is
  // true of either.
  if (kvos_is_recording()) {
    kvos_say("KVOSafety: this program records what it observes in Swift already, and what is observed in "
             "Objective-C is not in that log.\n");
    return EBUSY;
  }
  describe_once();
  int code = kvos_choose_files(pattern);
  int descriptor = code == 0 ? kvos_open_first(false) : -code;
  if (descriptor < 0) {
    say_failure(-descriptor);
    return -descriptor;
  }
  if (kvos_kept_process() >= 0) {
    kvos_say("KVOSafety: \"%s\" was the log of process %lld, which is kept as \"%s.previous\" until the next "
             "one\n", kvos_log_path(), (long long)kvos_kept_process(), kvos_log_path());
  }
  KVOSLogSettings settings = {
      .hooks = {.openPart = open_part, .placePart = kvos_place_next,
                .describeProcess = describe_process, .describeImages = describe_images},
      .partByteCount = byte_limit() / KVOS_PART_COUNT,
      .partCount = KVOS_PART_COUNT,
      .isComplete = true,
  };
  kvos_spare_helper();
  // First, because a file that is cut while its first page is written is a fault already.
  kvos_install_crash_record();
  code = kvos_start_log(descriptor, &settings);
  if (code != 0) {
    close(descriptor);
    say_failure(code);
    return code;
  }
  isOpen = true;
  return 0;
}

void kvos_close_log(void) {
  if (!isOpen) return;
  isOpen = false;
  kvos_stop_log();
  uint32_t unhooked = kvos_unhooked_count();
  if (unhooked > 0) {
    kvos_say("KVOSafety: %u methods of classes could not be watched: there are more overrides of "
             "key-value observing than the library has room for\n", unhooked);
  }
  uint64_t lost = kvos_lost_count();
  if (lost > 0) {
    kvos_say("KVOSafety: %llu events could not be written to \"%s\"\n", (unsigned long long)lost,
             kvos_log_path());
  }
}
