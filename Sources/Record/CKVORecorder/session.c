// The log of this process, from its settings to its losses: its files, and the runtime that is recorded.
//
// Two copies of the recorder may be in one process. The one that opened the log answers the hooks of both.

#include "recorder.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "CKVOUnwind.h"

// The log that this copy opened; null: none. Guarded by the recorder's lock.
static KVOSLogFiles *present;
static uint64_t runtime;
// The reasons to keep it, if it is a flight recording; written under the lock. relaxed: a hint to the threads that
// have a reason, which then take the lock.
static _Atomic uint32_t keepReasons;
// Whether the flight recording stays although it ends in an orderly way, because its files could not be set aside. And
// whether the next part begins because the others are kept. Guarded by the lock.
static bool isPinned, isKeeping;

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
  if (present == NULL) return;
  if (isKeeping) {
    if (!kvos_place_next_and_keep(present, hasBegun)) isPinned = true;
  } else {
    kvos_place_next(present, hasBegun);
  }
}

static bool describe_process(bool isComplete) { return kvos_describe_process(runtime, isComplete); }

// MARK: - Settings

uint64_t kvos_byte_count_of(const char *text) {
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

uint64_t kvos_byte_limit_of_environment(uint64_t otherwise) {
  const char *text = getenv("KVO_SAFETY_LOG_LIMIT");
  if (text == NULL || *text == 0) return otherwise;
  uint64_t count = kvos_byte_count_of(text);
  if (count >= KVOS_LEAST_BYTE_LIMIT) return count;
  kvos_say(
      "KVOSafety: KVO_SAFETY_LOG_LIMIT is \"%s\", and must be a number of bytes of 1M or more, such as 256M or "
      "2G. %s is used.\n",
      text, otherwise == KVOS_DEFAULT_BYTE_LIMIT ? "1G" : "64M");
  return otherwise;
}

uint32_t kvos_keep_reasons_of_environment(void) {
  static const struct {
    const char *word;
    uint32_t reason;
  } words[] = {{"finding", KVOS_KEEP_FINDING}, {"crash", KVOS_KEEP_CRASH}, {"call", KVOS_KEEP_CALL}};
  const char *text = getenv("KVO_SAFETY_KEEP");
  if (text == NULL || *text == 0) return 0;
  uint32_t reasons = 0;
  for (const char *at = text; *at;) {
    size_t length = strcspn(at, ",");
    uint32_t reason = 0;
    for (size_t word = 0; word < sizeof words / sizeof *words; word++) {
      if (length == strlen(words[word].word) && strncmp(at, words[word].word, length) == 0) reason = words[word].reason;
    }
    if (reason == 0) {
      kvos_say(
          "KVOSafety: KVO_SAFETY_KEEP is \"%s\", and must be a list of finding, crash and call, such as "
          "finding,crash. Every recording is kept.\n",
          text);
      return 0;
    }
    reasons |= reason;
    at += length + (at[length] == ',');
  }
  return reasons;
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
  // Events have three quarters of the disk; the rest is for names, and for space that is reserved ahead.
  uint64_t disk = request->budget.diskByteCount / 4 * 3;
  if (disk != 0 && disk < limit) limit = disk;
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
  uint32_t reasons = request->keepReasons ? request->keepReasons | KVOS_KEEP_CALL : 0;
  atomic_store_explicit(&keepReasons, reasons, memory_order_relaxed);
  isPinned = isKeeping = false;
  kvos_begin_budget(&request->budget);
  int code = kvos_start_log(descriptor, &settings);
  if (code != 0) present = NULL;
  kvos_unlock(recorder);
  if (code == 0) return 0;
  close(descriptor);
  return fail(failure, code, files);
}

void kvos_note_crash(void) { atomic_store_explicit(&kvos_recorder()->hasSeenCrash, true, memory_order_relaxed); }

void kvos_close_log(void) {
  KVOSRecorder *recorder = kvos_recorder();
  kvos_lock(recorder);
  KVOSLogFiles *files = present;
  present = NULL;
  if (files) kvos_stop_log();
  uint32_t reasons = atomic_exchange_explicit(&keepReasons, 0, memory_order_relaxed);
  bool hasCrashed = atomic_load_explicit(&recorder->hasSeenCrash, memory_order_relaxed);
  bool isKept = reasons == 0 || isPinned || (hasCrashed && reasons & KVOS_KEEP_CRASH);
  uint64_t lost = kvos_lost_count();
  kvos_unlock(recorder);
  if (files == NULL) return;
  // The log itself could not report it.
  if (lost > 0) {
    kvos_say("KVOSafety: %llu events could not be written to \"%s\"\n", (unsigned long long)lost,
             kvos_path_of_files(files));
  }
  if (!isKept) kvos_delete_files(files);
  kvos_free_files(files);
}

// MARK: - Flight recordings

bool kvos_keeps_for(KVOSKeepReason reason) {
  return atomic_load_explicit(&keepReasons, memory_order_relaxed) & (uint32_t)reason;
}

char *kvos_keep_log(KVOSKeepReason reason, const char *text) {
  if (!kvos_keeps_for(reason)) {
    // A log that is always kept.
    bool isFlight = atomic_load_explicit(&keepReasons, memory_order_relaxed) != 0;
    return isFlight ? NULL : kvos_copy_log_path();
  }
  uint64_t field = kvos_intern_string((const uint8_t *)text, strlen(text));
  // Without the lock: it may have to wait for a new part. It is in the file before that is kept, or it is lost, and
  // counted.
  kvos_record(KVOS_KIND_KEEP, KVOS_NO_ORDER, 0, 0, &field, 1);
  KVOSRecorder *recorder = kvos_recorder();
  kvos_lock(recorder);
  const char *path = NULL;
  if (present && kvos_keeps_for(reason)) {
    // What could not be set aside before is set aside now.
    isPinned = false;
    isKeeping = true;
    if (!kvos_begin_next_part()) isPinned = true;
    isKeeping = false;
    path = isPinned ? kvos_path_of_files(present) : kvos_path_of_kept(present);
  }
  char *copy = path ? strdup(path) : NULL;
  kvos_unlock(recorder);
  return copy;
}

char *kvos_copy_log_path(void) {
  KVOSRecorder *recorder = kvos_recorder();
  kvos_lock(recorder);
  char *path = present ? strdup(kvos_path_of_files(present)) : NULL;
  kvos_unlock(recorder);
  return path;
}
