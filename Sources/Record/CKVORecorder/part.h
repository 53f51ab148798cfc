// A part of the log: one file, mapped whole, and its segments. Included by recorder.h alone.

#ifndef KVOS_PART_H
#define KVOS_PART_H

#include "clock.h"

#define KVOS_PAGE 4096u
#define KVOS_SEGMENT_HEADER 64u
#define KVOS_FIRST_SEGMENT 4096u
#define KVOS_LAST_SEGMENT (256u << 10)
#define KVOS_FRAME_LIMIT 64u
/// Space that only the crash record may use, besides that for the live registrations.
#define KVOS_CRASH_RESERVE (32u << 10)
/// No record of an event is longer: prefix, and the fields at ten bytes each.
#define KVOS_RECORD_LIMIT (40u + 10u * KVOS_FIELD_LIMIT)

enum {
  KVOS_WHOLE = 0,
  KVOS_CUT = 1,
  KVOS_DELETED = 2
};

/// One file of the log, mapped whole. A thread may write into it at any time until no writer names it.
typedef struct KVOSPart {
  uint8_t *base;
  /// How many bytes are mapped: more than the part grows to. 0 when it is unmapped.
  _Atomic uint64_t byteCount;
  /// The offset from which on events go into the next part.
  uint64_t eventLimit;
  /// -1 when the part has ended, or the program closed it.
  int descriptor;
  uint32_t number;
  uint32_t session[2];
  /// Whose log this is: a child that shares its parent's memory must not write here.
  pid_t process;
  /// One byte for each page: 1 at the first page of a segment that nothing is written into any more. Until then
  /// its length in the file only grows.
  _Atomic uint8_t *closed;
  /// How many segments of tables were begun.
  _Atomic uint32_t tableCount;
  /// Bytes allocated, from the front; grows by compare-and-swap, so that a crash record can allocate too.
  _Atomic uint64_t claimed;
  /// The kernel's id of the thread that is taking a segment and writing its header, or 0.
  _Atomic int32_t opener;
  /// Whether a crash record is doing so.
  _Atomic bool isCrashOpening;
  /// Bytes that the file system has reserved. Never below `claimed`.
  _Atomic uint64_t allocated;
  /// Bytes whose pages are present. Used by the helper.
  uint64_t populated;
  /// Events in finished segments, for the case that the file is lost.
  uint64_t eventCount;
  /// Lost events that this part reports, for the same case: another part then has to report them.
  uint64_t reportedCount;
  /// KVOS_CUT: the file was cut under the mapping, KVOS_DELETED: no path leads to it any more. Events that are written
  /// here are in no log. Set by a signal handler, or under the lock.
  _Atomic uint32_t damage;
  /// Whether it is so full that the tables did not fit: it ends at the next event.
  bool isFull;
  /// Whether it lacks nothing that was observed before.
  bool isComplete;
  /// Whether the tables have the process, and the images were requested.
  bool hasProcess;
  bool hasImages;
  /// Whether a hook is describing one of them.
  bool isDescribing;
  /// Whether anonymous memory is mapped under it.
  bool isCovered;
  /// The tick until which events that need space are dropped without requesting it; 0: the last request was granted. In
  /// ticks, because every lost event looks at the clock. Both clocks when the part began, to convert.
  _Atomic uint64_t refusedUntilTick;
  uint64_t beginTick, beginNanoseconds;
  /// The errno of the last request for space, or 0; the free disk space at that time, and the time from which the next
  /// request is made regardless of it. Guarded by the recorder's lock. See refusal.c.
  int refusal;
  uint64_t freeByteCount;
  uint64_t retryNanoseconds;
  struct KVOSPart *previous;
} KVOSPart;

/// The header of a segment, as it is in the file.
typedef struct {
  _Atomic uint32_t magic;
  uint32_t byteCount;
  uint16_t type;
  uint16_t zero;
  uint32_t index;
  uint64_t thread;
  uint64_t tick;
  uint64_t nanoseconds;
  uint64_t headChecksum;
  _Atomic uint64_t used;
  _Atomic uint64_t checksum;
} KVOSSegment;

_Static_assert(sizeof(KVOSSegment) == KVOS_SEGMENT_HEADER, "the format says 64 bytes");

/// The header of a file, as it is in the file.
typedef struct {
  uint8_t magic[8];
  uint32_t version;
  uint32_t flags;
  uint32_t session[2];
  uint32_t part;
  uint32_t zero;
  /// Two readings of both clocks.
  uint64_t firstTick, firstNanoseconds, secondTick, secondNanoseconds;
  uint64_t checksum;
  uint64_t zeros[7];
  _Atomic uint64_t lost;
  /// The offset of the end of the last segment that was begun.
  _Atomic uint64_t length;
  /// A KVOSEnd.
  _Atomic uint64_t end;
} KVOSHead;

