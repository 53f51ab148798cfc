// Handles the file system's refusal of space for the log.
//
// Each refusal is expensive: a full ext4 takes 50 us for it, a full tmpfs 600. A program that records a million events
// a second must not pay that for each, so events are dropped without a request for a while:
// - within a pause after a refusal, without the lock;
// - after that, as long as a full disk has no more space than at the refusal, which is cheap to check.
//
// Space may become available without being visible, for example if a quota is raised, so it is requested again now and
// then.

#include "recorder.h"

#include <errno.h>
#include <sys/statvfs.h>

// The longest delay until recording resumes when there is space again.
static const uint64_t pauseNanoseconds = 1000000;
// How often space is requested although the disk shows no more.
static const uint64_t retryNanoseconds = 100000000;

static uint64_t free_byte_count(const KVOSPart *part) {
  struct statvfs status;
  if (fstatvfs(part->descriptor, &status) != 0) return 0;
  return (uint64_t)status.f_bfree * status.f_frsize;
}

// Ticks of a span that begins now. A thread may be preempted between two readings of both clocks: the further apart
// they are, the less that matters, and no counter makes more than ten ticks a nanosecond.
static uint64_t ticks_of(const KVOSPart *part, uint64_t now, uint64_t nanoseconds) {
  double passed = (double)(now - part->beginNanoseconds);
  double rate = passed > 0 ? (double)(kvos_tick() - part->beginTick) / passed : 1;
  if (rate > 10) rate = 10;
  return (uint64_t)(rate * (double)nanoseconds);
}

// relaxed: a hint. An event that does not see it yet runs into the refusal itself.
bool kvos_was_refused;

void kvos_note_seen_refusal(void) { __atomic_store_n(&kvos_was_refused, true, __ATOMIC_RELAXED); }

void kvos_refuse(KVOSPart *part, uint64_t now, uint64_t nanoseconds) {
  uint64_t until = nanoseconds == 0 ? 0 : kvos_tick() + ticks_of(part, now, nanoseconds);
  atomic_store_explicit(&part->refusedUntilTick, until, memory_order_relaxed);
}

void kvos_note_refusal(KVOSPart *part, int code) {
  uint64_t now = kvos_nanoseconds();
  kvos_note_seen_refusal();
  part->refusal = code;
  part->freeByteCount = free_byte_count(part);
  part->retryNanoseconds = now + (code == ENOSPC ? retryNanoseconds : pauseNanoseconds);
  kvos_refuse(part, now, pauseNanoseconds);
}

bool kvos_begin_asking_for_room(KVOSPart *part) {
  if (part->refusal == 0) return true;
  uint64_t now = kvos_nanoseconds();
  if (kvos_is_refused(part)) return false;
  if (now >= part->retryNanoseconds || free_byte_count(part) > part->freeByteCount) return true;
  kvos_refuse(part, now, pauseNanoseconds);
  return false;
}
