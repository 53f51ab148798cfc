// Keeps the recorder within its budget: it measures itself, and leaves out objects.
//
// A check runs on a thread that has just recorded, at most every ten milliseconds, and without the lock while it
// records. Its measures:
// - processor time: the ticks that recorded threads spent in the recorder, each no longer than a millisecond, because a
//   thread may be preempted; against the process's processor time. Both since the last step, and only once the process
//   used fifty milliseconds since: fewer say nothing;
// - memory: names and the live registrations, which the log needs. Names stay for the life of the process, so the share
//   falls before the budget is used up, by half for each half of the rest, and to none where it is;
// - disk: what the parts of the log have allocated, likewise. A part may be larger than its share of the log's limit
//   because of names.
//
// The share of objects never rises within a log: an object that comes back would lack its past.

#include "budget.h"

#include <stdio.h>
#include <string.h>

#include "recorder.h"

// relaxed, all of them: settings that threads may see a little later, and sums of which no other memory depends.
static KVOSBudget budget = {.share = KVOS_ALL_OBJECTS};
static _Atomic uint64_t spentTicks;
static _Atomic uint64_t nextCheckTick;
// The window of the processor time. Guarded by `isChecking`.
static uint64_t windowSpentTicks, windowProcessNanoseconds;
static _Atomic bool isChecking;

uint32_t kvos_sampled_share = KVOS_ALL_OBJECTS;

// About ten milliseconds and one, of a counter that makes three ticks a nanosecond, as most do.
static const uint64_t checkTicks = 30000000;
static const uint64_t longestTicks = 3000000;
static const uint64_t leastWindow = 50000000;
static const uint64_t millionths = 1000000;

