// Writers, and how they make records. Included by recorder.h alone.

#ifndef KVOS_WRITER_H
#define KVOS_WRITER_H

#include "part.h"

#define KVOS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define KVOS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

enum {
  KVOS_TABLES = 1,
  KVOS_EVENTS = 2
};

/// Writes records into its own segments. One for every thread, and one for the tables.
typedef struct KVOSWriter {
  /// The epoch in which it may write without a check; 0: none; KVOS_AMID_RECORD: it is writing a record.
  volatile uint64_t epoch;
  uint8_t *cursor;
  /// The last address at which a record may begin.
  uint8_t *limit;
  uint64_t tick;
  uint64_t scope;
  uint32_t type;
  /// Events in the present segment; they are lost if the file is truncated. Belongs to the thread, except at the end of
  /// a log, which takes it.
  _Atomic uint64_t segmentEventCount;
  KVOSSegment *segment;
  KVOSPart *part;
  uint64_t thread;
  /// The part that the next index counts in, and the one in which the thread's name was written.
  KVOSPart *partOfIndex;
  KVOSPart *namedIn;
  uint32_t nextIndex;
  uint32_t nextByteCount;
  /// The segment whose header a thread is writing, with the number of the thread and the segment's index and size; null
  /// otherwise.
  KVOSSegment *opening;
  uint64_t openingThread;
  uint32_t openingIndex;
  uint32_t openingByteCount;
  /// Events that were lost and are not yet reported. Added to by the thread, taken by the thread that stops the log.
  _Atomic uint64_t lost;
  /// Stacks that the thread captured last, or null; stays with the writer. See capture.c.
  struct KVOSRecentStacks *recentStacks;
  /// The stack for signal handlers that the thread was given; stays with the writer.
  void *signalStack;
  bool hasSignalStack;
  struct KVOSWriter *next;
} KVOSWriter;

/// Makes the segment at `offset` of `part` the writer's.
void kvos_open_segment(KVOSWriter *writer, KVOSPart *part, uint64_t offset, uint64_t byteCount);

/// Writes the header of the segment that this thread was opening when a signal interrupted it, if it was: otherwise the
/// segments that follow would be those after a missing one.
void kvos_complete_opening(KVOSWriter *writer);

// MARK: Making records

/// Returns how many events are in the writer's segment, and resets the count.
static inline uint64_t kvos_take_event_count(KVOSWriter *writer) {
  uint64_t count = atomic_load_explicit(&writer->segmentEventCount, memory_order_relaxed);
  atomic_store_explicit(&writer->segmentEventCount, 0, memory_order_relaxed);
  return count;
}

// Not a valid epoch of the recorder.
#define KVOS_AMID_RECORD (UINT64_MAX - 1)

// While a thread writes a record its epoch is invalid, so that a signal handler of the same thread that records takes
// the slow path, sees that, and gives up. The fences keep the compiler from moving the stores of the record out of the
// bracket.
static inline __attribute__((always_inline)) uint64_t kvos_begin_record(KVOSWriter *writer) {
  uint64_t epoch = writer->epoch;
  writer->epoch = KVOS_AMID_RECORD;
  atomic_signal_fence(memory_order_seq_cst);
  return epoch;
}

static inline __attribute__((always_inline)) void kvos_end_record(KVOSWriter *writer, uint64_t epoch) {
  atomic_signal_fence(memory_order_seq_cst);
  writer->epoch = epoch;
}

static inline bool kvos_is_amid_record(const KVOSWriter *writer) { return writer->epoch == KVOS_AMID_RECORD; }

/// Appends a variable-length number. May write up to three zeros after it: the rest of the record overwrites them, and
/// after the last record they are harmless.
static inline __attribute__((always_inline)) uint8_t *kvos_put(uint8_t *at, uint64_t number) {
  if (KVOS_LIKELY(number < 0x80)) {
    *at = (uint8_t)number;
    return at + 1;
  }
  if (KVOS_LIKELY(number < 0x200000)) {
    // Two or three bytes in one store: groups of seven bits moved to groups of eight.
    bool isThree = number >= 0x4000;
    uint32_t groups = (uint32_t)((number & 0x7F) | (number << 1 & 0x7F00) | (number << 2 & 0x7F0000));
    groups |= isThree ? 0x8080u : 0x80u;
    memcpy(at, &groups, sizeof groups);
    return at + 2 + isThree;
  }
  if (number < 0x10000000) {
    // Four, likewise: a long-lived program's numbers of changes.
    uint32_t groups =
        (uint32_t)((number & 0x7F) | (number << 1 & 0x7F00) | (number << 2 & 0x7F0000) | (number << 3 & 0x7F000000));
    groups |= 0x808080u;
    memcpy(at, &groups, sizeof groups);
    return at + 4;
  }
  while (number >= 0x80) {
    *at++ = (uint8_t)(number | 0x80);
    number >>= 7;
  }
  *at++ = (uint8_t)number;
  return at;
}

/// The time of a record: ticks since the writer's last one.
///
/// Counters of two cores may differ by some ticks; a thread's own time does not run backwards.
static inline __attribute__((always_inline)) uint8_t *kvos_put_time(KVOSWriter *writer, uint8_t *at) {
  uint64_t now = kvos_tick();
  uint64_t passed = now > writer->tick ? now - writer->tick : 0;
  writer->tick += passed;
  return kvos_put(at, passed);
}

/// The fields of a stack: its id, its frame count, each address as the difference to the one before.
static inline uint8_t *kvos_put_stack(uint8_t *at, uint32_t id, const uintptr_t *frames, uint64_t count) {
  at = kvos_put(kvos_put(at, id), count);
  uint64_t previous = 0;
  for (uint64_t frame = 0; frame < count; frame++) {
    uint64_t difference = frames[frame] - previous;
    at = kvos_put(at, difference << 1 ^ (uint64_t)((int64_t)difference >> 63));
    previous = frames[frame];
  }
  return at;
}

/// Commits the record that begins at `at` with `kind`.
///
/// release: a reader that sees the kind sees the whole record, and so does the file: the pages belong to the page
/// cache, and outlive the process.
static inline __attribute__((always_inline)) void kvos_commit(uint8_t *at, uint8_t kind) {
  atomic_store_explicit((_Atomic uint8_t *)at, kind, memory_order_release);
}

/// Notes in the segment where its records end. A reader that finds less knows that some were lost.
///
/// release: a reader of the length sees the records.
static inline __attribute__((always_inline)) void kvos_note_used(KVOSWriter *writer) {
  const uint8_t *start = (const uint8_t *)writer->segment + KVOS_SEGMENT_HEADER;
  atomic_store_explicit(&writer->segment->used, (uint64_t)(writer->cursor - start), memory_order_release);
}

#endif
