// Appends events to the calling thread's segment.
//
// The hot path: no lock, no allocation, no system call, no store that another thread reads but the
// record itself. What it must survive, and by what:
// - the process is killed between any two stores: the kind of a record is stored last, so that the
//   record is in the file whole or not at all;
// - a signal handler of the program records in the middle of a record: `isBusy` is set, and its event
//   is counted as lost;
// - a part ends, a name cannot be written, the process forks: the epoch differs, and the thread
//   looks before it writes;
// - a thread goes on writing into a part that has ended: the part stays mapped, and the reader
//   takes both parts as one log.

#include "recorder.h"

#include <string.h>

bool kvos_is_recording(void) {
  return atomic_load_explicit(&kvos_recorder()->isOn, memory_order_relaxed);
}

void kvos_count_lost(KVOSRecorder *recorder, KVOSWriter *writer, uint64_t count) {
  atomic_fetch_add_explicit(&recorder->lost, count, memory_order_relaxed);
  if (writer) atomic_fetch_add_explicit(&writer->lost, count, memory_order_relaxed);
  KVOSPart *part = atomic_load_explicit(&recorder->part, memory_order_acquire);
  if (part && !atomic_load_explicit(&part->damage, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&kvos_head(part)->lost, count, memory_order_relaxed);
  }
}

// The first bytes of a record: time, order, stack. Returns where the fields go.
static inline __attribute__((always_inline)) uint8_t *begin(KVOSWriter *writer, uint8_t *start,
                                                            uint64_t order, uint32_t stack,
                                                            uint8_t *marks) {
  uint64_t now = kvos_tick();
  // Counters of two cores may differ by some ticks; a thread's own time does not run backwards.
  uint64_t passed = now > writer->tick ? now - writer->tick : 0;
  writer->tick += passed;
  uint8_t *at = start + 1;
  *marks = 0;
  if (stack != 0) {
    *marks = 0x80;
    *at++ = 1;
  }
  at = kvos_put(at, passed);
  if (order != KVOS_NO_ORDER) {
    *marks |= 0x40;
    at = kvos_put(at, order);
  }
  if (stack != 0) at = kvos_put(at, stack);
  return at;
}

static inline __attribute__((always_inline)) void end(KVOSWriter *writer, uint8_t *start,
                                                      uint8_t *at, uint32_t kind) {
  writer->cursor = at;
  writer->segmentEventCount++;
  kvos_commit(start, (uint8_t)kind);
}

// Writes what the next event needs before it. False: the event is lost.
__attribute__((noinline)) static bool look(KVOSRecorder *recorder, KVOSWriter *writer,
                                           uint64_t scope) {
  if (writer == NULL || writer->isBusy) {
    kvos_count_lost(recorder, writer, 1);
    return false;
  }
  uint64_t epoch = atomic_load_explicit(recorder->epoch, memory_order_relaxed);
  KVOS_BEGIN_RECORD(writer);
  bool isReady = (writer->epoch == epoch && epoch != 0 && writer->cursor < writer->limit) ||
                 kvos_prepare(recorder, writer);
  if (isReady && writer->scope != scope) {
    uint8_t *start = writer->cursor;
    writer->cursor = kvos_put(start + 1, scope);
    writer->scope = scope;
    kvos_commit(start, KVOS_SCOPE);
    isReady = writer->cursor < writer->limit || kvos_prepare(recorder, writer);
    // A new segment begins without a scope.
    if (isReady && writer->scope != scope) {
      start = writer->cursor;
      writer->cursor = kvos_put(start + 1, scope);
      writer->scope = scope;
      kvos_commit(start, KVOS_SCOPE);
    }
  }
  KVOS_END_RECORD(writer);
  return isReady;
}

static inline __attribute__((always_inline)) bool is_ready(KVOSRecorder *recorder,
                                                           KVOSWriter *writer, uint64_t scope) {
  return KVOS_LIKELY(writer != NULL && writer->epoch != 0 && writer->isBusy == 0 &&
                     writer->epoch == atomic_load_explicit(recorder->epoch, memory_order_relaxed) &&
                     writer->cursor < writer->limit && writer->scope == scope) ||
         look(recorder, writer, scope);
}

bool kvos_record(uint32_t kind, uint64_t order, uint32_t stack, uint64_t scope,
                 const uint64_t *fields, uint32_t fieldCount) {
  KVOSRecorder *recorder = kvos_recorder();
  if (!atomic_load_explicit(&recorder->isOn, memory_order_relaxed)) return false;
  KVOSWriter *writer = kvos_writer();
  if (!is_ready(recorder, writer, scope)) return false;
  if (fieldCount > KVOS_FIELD_LIMIT) fieldCount = KVOS_FIELD_LIMIT;
  KVOS_BEGIN_RECORD(writer);
  uint8_t marks;
  uint8_t *start = writer->cursor;
  uint8_t *at = begin(writer, start, order, stack, &marks);
  for (uint32_t field = 0; field < fieldCount; field++) at = kvos_put(at, fields[field]);
  end(writer, start, at, kind | marks);
  KVOS_END_RECORD(writer);
  return true;
}

bool kvos_record_five(uint32_t kind, uint64_t order, uint32_t stack, uint64_t scope,
                      uint32_t fieldCount, uint64_t field0, uint64_t field1, uint64_t field2,
                      uint64_t field3, uint64_t field4) {
  KVOSRecorder *recorder = kvos_recorder();
  if (!atomic_load_explicit(&recorder->isOn, memory_order_relaxed)) return false;
  KVOSWriter *writer = kvos_writer();
  if (!is_ready(recorder, writer, scope)) return false;
  KVOS_BEGIN_RECORD(writer);
  uint8_t marks;
  uint8_t *start = writer->cursor;
  uint8_t *at = begin(writer, start, order, stack, &marks);
  if (fieldCount > 0) at = kvos_put(at, field0);
  if (fieldCount > 1) at = kvos_put(at, field1);
  if (fieldCount > 2) at = kvos_put(at, field2);
  if (fieldCount > 3) at = kvos_put(at, field3);
  if (fieldCount > 4) at = kvos_put(at, field4);
  end(writer, start, at, kind | marks);
  KVOS_END_RECORD(writer);
  return true;
}