static uint64_t process_nanoseconds(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return 0;
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Ticks of a nanosecond, from the clocks of the present part; 0: none yet.
static double tick_rate(void) {
  KVOSPart *part = atomic_load_explicit(&kvos_recorder()->part, memory_order_acquire);
  if (part == NULL) return 0;
  double passed = (double)(kvos_nanoseconds() - part->beginNanoseconds);
  if (passed < 1000) return 0;
  double rate = (double)(kvos_tick() - part->beginTick) / passed;
  return rate > 0.001 && rate < 10 ? rate : 0;
}

// MARK: - Settings

void kvos_begin_budget(const KVOSBudget *wanted) {
  budget = *wanted;
  if (budget.share == 0 || budget.share > KVOS_ALL_OBJECTS) budget.share = KVOS_ALL_OBJECTS;
  uint32_t share = budget.share;
  __atomic_store_n(&kvos_sampled_share, share, __ATOMIC_RELAXED);
  atomic_store_explicit(&spentTicks, 0, memory_order_relaxed);
  atomic_store_explicit(&nextCheckTick, 0, memory_order_relaxed);
  windowSpentTicks = 0;
  windowProcessNanoseconds = process_nanoseconds();
  // From the first setter on, the library asks for each object whether it is recorded.
  if (kvos_is_budgeted()) kvos_note_seen_refusal();
}

bool kvos_is_budgeted(void) {
  return budget.cpu != 0 || budget.memoryByteCount != 0 || budget.diskByteCount != 0 || budget.share < KVOS_ALL_OBJECTS;
}

// MARK: - Measures

static uint64_t disk_byte_count(KVOSRecorder *recorder) {
  uint64_t count = 0;
  kvos_lock(recorder);
  uint32_t left = KVOS_PART_COUNT;
  KVOSPart *part = atomic_load_explicit(&recorder->parts, memory_order_relaxed);
  for (; part && left > 0; part = part->previous) {
    if (memcmp(part->session, recorder->session, sizeof part->session) != 0) continue;
    count += atomic_load_explicit(&part->allocated, memory_order_relaxed);
    left--;
  }
  kvos_unlock(recorder);
  return count;
}

static uint64_t memory_byte_count(KVOSRecorder *recorder) {
  kvos_lock(recorder);
  uint64_t strings = atomic_load_explicit(&recorder->strings.count, memory_order_relaxed);
  uint64_t stacks = atomic_load_explicit(&recorder->stacks.count, memory_order_relaxed);
  // A name has its head and, at most half full, two slots of an index.
  uint64_t count = recorder->strings.byteCount + recorder->stacks.byteCount +
                   (strings + stacks) * (sizeof(KVOSName) + sizeof(void *) + 4 * sizeof(KVOSSlot));
  for (const KVOSWriter *writer = recorder->writers; writer; writer = writer->next) count += sizeof *writer;
  // Under the lock, which blocks signals: a handler that records would wait for a table that its thread holds.
  count += kvos_live_byte_count();
  kvos_unlock(recorder);
  return count;
}

void kvos_measure(KVOSMeasures *measures) {
  KVOSRecorder *recorder = kvos_recorder();
  double rate = tick_rate();
  double spent = (double)atomic_load_explicit(&spentTicks, memory_order_relaxed);
  measures->cpuNanoseconds = rate > 0 ? (uint64_t)(spent / rate) : 0;
  measures->memoryByteCount = memory_byte_count(recorder);
  measures->diskByteCount = disk_byte_count(recorder);
  measures->share = __atomic_load_n(&kvos_sampled_share, __ATOMIC_RELAXED);
}

// MARK: - Steps

// The share that is left of `limit` bytes: all up to the half, then half for each half of the rest.
static uint32_t share_of_rest(uint64_t used, uint64_t limit) {
  if (limit == 0 || used < limit / 2) return KVOS_ALL_OBJECTS;
  if (used >= limit) return 0;
  uint32_t share = KVOS_ALL_OBJECTS;
  for (uint64_t rest = limit / 2; share > 1 && limit - used <= rest; rest /= 2) share /= 2;
  return share;
}

static uint32_t share_for_time(uint32_t share, char *why, size_t room) {
  double rate = tick_rate();
  if (budget.cpu == 0 || rate == 0) return share;
  uint64_t process = process_nanoseconds() - windowProcessNanoseconds;
  if (process < leastWindow) return share;
  uint64_t ticks = atomic_load_explicit(&spentTicks, memory_order_relaxed);
  double used = (double)(ticks - windowSpentTicks) / rate / (double)process * (double)millionths;
  windowSpentTicks = ticks;
  windowProcessNanoseconds += process;
  if (used <= budget.cpu) return share;
  snprintf(why, room, "cpu %.2f%% of %.2f%%", used / 10000, (double)budget.cpu / 10000);
  // A little less than would do, so that the next window is within it.
  uint32_t less = (uint32_t)(share * (double)budget.cpu / used * 0.8);
  return less < share ? less : share - 1;
}

static void lower(uint32_t share, const char *why) {
  uint64_t fields[2] = {share, kvos_intern_string((const uint8_t *)why, strlen(why))};
  // The event comes first: until it is in the log, all of what it leaves out is recorded.
  kvos_record(KVOS_KIND_SAMPLE, KVOS_NO_ORDER, 0, 0, fields, 2);
  __atomic_store_n(&kvos_sampled_share, share, __ATOMIC_RELAXED);
}

static void check(void) {
  // acquire: pairs with the release below, for the window.
  if (atomic_exchange_explicit(&isChecking, true, memory_order_acquire)) return;
  uint32_t share = __atomic_load_n(&kvos_sampled_share, __ATOMIC_RELAXED);
  char why[64] = "";
  uint32_t wanted = share > 0 ? share_for_time(share, why, sizeof why) : 0;
  KVOSMeasures measures;
  kvos_measure(&measures);
  uint32_t forMemory = share_of_rest(measures.memoryByteCount, budget.memoryByteCount);
  uint32_t forDisk = share_of_rest(measures.diskByteCount, budget.diskByteCount);
  if (forMemory < wanted) {
    wanted = forMemory;
    snprintf(why, sizeof why, "memory %llu of %llu bytes", (unsigned long long)measures.memoryByteCount,
             (unsigned long long)budget.memoryByteCount);
  }
  if (forDisk < wanted) {
    wanted = forDisk;
    snprintf(why, sizeof why, "disk %llu of %llu bytes", (unsigned long long)measures.diskByteCount,
             (unsigned long long)budget.diskByteCount);
  }
  if (wanted < share) lower(wanted, why);
  atomic_store_explicit(&isChecking, false, memory_order_release);
}

uint64_t kvos_begin_measuring(void) { return kvos_tick(); }

static uint64_t add_until(uint64_t now, uint64_t begin) {
  uint64_t passed = now > begin ? now - begin : 0;
  if (passed > longestTicks) passed = longestTicks;
  atomic_fetch_add_explicit(&spentTicks, passed, memory_order_relaxed);
  return now;
}

void kvos_add_measured(uint64_t begin) { add_until(kvos_tick(), begin); }

void kvos_end_measuring(uint64_t begin) {
  uint64_t now = add_until(kvos_tick(), begin);
  uint64_t due = atomic_load_explicit(&nextCheckTick, memory_order_relaxed);
  if (now < due) return;
  // One thread checks.
  if (!atomic_compare_exchange_strong_explicit(&nextCheckTick, &due, now + checkTicks, memory_order_relaxed,
                                               memory_order_relaxed)) {
    return;
  }
  check();
}
