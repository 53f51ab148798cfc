// Gives ids to strings and stacks, and writes their definitions into the tables of the log.

#include "recorder.h"

#include <string.h>

// Longer strings, which no program uses as a name, are truncated: names must fit in a segment.
static const size_t longestString = 64 << 10;

static uint32_t intern(KVOSPool *pool, const uint8_t *bytes, size_t byteCount) {
  uint64_t hash = kvos_hash(bytes, byteCount);
  uint32_t id = kvos_find(pool, hash, bytes, byteCount);
  if (KVOS_LIKELY(id != 0)) return id;
  KVOSRecorder *recorder = kvos_recorder();
  kvos_lock(recorder);
  id = kvos_find(pool, hash, bytes, byteCount);
  if (id == 0) {
    id = kvos_add(pool, hash, bytes, byteCount);
    bool hasTables = atomic_load_explicit(&recorder->part, memory_order_relaxed) != NULL;
    if (id != 0 && hasTables) kvos_define_names(recorder);
    // Published only now: otherwise another thread's event could be in the log before the name is.
    if (id != 0) kvos_index_add(&pool->index, hash, id);
  }
  kvos_unlock(recorder);
  return id;
}

uint32_t kvos_intern_string(const uint8_t *bytes, size_t byteCount) {
  if (bytes == NULL || byteCount == 0) return 0;
  if (byteCount > longestString) {
    byteCount = longestString;
    while (byteCount > 0 && (bytes[byteCount] & 0xC0) == 0x80) byteCount--;  // not within a character
  }
  return intern(&kvos_recorder()->strings, bytes, byteCount);
}

uint32_t kvos_intern_stack(const uintptr_t *frames, size_t count) {
  if (frames == NULL || count == 0) return 0;
  if (count > KVOS_FRAME_LIMIT) count = KVOS_FRAME_LIMIT;
  return intern(&kvos_recorder()->stacks, (const uint8_t *)frames, count * sizeof *frames);
}

uint32_t kvos_intern_source_line(uint32_t function, uint32_t module, uint32_t file, uint32_t line) {
  // No call returns to 0, which distinguishes this from addresses.
  uintptr_t words[3] = {0, (uintptr_t)function << 32 | module, (uintptr_t)file << 32 | line};
  return intern(&kvos_recorder()->stacks, (const uint8_t *)words, sizeof words);
}

uint32_t kvos_string_count(void) { return atomic_load_explicit(&kvos_recorder()->strings.count, memory_order_acquire); }

uint32_t kvos_stack_count(void) { return atomic_load_explicit(&kvos_recorder()->stacks.count, memory_order_acquire); }

const uint8_t *kvos_string(uint32_t string, size_t *byteCount) {
  const KVOSName *name = kvos_name(&kvos_recorder()->strings, string);
  *byteCount = name ? name->byteCount : 0;
  return name ? name->bytes : NULL;
}

const uintptr_t *kvos_stack(uint32_t stack, size_t *count) {
  const KVOSName *name = kvos_name(&kvos_recorder()->stacks, stack);
  *count = name ? name->byteCount / sizeof(uintptr_t) : 0;
  return name ? (const uintptr_t *)(const void *)name->bytes : NULL;
}

// MARK: - Definitions

// Space for `byteCount` bytes of a record in the tables, or null. The lock is held.
static uint8_t *table_room(KVOSRecorder *recorder, uint64_t byteCount) {
  KVOSWriter *tables = &recorder->tables;
  KVOSPart *part = atomic_load_explicit(&recorder->part, memory_order_acquire);
  if (part == NULL || atomic_load_explicit(&part->damage, memory_order_relaxed)) return NULL;
  if (tables->segment && tables->part == part && tables->cursor + byteCount < tables->limit) {
    return tables->cursor;
  }
  return kvos_claim(recorder, tables, byteCount) ? tables->cursor : NULL;
}

static bool define_string(KVOSRecorder *recorder, uint32_t id, const KVOSName *name) {
  uint8_t *start = table_room(recorder, name->byteCount + 24);
  if (start == NULL) return false;
  uint8_t *at = kvos_put(kvos_put(start + 1, id), name->byteCount);
  memcpy(at, name->bytes, name->byteCount);
  recorder->tables.cursor = at + name->byteCount;
  kvos_commit(start, KVOS_KIND_STRING);
  return true;
}

static bool define_source_line(KVOSRecorder *recorder, uint32_t id, const uintptr_t *words) {
  uint8_t *start = table_room(recorder, 80);
  if (start == NULL) return false;
  uint8_t *at = kvos_put(kvos_put(kvos_put(start + 1, id), 1), 0);
  at = kvos_put(kvos_put(at, words[1] >> 32), (uint32_t)words[1]);
  at = kvos_put(kvos_put(at, words[2] >> 32), (uint32_t)words[2]);
  recorder->tables.cursor = at;
  kvos_commit(start, KVOS_KIND_DESCRIBED_STACK);
  return true;
}

static size_t (*_Atomic nameFrame)(uintptr_t address, char *buffer, size_t byteCount);
// Whether names of frames are being interned, which calls kvos_define_names() recursively: then only strings are
// defined. Guarded by the lock.
static bool isNaming;

void kvos_name_frames(size_t (*name)(uintptr_t address, char *buffer, size_t byteCount)) {
  atomic_store_explicit(&nameFrame, name, memory_order_release);
}

