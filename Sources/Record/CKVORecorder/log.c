// The log as a whole: its parts one after the other, its start and its end.

#include "crash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "CKVOUnwind.h"

// How long to wait before another attempt to open a part that could not be opened.
static const uint64_t retryNanoseconds = 100000000;
// How long events are dropped without a retry when a log file is full and must not end.
static const uint64_t heldNanoseconds = 1000000;
// Beyond the events of a file: names that are still to be written.
static const uint64_t roomForNames = 16 << 20;

void kvos_change_epoch(KVOSRecorder *recorder) {
  recorder->lastEpoch++;
  atomic_store_explicit(recorder->epoch, recorder->lastEpoch, memory_order_relaxed);
}

bool kvos_block(KVOSRecorder *recorder) {
  recorder->isBlocked = true;
  kvos_change_epoch(recorder);
  return false;
}

static KVOSPart *present_part(KVOSRecorder *recorder) {
  return atomic_load_explicit(&recorder->part, memory_order_relaxed);
}

// MARK: - Parts

// The bytes that the names of the process need in the tables, generously.
static uint64_t name_byte_count(const KVOSRecorder *recorder) {
  return recorder->strings.byteCount + recorder->stacks.byteCount * 5 / 4 +
         32 * ((uint64_t)atomic_load(&recorder->strings.count) + (uint64_t)atomic_load(&recorder->stacks.count));
}

// Losses that are not reported yet will be reported in the new part.
static void take_over_losses(KVOSRecorder *recorder, KVOSPart *previous, KVOSPart *part) {
  uint64_t unreported = atomic_load_explicit(&recorder->lost, memory_order_relaxed) -
                        atomic_load_explicit(&recorder->reportedLost, memory_order_relaxed);
  atomic_fetch_add_explicit(&kvos_head(part)->lost, unreported, memory_order_relaxed);
  if (previous == NULL || atomic_load_explicit(&previous->damage, memory_order_relaxed)) return;
  atomic_fetch_sub_explicit(&kvos_head(previous)->lost, unreported, memory_order_relaxed);
}

// How many events `part` has. Threads may be adding to the segments that are open, which it counts as they are now.
__attribute__((no_sanitize("thread"))) static uint64_t event_count(const KVOSRecorder *recorder, const KVOSPart *part) {
  uint64_t count = part->eventCount;
  for (const KVOSWriter *writer = recorder->writers; writer; writer = writer->next) {
    if (writer->part == part) count += atomic_load_explicit(&writer->segmentEventCount, memory_order_relaxed);
  }
  return count;
}

// Makes the file the current one, self-contained except for the live registrations.
//
// Names for which the tables have no space yet are written later, before any event.
static bool begin_part(KVOSRecorder *recorder, int descriptor, uint32_t number, bool isComplete) {
  uint64_t byteCount =
      recorder->settings.partByteCount + roomForNames + 2 * name_byte_count(recorder) + 128 * kvos_live_count();
  KVOSPart *part =
      kvos_map_part(descriptor, number, (byteCount + KVOS_PAGE) & ~(uint64_t)(KVOS_PAGE - 1), recorder->session);
  recorder->settings.hooks.placePart(part != NULL);
  if (part == NULL) return false;
  part->isComplete = isComplete;
  KVOSPart *previous = present_part(recorder);
  kvos_close_segment(recorder, &recorder->tables);
  if (previous) recorder->earlierEventCount += event_count(recorder, previous);
  part->previous = atomic_load_explicit(&recorder->parts, memory_order_relaxed);
  // release: pairs with the acquire of kvos_part_containing() and of threads that count losses.
  atomic_store_explicit(&recorder->parts, part, memory_order_release);
  atomic_store_explicit(&recorder->part, part, memory_order_release);
  recorder->definedStringCount = 0;
  recorder->definedStackCount = 0;
  recorder->isBlocked = false;
  // From here on threads request segments of this file. A registration that a thread noted before it wrote into the
  // previous part is among the live ones that are written next.
  kvos_change_epoch(recorder);
  take_over_losses(recorder, previous, part);
  kvos_define_names(recorder);
  part->eventLimit = atomic_load(&part->claimed) + recorder->settings.partByteCount;
  if (previous) {
    kvos_seal_segments(previous);
    kvos_end_part(previous, KVOS_CONTINUED);
  }
  for (KVOSPart *old = part->previous; old; old = old->previous) {
    bool isOfThisLog = memcmp(old->session, recorder->session, sizeof old->session) == 0;
    bool isKept = isOfThisLog && old->number + recorder->settings.partCount > number;
    if (!isKept) kvos_drop_part(recorder, old);
  }
  kvos_start_helper(recorder);
  return true;
}

