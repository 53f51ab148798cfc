// Appends events to the calling thread's segment.
//
// The hot path: no lock, no allocation, no system call, no store that another thread reads except for the record
// itself. What it must survive, and how:
// - the process is killed between any two stores: the kind of a record is stored last, so that the record is in the
//   file either completely or not at all;
// - a signal handler of the program records in the middle of a record: the epoch is invalid while writing, and its
//   event is counted as lost. Space is checked after the epoch was made invalid, so that no handler can use it up in
//   between;
// - a part ends, a name cannot be written, the process forks: the epoch differs, and the thread checks before it
//   writes;
// - a thread continues writing into a file that has ended: it stays mapped, and the reader treats both files as one
//   log.

#include "recorder.h"

bool kvos_is_recording(void) { return atomic_load_explicit(&kvos_recorder()->isOn, memory_order_relaxed); }

void kvos_count_lost(KVOSRecorder *recorder, KVOSWriter *writer, uint64_t count) {
  atomic_fetch_add_explicit(&recorder->lost, count, memory_order_relaxed);
  atomic_fetch_add_explicit(writer ? &writer->lost : &recorder->reportedLost, count, memory_order_relaxed);
  KVOSPart *part = atomic_load_explicit(&recorder->part, memory_order_acquire);
  if (part && !atomic_load_explicit(&part->damage, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&kvos_head(part)->lost, count, memory_order_relaxed);
  }
}

// The first bytes of a record: time, order, stack. Returns the address of the fields.
static inline __attribute__((always_inline)) uint8_t *begin(KVOSWriter *writer, uint8_t *start, uint64_t order,
                                                            uint32_t stack, uint8_t *marks) {
  uint8_t *at = start + 1;
  *marks = 0;
  if (stack != 0) {
    *marks = 0x80;
    *at++ = 1;
  }
  at = kvos_put_time(writer, at);
  if (order != KVOS_NO_ORDER) {
    *marks |= 0x40;
    at = kvos_put(at, order);
  }
  if (stack != 0) at = kvos_put(at, stack);
  return at;
}

static inline __attribute__((always_inline)) void end(KVOSWriter *writer, uint8_t *start, uint8_t *at, uint32_t kind) {
  writer->cursor = at;
  // Two operations, because no other thread adds to it.
  uint64_t count = atomic_load_explicit(&writer->segmentEventCount, memory_order_relaxed);
  atomic_store_explicit(&writer->segmentEventCount, count + 1, memory_order_relaxed);
  kvos_commit(start, (uint8_t)kind);
  kvos_note_used(writer);
}

// Writes the scope of the following events.
static void put_scope(KVOSWriter *writer, uint64_t scope) {
  uint8_t *start = writer->cursor;
  writer->cursor = kvos_put(start + 1, scope);
  writer->scope = scope;
  kvos_commit(start, KVOS_KIND_SCOPE);
}

// Whether there is space for a record. A child finds the common epoch 0, which differs from its thread's: it opened no
// segment there.
static inline __attribute__((always_inline)) bool may_write(KVOSRecorder *recorder, const KVOSWriter *writer,
                                                            uint64_t epoch) {
  return writer->cursor < writer->limit && epoch == atomic_load_explicit(recorder->epoch, memory_order_relaxed);
}

// Does one of the tasks that are due before the next event. Returns false if the event is lost, or no log is written.
__attribute__((noinline)) static bool look(KVOSRecorder *recorder, KVOSWriter *writer, uint64_t scope) {
  if (!atomic_load_explicit(&recorder->isOn, memory_order_relaxed)) return false;
  if (writer == NULL || kvos_is_amid_record(writer)) {
    kvos_count_lost(recorder, writer, 1);
    return false;
  }
  uint64_t epoch = kvos_begin_record(writer);
  bool mayWrite = may_write(recorder, writer, epoch);
  if (mayWrite && writer->scope != scope) put_scope(writer, scope);
  kvos_end_record(writer, epoch);
  if (!mayWrite) {
    KVOSPart *part = atomic_load_explicit(&recorder->part, memory_order_acquire);
    if (part && kvos_is_refused(part)) {
      // Another copy of this code may have been refused.
      kvos_note_seen_refusal();
      kvos_count_lost(recorder, writer, 1);
      return false;
    }
  }
  // A new segment begins without a scope, which is then written in the next iteration.
  return mayWrite || kvos_prepare(recorder, writer);
}

bool kvos_lose_at_once(uint64_t count) {
  KVOSRecorder *recorder = kvos_recorder();
  KVOSPart *part = atomic_load_explicit(&recorder->part, memory_order_acquire);
  if (KVOS_LIKELY(part == NULL || !kvos_is_refused(part))) return false;
  KVOSWriter *writer = kvos_writer();
  if (writer == NULL || kvos_is_amid_record(writer)) return false;
  uint64_t epoch = kvos_begin_record(writer);
  bool mayWrite = may_write(recorder, writer, epoch);
  kvos_end_record(writer, epoch);
  if (mayWrite || !atomic_load_explicit(&recorder->isOn, memory_order_relaxed)) return false;
  kvos_count_lost(recorder, writer, count);
  return true;
}

