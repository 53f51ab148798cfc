// The registrations that are live, for the start of a part and for a crash.
//
// Kept while a log is written: each registration as the bytes of its `live` record, in sixteen tables by the
// registration's id, each under its own lock. Most registrations are short-lived: the slot of a removed one is reused
// by the next one, so that a table is as large as the number of live ones, and the slots that are written to stay in
// the processor's caches regardless of how many others are live. An index finds a slot by its id; ids that follow each
// other are neighbors in it, for the same reason.
//
// A thread that holds a table is in the middle of a record for a signal handler of the same thread: what the handler
// records is counted as lost, so that it neither waits for the table nor begins a part, which waits for all of them.
// (Holding signals back would be two calls of the system for each registration, a tenth of what one costs in
// Objective-C.) A crash record and a fork wait only briefly: a table whose lock is not released is left out.

#include "recorder.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define SHARD_COUNT 16u
// A registration as the library writes it has some forty bytes.
#define INLINE_LIMIT 78u

typedef struct {
  uint64_t id;  // the encoded id + 1; 0: free
  union {
    uint32_t stack;
    /// Of a free one, the number of the next that is free.
    uint32_t nextFree;
  };
  uint16_t byteCount;
  union {
    uint8_t bytes[INLINE_LIMIT];
    uint8_t *longer;
  };
} Entry;

// The possible positions of an id in a table. Entries are numbered from 1; 0: none.
typedef struct {
  uint32_t key;
  uint32_t number;
} Bucket;

typedef struct KVOSShard {
  _Alignas(64) _Atomic uint32_t isLocked;
  /// Changed under the lock, read at any time.
  _Atomic uint64_t count;
  Entry *entries;
  uint32_t entryCount, entryCapacity;
  uint32_t firstFree;
  /// Open addressing, at most half full.
  uint32_t mask;
  Bucket *index;
} Shard;

static Shard ownShards[SHARD_COUNT];

KVOSShard *kvos_own_shards(void) { return ownShards; }

static void lock(Shard *shard) {
  // Held for some dozen instructions, or for growing.
  for (int turn = 0;; turn++) {
    uint32_t free = 0;
    // acquire: pairs with the release in unlock().
    if (atomic_compare_exchange_weak_explicit(&shard->isLocked, &free, 1, memory_order_acquire, memory_order_relaxed)) {
      return;
    }
    if (turn > 100) sched_yield();
  }
}

static void unlock(Shard *shard) { atomic_store_explicit(&shard->isLocked, 0, memory_order_release); }

static uint64_t count_of(const Shard *shard) { return atomic_load_explicit(&shard->count, memory_order_relaxed); }

// Under the lock, which makes the two steps one.
static void set_count(Shard *shard, uint64_t count) {
  atomic_store_explicit(&shard->count, count, memory_order_relaxed);
}

// An id is a number times four, and neighbors in number go to different tables.
static Shard *shard_of(uint64_t id) { return &kvos_recorder()->shards[id >> 2 & (SHARD_COUNT - 1)]; }

static uint32_t key_of(uint64_t id) { return (uint32_t)(id >> 6); }

// Eight consecutive keys share a line of the processor's cache; the lines are scattered.
static uint32_t home(uint32_t key, uint32_t mask) {
  uint32_t line = (uint32_t)((key >> 3) * 0x9E3779B97F4A7C15u >> 32);
  return (line << 3 | (key & 7)) & mask;
}

static const uint8_t *bytes_of(const Entry *entry) {
  return entry->byteCount > INLINE_LIMIT ? entry->longer : entry->bytes;
}

// The slot of this id in the index, or the free one where it would be.
static Bucket *find(const Shard *shard, uint64_t id) {
  uint32_t key = key_of(id);
  uint32_t at = home(key, shard->mask);
  for (; shard->index[at].number != 0; at = (at + 1) & shard->mask) {
    const Bucket *bucket = &shard->index[at];
    if (bucket->key == key && shard->entries[bucket->number - 1].id == id) break;
  }
  return &shard->index[at];
}