// Begins the next part of the log. Returns false if that is impossible now.
static bool next_part(KVOSRecorder *recorder, KVOSWriter *writer, KVOSPartReason reason) {
  if (kvos_nanoseconds() < recorder->retryNanoseconds) return false;
  uint32_t number = recorder->partNumber + 1;
  int descriptor = recorder->settings.hooks.openPart(number, reason);
  if (descriptor < 0 || !begin_part(recorder, descriptor, number, false)) {
    if (descriptor >= 0) close(descriptor);
    uint64_t now = kvos_nanoseconds();
    recorder->retryNanoseconds = now + retryNanoseconds;
    KVOSPart *part = present_part(recorder);
    if (part) kvos_refuse(part, now, retryNanoseconds);
    return false;
  }
  recorder->partNumber = number;
  kvos_write_live(recorder, writer);
  return true;
}

// Begins the next part, unless a crash keeps the present one. Returns false if neither takes events now.
static bool rotate(KVOSRecorder *recorder, KVOSWriter *writer, KVOSPart *part) {
  if (kvos_begin_ending_part(recorder)) {
    bool hasBegun = next_part(recorder, writer, KVOS_NEXT);
    kvos_finish_ending_part(recorder);
    return hasBegun;
  }
  if (part->isFull) kvos_refuse(part, kvos_nanoseconds(), heldNanoseconds);
  return !part->isFull;
}

bool kvos_begin_next_part(void) {
  KVOSRecorder *recorder = kvos_recorder();
  KVOSWriter *writer = kvos_writer();
  if (writer == NULL || present_part(recorder) == NULL || !kvos_begin_ending_part(recorder)) return false;
  bool hasBegun = next_part(recorder, writer, KVOS_NEXT);
  kvos_finish_ending_part(recorder);
  return hasBegun;
}

// MARK: - Getting ready

// The space that a crash record would need, if crashes are recorded at all.
static uint64_t crash_reserve(void) {
  return KVOS_CRASH_RESERVE + (kvos_has_crash_record() ? 64 * kvos_live_count() : 0);
}

bool kvos_claim(KVOSRecorder *recorder, KVOSWriter *writer, uint64_t byteCount) {
  KVOSPart *part = present_part(recorder);
  if (part == NULL) return false;
  kvos_close_segment(recorder, writer);
  if (writer->partOfIndex != part) {
    writer->partOfIndex = part;
    writer->nextIndex = kvos_crash_segment_count(part, writer->thread);
    writer->nextByteCount = KVOS_FIRST_SEGMENT;
  }
  uint64_t needed = KVOS_SEGMENT_HEADER + byteCount + KVOS_RECORD_LIMIT + 1;
  uint64_t size = writer->nextByteCount;
  if (size < needed) size = (needed + KVOS_PAGE - 1) & ~(uint64_t)(KVOS_PAGE - 1);
  uint64_t reserve = crash_reserve();
  kvos_begin_opening(part);
  uint64_t offset = kvos_take(part, size, reserve);
  if (offset == 0) {
    uint64_t end = atomic_load(&part->claimed) + size + reserve;
    uint64_t allocated = atomic_load(&part->allocated);
    int code = kvos_allocate(part, end > allocated ? end - allocated : size);
    if (code == ENOBUFS) part->isFull = true;
    offset = kvos_take(part, size, reserve);
  }
  if (offset != 0) kvos_open_segment(writer, part, offset, size);
  kvos_end_opening(part);
  if (offset == 0) return false;
  if (writer->nextByteCount < KVOS_LAST_SEGMENT) writer->nextByteCount *= 4;
  return true;
}

static void put_own(KVOSWriter *writer, uint8_t kind, uint64_t first, const uint64_t *second) {
  uint8_t *start = writer->cursor;
  uint8_t *at = kvos_put_time(writer, start + 1);
  at = kvos_put(at, first);
  if (second) at = kvos_put(at, *second);
  writer->cursor = at;
  kvos_commit(start, kind);
}