// The ids of the functions' names as the process knows them; false: there are none.
static bool name_frames(const uintptr_t *frames, uint64_t count, uint32_t *names) {
  size_t (*name)(uintptr_t, char *, size_t) = atomic_load_explicit(&nameFrame, memory_order_acquire);
  if (name == NULL) return false;
  bool isNamed = false;
  isNaming = true;
  for (uint64_t at = 0; at < count; at++) {
    char text[512];
    size_t byteCount = name(frames[at], text, sizeof text);
    names[at] = kvos_intern_string((const uint8_t *)text, byteCount);
    isNamed |= names[at] != 0;
  }
  isNaming = false;
  return isNamed;
}

static bool define_named_stack(KVOSRecorder *recorder, uint32_t id, const uintptr_t *frames, uint64_t count,
                               const uint32_t *names) {
  // If there is no space for a name, the stack is also deferred.
  uint32_t strings = atomic_load_explicit(&recorder->strings.count, memory_order_relaxed);
  if (recorder->definedStringCount < strings) return false;
  uint8_t *start = table_room(recorder, 24 + 20 * count);
  if (start == NULL) return false;
  uint8_t *at = kvos_put(kvos_put(start + 1, id), count);
  for (uint64_t frame = 0; frame < count; frame++) {
    at = kvos_put(kvos_put(at, frames[frame]), names[frame]);
    // Module, file and line: readers of the log find them by the address.
    at = kvos_put(kvos_put(kvos_put(at, 0), 0), 0);
  }
  recorder->tables.cursor = at;
  kvos_commit(start, KVOS_KIND_DESCRIBED_STACK);
  return true;
}

static bool define_stack(KVOSRecorder *recorder, uint32_t id, const KVOSName *name) {
  const uintptr_t *frames = (const uintptr_t *)(const void *)name->bytes;
  uint64_t count = name->byteCount / sizeof *frames;
  if (frames[0] == 0) return define_source_line(recorder, id, frames);
  uint32_t names[KVOS_FRAME_LIMIT];
  if (name_frames(frames, count, names)) {
    return define_named_stack(recorder, id, frames, count, names);
  }
  uint8_t *start = table_room(recorder, 24 + 10 * count);
  if (start == NULL) return false;
  recorder->tables.cursor = kvos_put_stack(start + 1, id, frames, count);
  kvos_commit(start, KVOS_KIND_STACK);
  return true;
}

// Writes the other information that a reader needs. The hooks intern strings, which calls this recursively.
static bool describe(KVOSRecorder *recorder) {
  KVOSPart *part = atomic_load_explicit(&recorder->part, memory_order_relaxed);
  if (part->isDescribing) return true;
  part->isDescribing = true;
  if (!part->hasProcess) {
    part->hasProcess = recorder->settings.hooks.describeProcess(part->isComplete);
  }
  // A new stack may lie in a new image.
  uint64_t images = kvos_image_change_count();
  bool hasImages = part->hasImages && images == recorder->imageChangeCount;
  if (part->hasProcess && !hasImages) {
    hasImages = recorder->settings.hooks.describeImages(!part->hasImages);
    part->hasImages = true;
    // Not a value of the loader's counter: there are images left to write.
    recorder->imageChangeCount = hasImages ? images : UINT64_MAX;
  }
  part->isDescribing = false;
  if (!part->hasProcess || !hasImages) return false;
  recorder->isBlocked = false;
  return true;
}

bool kvos_define_names(KVOSRecorder *recorder) {
  uint32_t strings = atomic_load_explicit(&recorder->strings.count, memory_order_relaxed);
  uint32_t stacks = atomic_load_explicit(&recorder->stacks.count, memory_order_relaxed);
  while (recorder->definedStringCount < strings) {
    uint32_t id = recorder->definedStringCount + 1;
    if (!define_string(recorder, id, kvos_name(&recorder->strings, id))) return kvos_block(recorder);
    recorder->definedStringCount = id;
  }
  if (isNaming) return true;
  while (recorder->definedStackCount < stacks) {
    uint32_t id = recorder->definedStackCount + 1;
    if (!define_stack(recorder, id, kvos_name(&recorder->stacks, id))) return kvos_block(recorder);
    recorder->definedStackCount = id;
  }
  bool isDescribed = describe(recorder);
  if (recorder->tables.segment) kvos_note_used(&recorder->tables);
  return isDescribed || kvos_block(recorder);
}

bool kvos_describe(uint32_t kind, const uint64_t *fields, uint32_t fieldCount) {
  KVOSRecorder *recorder = kvos_recorder();
  // A name that the record refers to may not be defined yet, for lack of space.
  uint32_t strings = atomic_load_explicit(&recorder->strings.count, memory_order_relaxed);
  if (recorder->definedStringCount < strings) return false;
  uint8_t *start = table_room(recorder, KVOS_RECORD_LIMIT);
  if (start == NULL) return false;
  KVOSWriter *tables = &recorder->tables;
  uint8_t *at = kvos_put_time(tables, start + 1);
  for (uint32_t field = 0; field < fieldCount; field++) at = kvos_put(at, fields[field]);
  tables->cursor = at;
  kvos_commit(start, (uint8_t)kind);
  return true;
}