// Begins a record: true, with the epoch to end it with. Returns false if the event is lost, or no log is written.
static inline __attribute__((always_inline)) bool begin_record(KVOSRecorder *recorder, KVOSWriter *writer,
                                                               uint64_t scope, uint64_t *epoch) {
  while (true) {
    if (KVOS_LIKELY(writer != NULL)) {
      *epoch = kvos_begin_record(writer);
      if (KVOS_LIKELY(may_write(recorder, writer, *epoch) && writer->scope == scope)) return true;
      kvos_end_record(writer, *epoch);
    }
    if (!look(recorder, writer, scope)) return false;
  }
}

void kvos_record_change(uint32_t kind, uint64_t order, uint32_t stack, uint64_t scope, uint64_t shape, uint64_t subject,
                        uint64_t type, uint64_t key, uint64_t change) {
  KVOSRecorder *recorder = kvos_recorder();
  KVOSWriter *writer = kvos_writer();
  uint64_t epoch;
  if (!begin_record(recorder, writer, scope, &epoch)) return;
  uint8_t marks;
  uint8_t *start = writer->cursor;
  uint8_t *at = begin(writer, start, order, stack, &marks);
  at = kvos_put(kvos_put(kvos_put(kvos_put(at, shape), subject), type), key);
  at = kvos_put(at, change);
  end(writer, start, at, kind | marks);
  kvos_end_record(writer, epoch);
}

void kvos_record_delivery(uint32_t kind, uint64_t order, uint32_t stack, uint64_t scope, uint64_t shape,
                          uint64_t registration, uint64_t change) {
  KVOSRecorder *recorder = kvos_recorder();
  KVOSWriter *writer = kvos_writer();
  uint64_t epoch;
  if (!begin_record(recorder, writer, scope, &epoch)) return;
  uint8_t marks;
  uint8_t *start = writer->cursor;
  uint8_t *at = begin(writer, start, order, stack, &marks);
  at = kvos_put(kvos_put(at, shape), registration);
  if (shape & KVOS_DELIVERY_HAS_CHANGE) at = kvos_put(at, change);
  end(writer, start, at, kind | marks);
  kvos_end_record(writer, epoch);
}

static inline __attribute__((always_inline)) void put_event(KVOSWriter *writer, uint32_t kind, uint64_t order,
                                                            uint32_t stack, const uint64_t *fields,
                                                            uint32_t fieldCount) {
  uint8_t marks;
  uint8_t *start = writer->cursor;
  uint8_t *at = begin(writer, start, order, stack, &marks);
  for (uint32_t field = 0; field < fieldCount; field++) at = kvos_put(at, fields[field]);
  end(writer, start, at, kind | marks);
}

// An event with a list: it gets a segment of its own. The lock keeps signals away from it.
__attribute__((noinline)) static void record_long(KVOSRecorder *recorder, KVOSWriter *writer, uint32_t kind,
                                                  uint64_t order, uint32_t stack, uint64_t scope,
                                                  const uint64_t *fields, uint32_t fieldCount) {
  uint64_t byteCount = 10 * (uint64_t)fieldCount + 2 * KVOS_RECORD_LIMIT;
  bool isOver = false;
  while (!isOver && look(recorder, writer, scope)) {
    kvos_lock(recorder);
    // The state may have changed before the lock was taken: then it checks again.
    isOver = writer->epoch == atomic_load_explicit(recorder->epoch, memory_order_relaxed);
    if (isOver && kvos_claim(recorder, writer, byteCount)) {
      if (scope != 0) put_scope(writer, scope);
      put_event(writer, kind, order, stack, fields, fieldCount);
    } else if (isOver) {
      kvos_count_lost(recorder, writer, 1);
    }
    kvos_unlock(recorder);
  }
}

void kvos_record(uint32_t kind, uint64_t order, uint32_t stack, uint64_t scope, const uint64_t *fields,
                 uint32_t fieldCount) {
  KVOSRecorder *recorder = kvos_recorder();
  KVOSWriter *writer = kvos_writer();
  if (KVOS_UNLIKELY(fieldCount > KVOS_FIELD_LIMIT)) {
    record_long(recorder, writer, kind, order, stack, scope, fields, fieldCount);
    return;
  }
  uint64_t epoch;
  if (!begin_record(recorder, writer, scope, &epoch)) return;
  put_event(writer, kind, order, stack, fields, fieldCount);
  kvos_end_record(writer, epoch);
}