static bool grow_index(Shard *shard) {
  Shard larger = *shard;
  larger.mask = shard->index ? shard->mask * 2 + 1 : 127;
  larger.index = calloc((size_t)larger.mask + 1, sizeof(Bucket));
  if (larger.index == NULL) return false;
  for (uint32_t at = 0; shard->index && at <= shard->mask; at++) {
    uint32_t number = shard->index[at].number;
    if (number != 0) *find(&larger, shard->entries[number - 1].id) = shard->index[at];
  }
  free(shard->index);
  shard->index = larger.index;
  shard->mask = larger.mask;
  return true;
}

// The number of an entry that is free, or 0 if there is no memory.
static uint32_t take_entry(Shard *shard) {
  uint32_t number = shard->firstFree;
  if (number != 0) {
    shard->firstFree = shard->entries[number - 1].nextFree;
    return number;
  }
  if (shard->entryCount == shard->entryCapacity) {
    uint32_t capacity = shard->entryCapacity ? shard->entryCapacity * 2 : 16;
    Entry *larger = realloc(shard->entries, capacity * sizeof *larger);
    if (larger == NULL) return 0;
    shard->entries = larger;
    shard->entryCapacity = capacity;
  }
  return ++shard->entryCount;
}

static void give_back(Shard *shard, uint32_t number) {
  Entry *entry = &shard->entries[number - 1];
  entry->id = 0;
  entry->nextFree = shard->firstFree;
  shard->firstFree = number;
}

// Empties a slot of the index. Removal shifts back later entries whose probe passes the gap; there are no
// tombstones.
static void close_gap(Shard *shard, Bucket *bucket) {
  uint32_t gap = (uint32_t)(bucket - shard->index);
  for (uint32_t at = (gap + 1) & shard->mask; shard->index[at].number != 0; at = (at + 1) & shard->mask) {
    uint32_t wanted = home(shard->index[at].key, shard->mask);
    if (((at - wanted) & shard->mask) < ((at - gap) & shard->mask)) continue;
    shard->index[gap] = shard->index[at];
    gap = at;
  }
  shard->index[gap].number = 0;
}

static void fill(Entry *entry, uint64_t id, uint32_t stack, const uint8_t *bytes, uint16_t byteCount, uint8_t *longer) {
  memcpy(longer ? longer : entry->bytes, bytes, byteCount);
  if (longer) entry->longer = longer;
  entry->byteCount = byteCount;
  entry->stack = stack;
  entry->id = id;
}

// Takes the lock of a table, and keeps signal handlers of this thread from recording in the meantime. Null: this is
// such a handler, or there is no memory; the registration is then missing from the log.
static KVOSWriter *enter(Shard *shard, uint64_t *epoch) {
  KVOSWriter *writer = kvos_writer();
  if (writer == NULL || kvos_is_amid_record(writer)) {
    kvos_count_lost(kvos_recorder(), writer, 1);
    return NULL;
  }
  *epoch = kvos_begin_record(writer);
  lock(shard);
  return writer;
}

static void leave(Shard *shard, KVOSWriter *writer, uint64_t epoch) {
  unlock(shard);
  kvos_end_record(writer, epoch);
}

