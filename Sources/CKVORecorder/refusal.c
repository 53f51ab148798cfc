// What happens after the file system refused room for the log.
//
// Each refusal is expensive: a full ext4 takes 50 us for it, a full tmpfs 600. A program that records a
// million events a second must not pay that for each, so events are lost without a request for a while:
// - within a pause after a refusal, without the lock;
// - after that, as long as a full disk has no more room than when it refused, which is cheap to ask.
//
// A disk may give room that it does not show, such as a quota that is raised, so it is asked again now and then.

#include "recorder.h"

#include <errno.h>
#include <sys/statvfs.h>

// How late recording goes on at the most when there is room again.
static const uint64_t pauseNanoseconds = 1000000;
// How often a disk that shows no more room is asked all the same.
static const uint64_t retryNanoseconds = 100000000;

static uint64_t free_byte_count(const KVOSPart *part) {
  struct statvfs status;
  if (fstatvfs(part->descriptor, &status) != 0) return 0;
  return (uint64_t)status.f_bfree * status.f_frsize;
}

// Ticks of a span that begins now. Between two readings of both clocks a thread may not run for a while: the
// further apart they are, the less that matters, and no counter makes more than ten ticks a nanosecond.
static uint64_t ticks_of(const KVOSPart *part, uint64_t now, uint64_t nanoseconds) {
  double passed = (double)(now - part->beginNanoseconds);
  double rate = passed > 0 ? (double)(kvos_tick() - part->beginTick) / passed : 1;
  if (rate > 10) rate = 10;
  return (uint64_t)(rate * (double)nanoseconds);
}

void kvos_refuse(KVOSPart *part, uint64_t now, uint64_t nanoseconds) {
  uint64_t until = nanoseconds == 0 ? 0 : kvos_tick() + ticks_of(part, now, nanoseconds);
  atomic_store_explicit(&part->refusedUntilTick, until, memory_order_relaxed);
}

void kvos_note_refusal(KVOSPart *part, int code) {
  uint64_t now = kvos_nanoseconds();
  part->refusal = code;
  part->freeByteCount = free_byte_count(part);
  part->retryNanoseconds = now + (code == ENOSPC ? retryNanoseconds : pauseNanoseconds);
  kvos_refuse(part, now, pauseNanoseconds);
}

bool kvos_may_ask_for_room(KVOSPart *part) {
  if (part->refusal == 0) return true;
  uint64_t now = kvos_nanoseconds();
  if (kvos_is_refused(part)) return false;
  if (now >= part->retryNanoseconds || free_byte_count(part) > part->freeByteCount) return true;
  kvos_refuse(part, now, pauseNanoseconds);
  return false;
}