/// The first bytes of a log.
extern const uint8_t kvos_file_magic[8];

/// How the writing of a file ended, as noted in its header.
typedef enum {
  KVOS_UNENDED = 0,
  KVOS_STOPPED = 1,
  KVOS_CONTINUED = 2,
  KVOS_CRASHED = 3
} KVOSEnd;

/// Of a file's flags: lengths are kept in the header and in open segments.
enum {
  KVOS_ACCOUNTED = 2
};

_Static_assert(offsetof(KVOSHead, checksum) == 64, "the format says so");
_Static_assert(offsetof(KVOSHead, lost) == 128, "the format says so");
_Static_assert(offsetof(KVOSHead, end) == 144, "the format says so");

static inline KVOSHead *kvos_head(KVOSPart *part) { return (KVOSHead *)(void *)part->base; }

/// Takes `byteCount` bytes of `part` that are reserved already, except for the last `reserve`, or returns
/// 0. Any thread, any time, a signal handler too.
uint64_t kvos_take(KVOSPart *part, uint64_t byteCount, uint64_t reserve);

/// Keeps a crash record from taking a segment until kvos_end_opening(): without its header, the log would lack what
/// comes before the crash. The lock is held.
void kvos_begin_opening(KVOSPart *part);
void kvos_end_opening(KVOSPart *part);

/// The same the other way round, for a crash record. Async-signal-safe; waits for about 300 ms at the most, and not at all
/// if the crashing thread itself is taking one.
void kvos_begin_crash_opening(KVOSPart *part);
void kvos_end_crash_opening(KVOSPart *part);

/// Whether the descriptor of `part` is still that of its file: a program may close descriptors that it did not open,
/// and use their numbers itself. Async-signal-safe. The lock is held.
bool kvos_has_descriptor(const KVOSPart *part);

/// Checks whether the file of `part` was truncated or deleted, and notes it. The lock is held.
bool kvos_check_damage(KVOSPart *part);

/// The longest refusal: a tenth of a second, of a counter that makes ten ticks a nanosecond.
#define KVOS_REFUSED_TICKS 1000000000u

/// Whether events that need space in `part` are dropped without requesting it. Any thread.
static inline bool kvos_is_refused(const KVOSPart *part) {
  uint64_t until = atomic_load_explicit(&part->refusedUntilTick, memory_order_relaxed);
  // A counter that was reset, as after a sleep of the machine, ends the refusal.
  return until != 0 && until - kvos_tick() - 1 < KVOS_REFUSED_TICKS;
}

/// From `now` on, drops events that need space in `part` for this long without requesting it; 0: no longer. Any thread.
void kvos_refuse(KVOSPart *part, uint64_t now, uint64_t nanoseconds);

/// Notes that the file system refused space for `part`, with an errno. The lock is held.
void kvos_note_refusal(KVOSPart *part, int code);
/// Notes in this copy that some part was refused space: see `kvos_may_lose_at_once`.
void kvos_note_seen_refusal(void);

/// Returns whether it is time to request space for `part` from the file system; if not, no thread requests it for a
/// while. The lock is held.
bool kvos_begin_asking_for_room(KVOSPart *part);

/// Makes `part` grow until `byteCount` more bytes are reserved. The lock is held. Returns an errno; EBADF: the program
/// closed the descriptor, and the part ends at the next event.
int kvos_allocate(KVOSPart *part, uint64_t byteCount);

/// Maps the file and writes its head. Returns null with errno; the descriptor stays open then.
KVOSPart *kvos_map_part(int descriptor, uint32_t number, uint64_t byteCount, const uint32_t session[2]);

/// Truncates the file to its used size and closes it; the mapping remains. The lock is held.
void kvos_end_part(KVOSPart *part, KVOSEnd end);

/// Maps anonymous memory over the part, so that nothing faults. Async-signal-safe.
bool kvos_cover_part(KVOSPart *part);

/// The part that `address` lies in, or null. Async-signal-safe.
KVOSPart *kvos_part_containing(const void *address);

/// How many segments the crash record wrote into `part` for a thread that had no writer yet.
uint32_t kvos_crash_segment_count(const KVOSPart *part, uint64_t thread);

/// Puts the checksum on every finished segment.
void kvos_seal_segments(KVOSPart *part);

/// Puts the checksum of its `used` record bytes on a segment.
void kvos_seal_segment(KVOSSegment *segment, uint64_t used);

#endif