void kvos_live_add(uint64_t registration, uint32_t stack, const uint64_t *fields, uint32_t fieldCount) {
  if (!kvos_is_recording()) return;
  uint8_t bytes[10 * KVOS_FIELD_LIMIT];
  uint8_t *at = bytes;
  if (fieldCount > KVOS_FIELD_LIMIT) fieldCount = KVOS_FIELD_LIMIT;
  for (uint32_t field = 0; field < fieldCount; field++) at = kvos_put(at, fields[field]);
  uint16_t byteCount = (uint16_t)(at - bytes);
  uint64_t id = registration + 1;
  Shard *shard = shard_of(id);
  uint64_t epoch;
  KVOSWriter *writer = enter(shard, &epoch);
  if (writer == NULL) return;
  bool hasRoom = (shard->index && count_of(shard) * 2 <= shard->mask) || grow_index(shard);
  Bucket *bucket = hasRoom ? find(shard, id) : NULL;
  uint8_t *longer = bucket && byteCount > INLINE_LIMIT ? malloc(byteCount) : NULL;
  if (bucket && bucket->number == 0 && (byteCount <= INLINE_LIMIT || longer)) {
    uint32_t number = take_entry(shard);
    if (number != 0) {
      fill(&shard->entries[number - 1], id, stack, bytes, byteCount, longer);
      *bucket = (Bucket){key_of(id), number};
      set_count(shard, count_of(shard) + 1);
      longer = NULL;
    }
  }
  free(longer);
  leave(shard, writer, epoch);
}

void kvos_live_remove(uint64_t registration) {
  uint64_t id = registration + 1;
  Shard *shard = shard_of(id);
  uint64_t epoch;
  // The log of a fork's child begins with its first event, and lists what is live then. If that event ends a
  // registration, the list is that from before it: otherwise a removal would be of a registration that the log does not
  // have. If it adds one, the list has it, so that the audit knows all registrations on the object.
  if (KVOS_UNLIKELY(kvos_is_in_new_child(kvos_recorder()))) kvos_begin_log_of_child();
  KVOSWriter *writer = enter(shard, &epoch);
  if (writer == NULL) return;
  Bucket *bucket = shard->index ? find(shard, id) : NULL;
  if (bucket && bucket->number != 0) {
    uint32_t number = bucket->number;
    const Entry *entry = &shard->entries[number - 1];
    if (entry->byteCount > INLINE_LIMIT) free(entry->longer);
    set_count(shard, count_of(shard) - 1);
    close_gap(shard, bucket);
    give_back(shard, number);
  }
  leave(shard, writer, epoch);
}

uint32_t kvos_live_stack(uint64_t registration) {
  uint64_t id = registration + 1;
  Shard *shard = shard_of(id);
  uint64_t epoch;
  KVOSWriter *writer = enter(shard, &epoch);
  if (writer == NULL) return 0;
  const Bucket *bucket = shard->index ? find(shard, id) : NULL;
  uint32_t stack = bucket && bucket->number != 0 ? shard->entries[bucket->number - 1].stack : 0;
  leave(shard, writer, epoch);
  return stack;
}

uint64_t kvos_live_count(void) {
  uint64_t count = 0;
  for (uint32_t index = 0; index < SHARD_COUNT; index++) {
    count += count_of(&kvos_recorder()->shards[index]);
  }
  return count;
}

uint64_t kvos_live_byte_count(void) {
  uint64_t count = 0;
  for (uint32_t index = 0; index < SHARD_COUNT; index++) {
    Shard *shard = &kvos_recorder()->shards[index];
    lock(shard);
    count += (uint64_t)shard->entryCapacity * sizeof(Entry) +
             (shard->index ? (uint64_t)shard->mask + 1 : 0) * sizeof(Bucket);
    unlock(shard);
  }
  return count;
}

void kvos_live_clear(void) {
  for (uint32_t index = 0; index < SHARD_COUNT; index++) {
    Shard *shard = &kvos_recorder()->shards[index];
    lock(shard);
    for (uint32_t at = 0; at < shard->entryCount; at++) {
      Entry *entry = &shard->entries[at];
      if (entry->id != 0 && entry->byteCount > INLINE_LIMIT) free(entry->longer);
    }
    free(shard->entries);
    free(shard->index);
    shard->entries = NULL;
    shard->index = NULL;
    shard->entryCount = shard->entryCapacity = shard->firstFree = shard->mask = 0;
    set_count(shard, 0);
    unlock(shard);
  }
}

// A bit for each table that a fork holds. Guarded by the recorder's lock.
static uint32_t heldOverFork;

