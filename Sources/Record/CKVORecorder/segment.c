// The segments of a part: who may open one, its header, its end and its checksum.

#include "recorder.h"

#include <string.h>
#include <time.h>

#include "CKVOChecksum.h"
#include "CKVOUnwind.h"

static const uint32_t segmentMagic = 'K' | 'V' << 8 | 'S' << 16 | (uint32_t)'G' << 24;

// How often one side checks whether the other is done, which may never continue. At least 300 ms: on a busy machine a
// thread waits for a processor that long. A crash record has a second, see secondsToHalt.
static const int lookLimit = 3000;
static const struct timespec lookInterval = {0, 100000};

void kvos_begin_opening(KVOSPart *part) {
  // seq_cst, here and in kvos_begin_crash_opening(): of two that begin concurrently, one sees the other.
  for (int look = 0; look < lookLimit; look++) {
    atomic_store(&part->opener, kvos_own_id());
    if (!atomic_load(&part->isCrashOpening)) return;
    atomic_store(&part->opener, 0);
    nanosleep(&lookInterval, NULL);
  }
}

void kvos_end_opening(KVOSPart *part) { atomic_store_explicit(&part->opener, 0, memory_order_release); }

void kvos_begin_crash_opening(KVOSPart *part) {
  atomic_store(&part->isCrashOpening, true);
  int32_t own = kvos_own_id();
  for (int look = 0; look < lookLimit; look++) {
    int32_t opener = atomic_load(&part->opener);
    if (opener == 0 || opener == own) return;
    nanosleep(&lookInterval, NULL);
  }
}

void kvos_end_crash_opening(KVOSPart *part) {
  atomic_store_explicit(&part->isCrashOpening, false, memory_order_release);
}

// Notes in the header that the log extends at least to `end`. A crash record may do so concurrently.
static void note_length(KVOSPart *part, uint64_t end) {
  if (atomic_load_explicit(&part->damage, memory_order_relaxed) != KVOS_WHOLE) return;
  _Atomic uint64_t *length = &kvos_head(part)->length;
  uint64_t before = atomic_load_explicit(length, memory_order_relaxed);
  while (before < end &&
         !atomic_compare_exchange_weak_explicit(length, &before, end, memory_order_relaxed, memory_order_relaxed)) {
  }
}

static void write_header(const KVOSWriter *writer) {
  KVOSSegment *segment = writer->opening;
  segment->byteCount = writer->openingByteCount;
  segment->type = (uint16_t)writer->type;
  segment->index = writer->openingIndex;
  segment->thread = writer->thread;
  segment->nanoseconds = kvos_nanoseconds();
  segment->tick = kvos_tick();
  // The checksum covers the magic, which is not there yet.
  uint8_t head[40];
  memcpy(head, segment, sizeof head);
  memcpy(head, &segmentMagic, sizeof segmentMagic);
  segment->headChecksum = kvos_checksum(head, sizeof head, 0);
  atomic_store_explicit(&segment->magic, segmentMagic, memory_order_release);
}

void kvos_complete_opening(KVOSWriter *writer) {
  if (writer->opening == NULL || writer->openingThread != kvos_thread_number()) return;
  write_header(writer);
  writer->nextIndex = writer->openingIndex + 1;
}

void kvos_open_segment(KVOSWriter *writer, KVOSPart *part, uint64_t offset, uint64_t byteCount) {
  KVOSSegment *segment = (KVOSSegment *)(void *)(part->base + offset);
  // Segments of the tables are counted by the file: a crash record may take one at any moment.
  bool isTables = writer->type == KVOS_TABLES;
  writer->openingIndex =
      isTables ? atomic_fetch_add_explicit(&part->tableCount, 1, memory_order_relaxed) : writer->nextIndex;
  writer->openingByteCount = (uint32_t)byteCount;
  writer->openingThread = kvos_thread_number();
  atomic_signal_fence(memory_order_seq_cst);
  writer->opening = segment;
  atomic_signal_fence(memory_order_seq_cst);
  write_header(writer);
  // Unless a crash record has counted it, and taken those that follow.
  if (!isTables && writer->nextIndex == writer->openingIndex) writer->nextIndex++;
  atomic_signal_fence(memory_order_seq_cst);
  writer->opening = NULL;
  note_length(part, offset + byteCount);
  writer->segment = segment;
  writer->part = part;
  writer->tick = segment->tick;
  writer->scope = 0;
  kvos_take_event_count(writer);
  writer->cursor = part->base + offset + KVOS_SEGMENT_HEADER;
  writer->limit = part->base + offset + byteCount - KVOS_RECORD_LIMIT;
}

static _Atomic uint8_t *closed_mark(KVOSPart *part, const KVOSSegment *segment) {
  return &part->closed[((const uint8_t *)segment - part->base) / KVOS_PAGE];
}

void kvos_close_segment(KVOSRecorder *recorder, KVOSWriter *writer) {
  KVOSSegment *segment = writer->segment;
  if (segment == NULL) return;
  KVOSPart *part = writer->part;
  kvos_note_used(writer);
  // release: pairs with the acquire of kvos_seal_segments(), which needs all of the records.
  atomic_store_explicit(closed_mark(part, segment), 1, memory_order_release);
  uint64_t count = kvos_take_event_count(writer);
  if (atomic_load_explicit(&part->damage, memory_order_relaxed) == KVOS_WHOLE) {
    part->eventCount += count;
  } else if (memcmp(part->session, recorder->session, sizeof part->session) == 0) {
    kvos_count_lost(recorder, writer, count);
  }
  // Without the helper, nothing else would do it before the log ends.
  bool isWhole = atomic_load_explicit(&part->damage, memory_order_relaxed) == KVOS_WHOLE;
  if (isWhole && !atomic_load_explicit(&recorder->helper.isRunning, memory_order_relaxed)) {
    uint64_t used = atomic_load_explicit(&segment->used, memory_order_relaxed);
    if (used > 0) kvos_seal_segment(segment, used);
  }
  writer->segment = NULL;
  writer->part = NULL;
  writer->cursor = NULL;
  writer->limit = NULL;
}

void kvos_seal_segment(KVOSSegment *segment, uint64_t used) {
  uint64_t sum = kvos_checksum((uint8_t *)segment + KVOS_SEGMENT_HEADER, used, 0);
  // 0 means none.
  atomic_store_explicit(&segment->checksum, sum ? sum : 1, memory_order_release);
}

void kvos_seal_segments(KVOSPart *part) {
  uint64_t end = atomic_load_explicit(&part->claimed, memory_order_relaxed);
  uint64_t step;
  for (uint64_t offset = KVOS_PAGE; offset + KVOS_PAGE <= end; offset += step) {
    KVOSSegment *segment = (KVOSSegment *)(void *)(part->base + offset);
    step = KVOS_PAGE;
    // acquire: pairs with the release that publishes the head.
    if (atomic_load_explicit(&segment->magic, memory_order_acquire) != segmentMagic) continue;
    step = segment->byteCount;
    if (step < KVOS_PAGE || step > end - offset) return;
    // acquire: pairs with the release of kvos_close_segment().
    if (!atomic_load_explicit(closed_mark(part, segment), memory_order_acquire)) continue;
    uint64_t used = atomic_load_explicit(&segment->used, memory_order_relaxed);
    if (used == 0 || used > step - KVOS_SEGMENT_HEADER) continue;
    if (atomic_load_explicit(&segment->checksum, memory_order_relaxed) != 0) continue;
    kvos_seal_segment(segment, used);
  }
}
