// The log of this process, from its settings to its losses: its files, and the runtime that is recorded.
//
// Two copies of the recorder may be in one process. The one that opened the log answers the hooks of both.

#include "recorder.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

// The log that this copy opened; null: none. Guarded by the recorder's lock.
static KVOSLogFiles *present;
static uint64_t runtime;

// MARK: - Hooks

static int open_part(uint32_t number, KVOSPartReason reason) {
  (void)number;
  if (present == NULL) return -EBADF;
  switch (reason) {
    case KVOS_CHILD: return kvos_open_first(present, true);
    case KVOS_REPLACEMENT: return kvos_open_replacement(present, kvos_part_descriptor());
    case KVOS_NEXT: break;
  }
  return kvos_open_next(present);
}

static void place_part(bool hasBegun) {
  if (present) kvos_place_next(present, hasBegun);
}

static bool describe_process(bool isComplete) { return kvos_describe_process(runtime, isComplete); }

// MARK: - Settings

// A number of bytes as people write it: digits, and K, M or G after them. 0: not one.
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

uint64_t kvos_byte_limit_of_environment(void) {
  const char *text = getenv("KVO_SAFETY_LOG_LIMIT");
  if (text == NULL || *text == 0) return KVOS_DEFAULT_BYTE_LIMIT;
  uint64_t count = byte_count(text);
  if (count >= KVOS_LEAST_BYTE_LIMIT) return count;
  kvos_say(
      "KVOSafety: KVO_SAFETY_LOG_LIMIT is \"%s\", and must be a number of bytes of 1M or more, such as 256M or "
      "2G. 1G is used.\n",
      text);
  return KVOS_DEFAULT_BYTE_LIMIT;
}

// MARK: - Failures

char *kvos_failure_text(int code, const char *path, const char *kind) {
  char *text = NULL;
  int count;
  if (code == KVOS_NO_LOG) {
    count = asprintf(&text, "cannot write the log \"%s\": the existing file is not a log, and is left as it is", path);
  } else if (kind) {
    count = asprintf(&text, "cannot write the log \"%s\": it is %s, and a log must be a regular file", path, kind);
  } else {
    count = asprintf(&text, "cannot write the log \"%s\": %s", path, strerror(code));
  }
  return count < 0 ? NULL : text;
}

static int fail(KVOSLogFailure *failure, int code, KVOSLogFiles *files) {
  const char *path = files ? kvos_failed_path(files) : "";
  *failure = (KVOSLogFailure){.code = code, .kind = kvos_kind_of_file(path), .path = strdup(path)};
  kvos_free_files(files);
  return code;
}

// MARK: - Start and end

// An existing log, which is kept or replaced.
static void say_previous(const KVOSLogFiles *files) {
  const char *path = kvos_path_of_files(files);
  if (kvos_kept_process(files) >= 0) {
    kvos_say("KVOSafety: \"%s\" was the log of process %lld, which is kept as \"%s.previous\" until the next one\n",
             path, (long long)kvos_kept_process(files), path);
  }
  if (kvos_has_replaced(files)) {
    kvos_say("KVOSafety: this process has %d logs already; the oldest, \"%s\", is replaced\n", KVOS_OWN_LOG_LIMIT,
             path);
  }
}

int kvos_open_log(const KVOSLogRequest *request, KVOSLogFailure *failure) {
  KVOSRecorder *recorder = kvos_recorder();
  kvos_lock(recorder);
  bool isElsewhere = present == NULL && kvos_is_recording();
  kvos_unlock(recorder);
  // A log that was opened elsewhere is of another runtime, with numbers of its own: the two must not be mixed in one.
  if (isElsewhere) {
    *failure = (KVOSLogFailure){.code = KVOS_RECORDED_ELSEWHERE, .path = strdup(request->pattern)};
    return KVOS_RECORDED_ELSEWHERE;
  }
  KVOSLogFiles *files = kvos_new_files(request->pattern);
  if (files == NULL) return fail(failure, ENOMEM, NULL);
  int descriptor = kvos_open_first(files, false);
  if (descriptor < 0) return fail(failure, -descriptor, files);
  say_previous(files);
  kvos_close_log();
  uint64_t limit = request->byteLimit < KVOS_LEAST_BYTE_LIMIT ? KVOS_LEAST_BYTE_LIMIT : request->byteLimit;
  KVOSLogSettings settings = {
      .hooks = {.openPart = open_part,
                .placePart = place_part,
                .describeProcess = describe_process,
                .describeImages = kvos_describe_images},
      .partByteCount = limit / KVOS_PART_COUNT,
      .partCount = KVOS_PART_COUNT,
      .isComplete = request->isComplete,
  };
  // Done first, because truncating a file while its first page is written already raises a fault.
  kvos_install_crash_record();
  kvos_lock(recorder);
  // Another thread may have opened one in the meantime: kvos_start_log() ends it.
  kvos_free_files(present);
  present = files;
  runtime = request->runtime;
  int code = kvos_start_log(descriptor, &settings);
  if (code != 0) present = NULL;
  kvos_unlock(recorder);
  if (code == 0) return 0;
  close(descriptor);
  return fail(failure, code, files);
}

void kvos_close_log(void) {
  KVOSRecorder *recorder = kvos_recorder();
  kvos_lock(recorder);
  KVOSLogFiles *files = present;
  present = NULL;
  if (files) kvos_stop_log();
  uint64_t lost = kvos_lost_count();
  kvos_unlock(recorder);
  if (files == NULL) return;
  // The log itself could not report it.
  if (lost > 0) {
    kvos_say("KVOSafety: %llu events could not be written to \"%s\"\n", (unsigned long long)lost,
             kvos_path_of_files(files));
  }
  kvos_free_files(files);
}

char *kvos_copy_log_path(void) {
  KVOSRecorder *recorder = kvos_recorder();
  kvos_lock(recorder);
  char *path = present ? strdup(kvos_path_of_files(present)) : NULL;
  kvos_unlock(recorder);
  return path;
}