// Writes what precedes a thread's next event: its name, and its losses.
static bool introduce(KVOSRecorder *recorder, KVOSWriter *writer) {
  uint64_t lost = atomic_load_explicit(&writer->lost, memory_order_relaxed);
  if (writer->namedIn == writer->part && lost == 0) return true;
  char name[32];
  kvos_thread_name(name, sizeof name);
  uint64_t id = kvos_intern_string((const uint8_t *)name, strlen(name));
  static const char why[] = "the log could not be written";
  uint64_t whyID = kvos_intern_string((const uint8_t *)why, sizeof why - 1);
  if (recorder->isBlocked) return false;
  if (writer->namedIn != writer->part && id != 0) put_own(writer, KVOS_KIND_THREAD_NAME, id, NULL);
  writer->namedIn = writer->part;
  if (lost != 0) {
    put_own(writer, KVOS_KIND_DROPPED, lost, &whyID);
    writer->part->reportedCount += lost;
    atomic_fetch_sub_explicit(&writer->lost, lost, memory_order_relaxed);
    atomic_fetch_add_explicit(&recorder->reportedLost, lost, memory_order_relaxed);
  }
  return true;
}

// Returns false without a count if no log is written.
static bool prepare(KVOSRecorder *recorder, KVOSWriter *writer) {
  KVOSPart *part = present_part(recorder);
  uint32_t damage = part ? atomic_load_explicit(&part->damage, memory_order_relaxed) : KVOS_WHOLE;
  if (part == NULL) {
    if (!next_part(recorder, writer, KVOS_CHILD)) return false;
  } else if (damage != KVOS_WHOLE) {
    kvos_count_lost(recorder, writer, part->eventCount);
    part->eventCount = 0;
    // Counted before, but reported in a file that was lost.
    atomic_fetch_sub_explicit(&recorder->reportedLost, part->reportedCount, memory_order_relaxed);
    atomic_fetch_add_explicit(&writer->lost, part->reportedCount, memory_order_relaxed);
    part->reportedCount = 0;
    if (!next_part(recorder, writer, KVOS_REPLACEMENT)) return false;
  } else if (part->isFull || atomic_load(&part->claimed) > part->eventLimit) {
    if (!rotate(recorder, writer, part)) return false;
  }
  if (recorder->isBlocked && !kvos_define_names(recorder)) return false;
  if (writer->part != present_part(recorder) || writer->cursor >= writer->limit) {
    if (!kvos_claim(recorder, writer, KVOS_RECORD_LIMIT)) return false;
  }
  if (!introduce(recorder, writer)) return false;
  writer->epoch = atomic_load_explicit(recorder->epoch, memory_order_relaxed);
  return true;
}

bool kvos_prepare(KVOSRecorder *recorder, KVOSWriter *writer) {
  if (!writer->hasSignalStack && kvos_has_crash_record()) kvos_give_signal_stack(writer);
  kvos_lock(recorder);
  kvos_release_parts(recorder);
  bool isOn = kvos_is_recording();
  bool isReady = isOn && prepare(recorder, writer);
  // Every thread reaches this line with its first event.
  if (isReady) kvos_start_helper(recorder);
  if (isOn && !isReady) kvos_count_lost(recorder, writer, 1);
  kvos_unlock(recorder);
  if (isReady) kvos_wake_helper();
  return isReady;
}

void kvos_begin_log_of_child(void) {
  KVOSRecorder *recorder = kvos_recorder();
  if (!kvos_is_recording() || !kvos_is_in_new_child(recorder)) return;
  KVOSWriter *writer = kvos_writer();
  if (writer == NULL || kvos_is_amid_record(writer)) return;
  kvos_lock(recorder);
  if (kvos_is_recording() && present_part(recorder) == NULL) (void)next_part(recorder, writer, KVOS_CHILD);
  kvos_unlock(recorder);
}

// MARK: - Start and end

static void end_last_part(KVOSRecorder *recorder, KVOSPart *part) {
  if (kvos_check_damage(part)) {
    uint64_t count = part->eventCount;
    for (KVOSWriter *writer = recorder->writers; writer; writer = writer->next) {
      if (writer->part == part) count += kvos_take_event_count(writer);
    }
    kvos_count_lost(recorder, NULL, count);
  } else {
    kvos_seal_segments(part);
  }
  kvos_end_part(part, KVOS_STOPPED);
}

