// The information that a reader of a log needs first: the process and its images.

#include "recorder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "CKVOUnwind.h"

// Known since the first log of the process.
static char executable[PATH_MAX + 1];
static char started[32];
static char version[256];

static uint32_t intern(const char *text) { return kvos_intern_string((const uint8_t *)text, strlen(text)); }

static void look_once(void) {
  if (started[0]) return;
  ssize_t count = readlink("/proc/self/exe", executable, sizeof executable - 1);
  executable[count > 0 ? count : 0] = 0;
  time_t now = time(NULL);
  struct tm parts;
  // The program may change its environment later.
  const char *named = getenv("KVO_SAFETY_APP_VERSION");
  if (named) snprintf(version, sizeof version, "%s", named);
  if (gmtime_r(&now, &parts)) strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

bool kvos_describe_process(uint64_t runtime, bool isComplete) {
  look_once();
  uint64_t earlier = kvos_recorder()->earlierEventCount;
  uint64_t fields[KVOS_FIELD_LIMIT];
  KVOSProcessFields process = {
      .schema = 1,
      .hasPid = true,
      .pid = (uint64_t)getpid(),
      .executable = intern(executable),
      .hasRuntime = true,
      .runtime = runtime,
      .os = intern("Linux"),
      .started = intern(started),
      .complete = isComplete,
      .saysScopes = true,
      .appVersion = version[0] ? intern(version) : 0,
      .hasEarlierEvents = earlier > 0,
      .earlierEvents = earlier,
      .hasSampled = kvos_sampled_objects() < KVOS_ALL_OBJECTS,
      .sampled = kvos_sampled_objects(),
  };
  const uint64_t *end = kvos_put_process(fields, &process);
  return kvos_describe(KVOS_KIND_PROCESS, fields, (uint32_t)(end - fields));
}

// The images that the present part has, by where their code begins and ends. Guarded by the recorder's lock.
static struct {
  uint64_t *marks;
  size_t count, capacity;
  bool isShort;
} described;

static bool is_described(uint64_t mark) {
  for (size_t at = 0; at < described.count; at++) {
    if (described.marks[at] == mark) return true;
  }
  return false;
}

static void describe_image(const KVOSImage *image, void *context) {
  (void)context;
  uint64_t mark = image->textStart ^ image->textEnd << 32;
  if (described.isShort || is_described(mark)) return;
  char buildID[2 * 64 + 1];
  size_t count = image->buildIDByteCount < 64 ? image->buildIDByteCount : 64;
  for (size_t at = 0; at < count; at++) snprintf(buildID + 2 * at, 3, "%02x", image->buildID[at]);
  buildID[2 * count] = 0;
  uint64_t fields[KVOS_FIELD_LIMIT];
  KVOSModuleFields module = {
      .path = intern(image->path),
      .buildID = intern(buildID),
      .loadBias = image->loadBias,
      .textStart = image->textStart,
      .textEnd = image->textEnd,
  };
  const uint64_t *end = kvos_put_module(fields, &module);
  if (!kvos_describe(KVOS_KIND_MODULE, fields, (uint32_t)(end - fields))) {
    described.isShort = true;
    return;
  }
  if (described.count == described.capacity) {
    size_t capacity = described.capacity ? described.capacity * 2 : 64;
    uint64_t *longer = realloc(described.marks, capacity * sizeof *longer);
    // If there is no memory, it is described again with the next one.
    if (longer == NULL) return;
    described.marks = longer;
    described.capacity = capacity;
  }
  described.marks[described.count++] = mark;
}

bool kvos_describe_images(bool isFirst) {
  if (isFirst) described.count = 0;
  described.isShort = false;
  kvos_visit_images(describe_image, NULL);
  return !described.isShort;
}