void kvos_live_lock(void) {
  heldOverFork = 0;
  for (uint32_t index = 0; index < SHARD_COUNT; index++) {
    // The caller of fork may be a signal handler that interrupted the holder, which continues after it.
    for (int turn = 0; turn < 10000; turn++) {
      uint32_t free = 0;
      if (atomic_compare_exchange_strong_explicit(&kvos_recorder()->shards[index].isLocked, &free, 1,
                                                  memory_order_acquire, memory_order_relaxed)) {
        heldOverFork |= 1u << index;
        break;
      }
      sched_yield();
    }
  }
}

void kvos_live_unlock(void) {
  for (uint32_t index = 0; index < SHARD_COUNT; index++) {
    if (heldOverFork & 1u << index) unlock(&kvos_recorder()->shards[index]);
  }
}

void kvos_live_free_locks(void) {
  for (uint32_t index = 0; index < SHARD_COUNT; index++) {
    // A table that its holder left half modified cannot be trusted; its memory is leaked.
    if (atomic_load_explicit(&kvos_recorder()->shards[index].isLocked, memory_order_relaxed)) {
      kvos_recorder()->shards[index] = (Shard){.isLocked = 0};
    }
  }
}

// MARK: - Writing

static void write_entry(KVOSWriter *writer, const Entry *entry) {
  uint8_t *start = writer->cursor;
  uint8_t *at = start + 1;
  if (entry->stack != 0) *at++ = 1;
  at = kvos_put_time(writer, at);
  if (entry->stack != 0) at = kvos_put(at, entry->stack);
  memcpy(at, bytes_of(entry), entry->byteCount);
  writer->cursor = at + entry->byteCount;
  kvos_commit(start, KVOS_KIND_LIVE | (entry->stack != 0 ? 0x80 : 0));
}

void kvos_write_live(KVOSRecorder *recorder, KVOSWriter *writer) {
  for (uint32_t index = 0; index < SHARD_COUNT; index++) {
    Shard *shard = &recorder->shards[index];
    lock(shard);
    for (uint32_t at = 0; at < shard->entryCount; at++) {
      if (shard->entries[at].id == 0) continue;
      bool hasRoom = writer->part == atomic_load(&recorder->part) && writer->cursor < writer->limit;
      if (!hasRoom && !kvos_claim(recorder, writer, KVOS_RECORD_LIMIT)) {
        kvos_count_lost(recorder, writer, 1);
        continue;
      }
      write_entry(writer, &shard->entries[at]);
    }
    unlock(shard);
  }
}

// MARK: - In a crash

// A bit for each table that the crash record holds. Only one thread writes a crash record at a time.
static uint32_t held;

uint64_t kvos_hold_live_in_crash(void) {
  uint64_t count = 0;
  for (uint32_t index = 0; index < SHARD_COUNT; index++) {
    // The holder may finish in a moment, or be this thread.
    for (int turn = 0; turn < 1000; turn++) {
      uint32_t free = 0;
      if (!atomic_compare_exchange_strong_explicit(&kvos_recorder()->shards[index].isLocked, &free, 1,
                                                   memory_order_acquire, memory_order_relaxed)) {
        continue;
      }
      held |= 1u << index;
      break;
    }
    count += count_of(&kvos_recorder()->shards[index]);
  }
  return count;
}

void kvos_write_live_in_crash(KVOSWriter *writer, bool (*makeRoom)(KVOSWriter *writer)) {
  for (uint32_t index = 0; index < SHARD_COUNT; index++) {
    Shard *shard = &kvos_recorder()->shards[index];
    if (!(held & 1u << index)) continue;
    for (uint32_t at = 0; at < shard->entryCount; at++) {
      if (shard->entries[at].id == 0) continue;
      if (writer->cursor >= writer->limit && !makeRoom(writer)) return;
      write_entry(writer, &shard->entries[at]);
    }
  }
}

void kvos_release_live_in_crash(void) {
  for (uint32_t index = 0; index < SHARD_COUNT; index++) {
    if (held & 1u << index) unlock(&kvos_recorder()->shards[index]);
  }
  held = 0;
}