static void stop(KVOSRecorder *recorder) {
  kvos_begin_ending_log(recorder);
  KVOSPart *part = present_part(recorder);
  atomic_store_explicit(&recorder->isOn, false, memory_order_relaxed);
  kvos_change_epoch(recorder);
  KVOSWriter *writer = kvos_writer();
  if (writer) kvos_close_segment(recorder, writer);
  kvos_close_segment(recorder, &recorder->tables);
  atomic_store_explicit(&recorder->part, NULL, memory_order_release);
  if (part) end_last_part(recorder, part);
  kvos_finish_ending_part(recorder);
}

// Waits until threads have finished the records that they are writing. No thread begins another, because the epoch has
// changed.
//
// The next log takes over the files that they write to, and half of a record would be in the previous one: on a busy
// machine a thread may be preempted for longer than it takes to start a log. Not forever: the thread may be stopped, or
// be missing in the child of a fork, or this very one, in a signal handler. The values that are read belong to the
// writer's thread, and may be slightly outdated.
__attribute__((no_sanitize("thread"))) static void let_finish(KVOSRecorder *recorder) {
  const KVOSWriter *own = recorder->knownWriterOfThread();
  int looksLeft = 100;
  for (const KVOSWriter *writer = recorder->writers; writer; writer = writer->next) {
    while (writer != own && kvos_is_amid_record(writer) && looksLeft-- > 0) {
      struct timespec pause = {0, 500000};
      nanosleep(&pause, NULL);
    }
  }
}

int kvos_start_log(int descriptor, const KVOSLogSettings *settings) {
  KVOSRecorder *recorder = kvos_recorder();
  kvos_lock(recorder);
  if (kvos_is_recording()) stop(recorder);
  let_finish(recorder);
  recorder->settings = *settings;
  recorder->retryNanoseconds = 0;
  recorder->partNumber = 1;
  atomic_store_explicit(&recorder->lost, 0, memory_order_relaxed);
  atomic_store_explicit(&recorder->reportedLost, 0, memory_order_relaxed);
  recorder->earlierEventCount = 0;
  atomic_store_explicit(&recorder->hasSeenCrash, false, memory_order_relaxed);
  for (KVOSWriter *writer = recorder->writers; writer; writer = writer->next) {
    atomic_store_explicit(&writer->lost, 0, memory_order_relaxed);
  }
  if (getrandom(recorder->session, sizeof recorder->session[0], GRND_NONBLOCK) < 0) {
    recorder->session[0] = (uint32_t)kvos_nanoseconds();
  }
  recorder->session[1] = (uint32_t)getpid();
  kvos_live_clear();
  errno = 0;
  bool hasBegun = begin_part(recorder, descriptor, 1, settings->isComplete);
  int code = hasBegun ? 0 : errno != 0 ? errno : EIO;
  atomic_store_explicit(&recorder->isOn, hasBegun, memory_order_relaxed);
  kvos_unlock(recorder);
  return code;
}

void kvos_stop_log(void) {
  KVOSRecorder *recorder = kvos_recorder();
  kvos_lock(recorder);
  if (kvos_is_recording()) stop(recorder);
  kvos_unlock(recorder);
}

uint64_t kvos_recorded_count(void) {
  KVOSRecorder *recorder = kvos_recorder();
  kvos_lock(recorder);
  KVOSPart *part = present_part(recorder);
  uint64_t count = recorder->earlierEventCount + (part ? event_count(recorder, part) : 0);
  kvos_unlock(recorder);
  return count;
}

uint64_t kvos_lost_count(void) { return atomic_load_explicit(&kvos_recorder()->lost, memory_order_relaxed); }

uint32_t kvos_part_number(void) {
  KVOSRecorder *recorder = kvos_recorder();
  kvos_lock(recorder);
  uint32_t number = kvos_is_recording() ? recorder->partNumber : 0;
  kvos_unlock(recorder);
  return number;
}

int kvos_part_descriptor(void) {
  KVOSPart *part = present_part(kvos_recorder());
  return part ? part->descriptor : -1;
}
