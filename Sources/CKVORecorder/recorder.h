// What the files of the recorder share. Nothing outside this target includes it.
//
// Locks, in the order in which they may be taken:
// 1. `lock` of the recorder (recursive): the present part and its growth, the list of writers, adding
//    names, the tables. The hooks are called with it held.
// 2. the lock of one shard of the live registrations.
// A writer's own fields are its thread's, but for those that the lock guards, as said there.

#ifndef RECORDER_H
#define RECORDER_H

#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "CKVORecorder.h"
#include "clock.h"
#include "names.h"

#define KVOS_PAGE 4096u
#define KVOS_SEGMENT_HEADER 64u
#define KVOS_FIRST_SEGMENT 4096u
#define KVOS_LAST_SEGMENT (256u << 10)
#define KVOS_FRAME_LIMIT 64u
/// Room that only the crash record may use, besides that for the live registrations.
#define KVOS_CRASH_RESERVE (32u << 10)
/// No record of an event is longer: prefix, and the fields at ten bytes each.
#define KVOS_RECORD_LIMIT (40u + 10u * KVOS_FIELD_LIMIT)

#define KVOS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define KVOS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

enum { KVOS_TABLES = 1, KVOS_EVENTS = 2 };
enum {
  KVOS_THREAD_NAME = 3, KVOS_LIVE = 4, KVOS_CRASH = 31, KVOS_DROPPED = 32,
  KVOS_STRING = 48, KVOS_STACK = 49, KVOS_DESCRIBED_STACK = 50, KVOS_SCOPE = 51
};

// MARK: A part of the log

enum { KVOS_WHOLE = 0, KVOS_CUT = 1, KVOS_DELETED = 2 };

/// One file of the log, mapped whole. A thread may write into it at any time until no writer names it.
typedef struct KVOSPart {
  uint8_t *base;
  /// How many bytes are mapped: more than the part grows to. 0 when it is unmapped.
  _Atomic uint64_t byteCount;
  /// Where events go into the next part.
  uint64_t eventLimit;
  /// -1 when the part has ended.
  int descriptor;
  uint32_t number;
  uint32_t session[2];
  /// Whose log this is: a child that shares its parent's memory has no business here.
  pid_t process;
  /// One byte for each page: 1 at the first page of a segment that nothing is written into any more. Until then
  /// its length in the file only grows.
  _Atomic uint8_t *closed;
  /// How many segments of tables were begun.
  _Atomic uint32_t tableCount;
  /// Bytes given out, from the front; grows by compare-and-swap, so that a crash record can take some.
  _Atomic uint64_t claimed;
  /// The kernel's id of the thread that is taking a segment and writing its header, or 0.
  _Atomic int32_t opener;
  /// Whether a crash record is doing so.
  _Atomic bool isCrashOpening;
  /// Bytes that the file system has promised. Never below `claimed`.
  _Atomic uint64_t allocated;
  /// Bytes whose pages are there. The helper's.
  uint64_t populated;
  /// Events in segments that were left, for the case that the file is lost.
  uint64_t eventCount;
  /// Lost events that this part reports, for the same case: another part has to report them.
  uint64_t toldCount;
  /// KVOS_CUT: the file was cut under the mapping, KVOS_DELETED: nobody finds it any more. What is
  /// written here is in no log. Set by a signal handler, or under the lock.
  _Atomic uint32_t damage;
  /// Whether it is so full that the tables did not fit: it ends at the next event.
  bool isFull;
  /// Whether nothing that was observed before is missing from it.
  bool isComplete;
  /// Whether the tables have the process, and were asked for the images.
  bool hasProcess;
  bool hasImages;
  /// Whether a hook is describing one of them.
  bool isDescribing;
  /// Whether memory of no file lies under it.
  bool isCovered;
  /// Until which tick events that need room are lost without asking for it; 0: the last request was granted. In
  /// ticks, because every lost event looks at the clock. Both clocks when the part began, to convert.
  _Atomic uint64_t refusedUntilTick;
  uint64_t beginTick, beginNanoseconds;
  /// The errno of the last request for room, or 0; what the disk had then, and from when on it is asked
  /// whatever it has. Guarded by the recorder's lock. See refusal.c.
  int refusal;
  uint64_t freeByteCount;
  uint64_t retryNanoseconds;
  struct KVOSPart *former;
} KVOSPart;

/// The head of a segment, as it is in the file.
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

/// The head of a file, as it is in the file.
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
  /// Where the last segment that was begun ends.
  _Atomic uint64_t length;
  /// A KVOSEnd.
  _Atomic uint64_t end;
} KVOSHead;

/// How the writing of a part ended, as its head says.
typedef enum { KVOS_UNENDED = 0, KVOS_STOPPED = 1, KVOS_CONTINUED = 2, KVOS_CRASHED = 3 } KVOSEnd;

/// Of a file's flags: lengths are kept in the head and in open segments.
enum { KVOS_ACCOUNTED = 2 };

_Static_assert(offsetof(KVOSHead, checksum) == 64, "the format says so");
_Static_assert(offsetof(KVOSHead, lost) == 128, "the format says so");
_Static_assert(offsetof(KVOSHead, end) == 144, "the format says so");

static inline KVOSHead *kvos_head(KVOSPart *part) { return (KVOSHead *)(void *)part->base; }

/// Writes records into segments of its own. One for every thread, and one for the tables.
typedef struct KVOSWriter {
  /// The epoch in which it may write without looking; 0: none; KVOS_AMID_RECORD: it is making one.
  volatile uint64_t epoch;
  uint8_t *cursor;
  /// The last place at which a record may begin.
  uint8_t *limit;
  uint64_t tick;
  uint64_t scope;
  uint32_t type;
  /// Events in the present segment; what is lost with it when the file is cut. The thread's, but for
  /// the end of a log, which takes it.
  _Atomic uint64_t segmentEventCount;
  KVOSSegment *segment;
  KVOSPart *part;
  uint64_t thread;
  /// The part that the next index counts in, and the one in which the thread's name was told.
  KVOSPart *partOfIndex;
  KVOSPart *namedIn;
  uint32_t nextIndex;
  uint32_t nextByteCount;
  /// Events that were lost and are not yet told of. Added to by the thread, taken by whoever stops.
  _Atomic uint64_t lost;
  /// Stacks that the thread captured last, or null; stays with the writer. See capture.c.
  struct KVOSRecentStacks *recentStacks;
  /// The stack for signal handlers that the thread was given; stays with the writer.
  void *signalStack;
  bool hasSignalStack;
  struct KVOSWriter *next;
} KVOSWriter;

/// Whether the helper takes signals: only while a crash is handled, by somebody who stops all threads so.
enum KVOSHelperSignals { KVOS_HELD_BACK, KVOS_WANTED, KVOS_TAKEN };

/// The helper's thread. Guarded by the recorder's lock, but for the semaphore, which needs none.
typedef struct {
  _Atomic bool isRunning;
  bool hasSemaphore;
  /// Of KVOSHelperSignals.
  _Atomic uint8_t signals;
  sem_t work;
  /// The part that it works on without the lock.
  KVOSPart *part;
} KVOSHelper;

// MARK: The recorder

struct KVOSShard;
typedef struct KVOSShard KVOSShard;

/// All that two copies of this code in one process share. Its layout, and that of what it leads to, is version 6.
typedef struct {
  /// Changes whenever writers have to look: a part began, the log ended, a name could not be written.
  /// It lies in a page that a fork's child finds zero, so that the child never writes into the
  /// parent's log.
  _Atomic uint64_t *epoch;
  pthread_mutex_t lock;
  /// How often its holder took it, and which signals that thread held back before.
  uint32_t lockDepth;
  sigset_t formerSignals;
  KVOSPool strings;
  KVOSPool stacks;
  /// The live registrations.
  KVOSShard *shards;
  /// Stacks by their frame pointers.
  KVOSIndex knownStacks;
  _Atomic(KVOSPart *) part;
  /// All parts of this process, the newest first; never shortened.
  _Atomic(KVOSPart *) parts;
  KVOSWriter tables;
  KVOSWriter *writers;
  KVOSLogSettings settings;
  /// Random, and the id of the process.
  uint32_t session[2];
  uint32_t partNumber;
  uint64_t lastEpoch;
  /// Whether a log is written. A fork's child has none yet, and opens it with its first event.
  _Atomic bool isOn;
  /// How many strings and stacks the tables of the present part have.
  uint32_t definedStringCount;
  uint32_t definedStackCount;
  /// Whether a name could not be written: no event may be recorded before it is.
  bool isBlocked;
  uint64_t imageChangeCount;
  /// When a part could not be opened: the time from which on it is tried again.
  uint64_t retryNanoseconds;
  KVOSHelper helper;
  /// Events of this log that were lost.
  _Atomic uint64_t lost;
  /// Those of them that are reported, or that no writer will report.
  _Atomic uint64_t told;
  /// The calling thread's writer, as the copy that owns this makes it.
  KVOSWriter *(*writerOfThread)(void);
  /// The same, or null where it has none. Async-signal-safe.
  KVOSWriter *(*knownWriterOfThread)(void);
  /// Whether one of the copies records crashes.
  _Atomic bool hasCrashRecord;
  /// The kernel's ids of the thread whose crash keeps the log from rotating, and of the one that ends a part; 0:
  /// none. See hold.c.
  _Atomic int32_t holder;
  _Atomic int32_t ender;
  /// Until when the log does not rotate.
  _Atomic uint64_t heldUntil;
} KVOSRecorder;

extern _Atomic(KVOSRecorder *) kvos_shared_recorder;
KVOSRecorder *kvos_find_recorder(void);

/// The recorder of the process: that of the first copy of this code that the loader finds.
static inline KVOSRecorder *kvos_recorder(void) {
  // acquire: pairs with the release of whoever found it, and so initialised it.
  KVOSRecorder *found = atomic_load_explicit(&kvos_shared_recorder, memory_order_acquire);
  return KVOS_LIKELY(found != NULL) ? found : kvos_find_recorder();
}

/// The calling thread's writer, or null where there is no memory for one.
KVOSWriter *kvos_writer(void);

/// Makes `writer` ready to write now. False: the event is lost, and counted.
bool kvos_prepare(KVOSRecorder *recorder, KVOSWriter *writer);

/// Makes the lock anew.
void kvos_make_lock(KVOSRecorder *recorder);

/// Takes the lock, and holds back the thread's signals: a handler that records must not find names or
/// segments half made by its own thread.
void kvos_lock(KVOSRecorder *recorder);

/// Holds back the calling thread's signals, but for those that a fault of its own raises.
void kvos_hold_signals(sigset_t *former);

/// Gives the lock back, and lets signals through again.
void kvos_unlock(KVOSRecorder *recorder);

/// Before a fork, and behind it in the parent and in the child.
void kvos_fork_begins(void);
void kvos_fork_ends(void);
void kvos_fork_happened(void);

/// Gives `writer` a segment with room for `byteCount` bytes. The lock is held.
bool kvos_claim(KVOSRecorder *recorder, KVOSWriter *writer, uint64_t byteCount);

/// Has every writer look before it writes on. The lock is held.
void kvos_change_epoch(KVOSRecorder *recorder);

/// Takes `byteCount` bytes of `part` that are promised already, but for the last `reserve`, or returns
/// 0. Any thread, any time, a signal handler too.
uint64_t kvos_take(KVOSPart *part, uint64_t byteCount, uint64_t reserve);

/// The kernel's id of the calling thread. Async-signal-safe.
static inline int32_t kvos_own_id(void) { return (int32_t)syscall(SYS_gettid); }

/// Keeps a crash record from taking a segment until kvos_end_opening(): without its header, the log would lack
/// what is in front of the crash. The lock is held.
void kvos_begin_opening(KVOSPart *part);
void kvos_end_opening(KVOSPart *part);

/// The same the other way round, for a crash record. Async-signal-safe; waits for 50 ms at the most, and not at all if
/// the crashing thread itself is taking one.
void kvos_begin_crash_opening(KVOSPart *part);
void kvos_end_crash_opening(KVOSPart *part);

/// Makes the segment at `offset` of `part` the writer's.
void kvos_open_segment(KVOSWriter *writer, KVOSPart *part, uint64_t offset, uint64_t byteCount);

/// Says how much of its segment the writer has used, and leaves it. The lock is held.
void kvos_close_segment(KVOSRecorder *recorder, KVOSWriter *writer);

/// Whether what is written into `part` is in no file that anybody finds. The lock is held.
bool kvos_is_damaged(KVOSPart *part);

/// The longest refusal: a tenth of a second, of a counter that makes ten ticks a nanosecond.
#define KVOS_REFUSED_TICKS 1000000000u

/// Whether events that need room in `part` are lost without asking for it. Any thread.
static inline bool kvos_is_refused(const KVOSPart *part) {
  uint64_t until = atomic_load_explicit(&part->refusedUntilTick, memory_order_relaxed);
  // A counter that began anew, as after a sleep of the machine, ends the refusal.
  return until != 0 && until - kvos_tick() - 1 < KVOS_REFUSED_TICKS;
}

/// Loses events that need room in `part` for so long, from `now` on, without asking for it; 0: no more. Any thread.
void kvos_refuse(KVOSPart *part, uint64_t now, uint64_t nanoseconds);

/// Notes that the file system refused room for `part`, with an errno. The lock is held.
void kvos_note_refusal(KVOSPart *part, int code);

/// Whether it is time to ask the file system for room in `part`. The lock is held.
bool kvos_may_ask_for_room(KVOSPart *part);

/// Makes `part` grow until `byteCount` more bytes are promised. The lock is held. Returns an errno.
int kvos_allocate(KVOSPart *part, uint64_t byteCount);

/// Maps the file and writes its head. Returns null with errno; the descriptor stays open then.
KVOSPart *kvos_map_part(int descriptor, uint32_t number, uint64_t byteCount,
                                  const uint32_t session[2]);

/// Cuts the file to what was used and closes it; the mapping stays. The lock is held.
void kvos_end_part(KVOSPart *part, KVOSEnd end);

/// Gives the file's space back and, where no writer names the part, its mapping. The lock is held.
void kvos_drop_part(KVOSRecorder *recorder, KVOSPart *part);

/// Puts memory of no file under the part, so that nothing faults. Async-signal-safe.
bool kvos_cover_part(KVOSPart *part);

/// The part that `address` lies in, or null. Async-signal-safe.
KVOSPart *kvos_part_containing(const void *address);

/// Writes what the tables of the present part lack: names, the process, images. False: there was no room,
/// and all events look until there is. The lock is held.
bool kvos_define_names(KVOSRecorder *recorder);

/// Has every event look before it is written, because a name is not in the log. Returns false.
/// The lock is held.
bool kvos_block(KVOSRecorder *recorder);

/// How often images were loaded or unloaded so far, as the loader counts it.
uint64_t kvos_image_change_count(void);

/// The tables of live registrations of this copy.
KVOSShard *kvos_own_shards(void);

/// Writes the live registrations. The lock is held.
void kvos_write_live(KVOSRecorder *recorder, KVOSWriter *writer);

/// Keeps the live registrations as they are, from a signal handler, and returns how many there are.
/// Some may be held by a thread that does not go on: they are counted, and not written.
uint64_t kvos_hold_live_in_crash(void);

/// Writes what is held, into room that `makeRoom` gives; what does not fit is left out.
void kvos_write_live_in_crash(KVOSWriter *writer, bool (*makeRoom)(KVOSWriter *writer));

/// Lets the live registrations go on.
void kvos_release_live_in_crash(void);

/// Gives the calling thread an alternate stack for signals where it has none, so that the handler of
/// a stack overflow has somewhere to run. Not in a signal handler.
void kvos_give_signal_stack(KVOSWriter *writer);

/// Takes it back from the calling thread, which ends; the memory is kept for the writer's next one.
void kvos_take_signal_stack(KVOSWriter *writer);

/// Whether crashes are recorded.
bool kvos_has_crash_record(void);

/// Records that this thread crashed, from the handler of the signal.
///
/// `isLast`: the process ends with it, and no other thread's crash is recorded any more. Called by a
/// thread that is recording its crash, it does not return: the record goes on where it can.
void kvos_record_crash(int number, const siginfo_t *info, const void *context, bool isLast);

/// Whether this is the signal that says that a crash record came to a halt. Does not return where one
/// did: the calling thread's goes on, and that of another thread ends the process.
bool kvos_is_crash_timer(const siginfo_t *info);

/// Ends the process by the signal, if the calling thread may take it.
void kvos_end_process(int number);

/// Longer texts are cut.
#define KVOS_REASON_LIMIT 1024u

/// The reason for a crash; UTF-8, without an end.
typedef struct {
  char text[KVOS_REASON_LIMIT];
  uint32_t byteCount;
} KVOSCrashReason;

/// Appends what the signal and the runtimes say of a crash. `isNowhere`: it jumped to where no code is.
void kvos_find_reason(KVOSCrashReason *reason, int number, const siginfo_t *info, bool isNowhere);

/// Finds where the runtimes keep what they say. Not in a signal handler.
void kvos_prepare_reason(void);

/// Finds what the crash record needs. Not in a signal handler.
void kvos_prepare_crash_record(void);

/// How many segments the crash record wrote into `part` for a thread that had no writer yet.
uint32_t kvos_crash_segment_count(const KVOSPart *part, uint64_t thread);

/// Keeps the present part the newest one, from the handler of the calling thread's crash, and waits until no other
/// thread is ending it. Async-signal-safe; waits two seconds at most.
void kvos_hold_parts(KVOSRecorder *recorder);

/// The crash record `isWritten`: the parts are held for as long as it takes the process to end. Else they are let go.
void kvos_note_crash_record(KVOSRecorder *recorder, bool isWritten);

/// Lets the parts go if the calling thread holds them and has left its handler. The lock is held.
void kvos_release_parts(KVOSRecorder *recorder);

/// Whether a crash keeps the log from rotating.
bool kvos_are_parts_held(const KVOSRecorder *recorder);

/// Begins and ends what ends a part. False: a crash holds the parts. The lock is held.
bool kvos_begin_ending_part(KVOSRecorder *recorder);
void kvos_finish_ending_part(KVOSRecorder *recorder);

/// Begins what ends the log, once no crash record is being written; waits two seconds at most. The lock is held.
void kvos_begin_ending_log(KVOSRecorder *recorder);

/// Forgets the live registrations. The lock is held.
void kvos_live_clear(void);

/// Takes and gives back all locks of the live registrations, for a fork. The recorder's lock is held.
void kvos_live_lock(void);
void kvos_live_unlock(void);

/// A child that was made without fork(): whoever held a lock of the live registrations is gone.
void kvos_live_free_locks(void);

/// Counts events that are in no log; `writer` tells of them when it can.
void kvos_count_lost(KVOSRecorder *recorder, KVOSWriter *writer, uint64_t count);

/// Starts the thread that populates and seals, where it does not run in this process and is of use. The lock
/// is held.
void kvos_start_helper(KVOSRecorder *recorder);

/// Has the helper look. Async-signal-safe.
void kvos_wake_helper(void);

/// The program's handler of a crash is called next: the helper takes signals, and does nothing else, until
/// the second call. Async-signal-safe; the first call waits for the helper, a tenth of a second at most.
void kvos_expose_helper(void);
void kvos_shield_helper(void);

/// A fork's child: it has no helper.
void kvos_forget_helper(KVOSRecorder *recorder);

/// Puts the checksum on every segment that was left.
void kvos_seal_segments(KVOSPart *part);

/// Puts the checksum of its `used` record bytes on a segment.
void kvos_seal_segment(KVOSSegment *segment, uint64_t used);

/// XXH64 with seed 0.
uint64_t kvos_checksum(const uint8_t *bytes, uint64_t byteCount);

// MARK: Making records

/// How many events are in the writer's segment, which has none from then on.
static inline uint64_t kvos_take_event_count(KVOSWriter *writer) {
  uint64_t count = atomic_load_explicit(&writer->segmentEventCount, memory_order_relaxed);
  atomic_store_explicit(&writer->segmentEventCount, 0, memory_order_relaxed);
  return count;
}

// No epoch of the recorder's.
#define KVOS_AMID_RECORD (UINT64_MAX - 1)

// While a thread makes a record its epoch is none, so that a signal handler of the same thread that
// records meanwhile takes the slow way, sees that, and gives up. The fences keep the compiler from moving
// the stores of the record out of the bracket.
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

static inline bool kvos_is_amid_record(const KVOSWriter *writer) {
  return writer->epoch == KVOS_AMID_RECORD;
}

/// Appends a variable-length number. May write up to three zeros behind it, which the rest of the record,
/// or the end of the records, makes good.
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
static inline uint8_t *kvos_put_stack(uint8_t *at, uint32_t id, const uintptr_t *frames,
                                      uint64_t count) {
  at = kvos_put(kvos_put(at, id), count);
  uint64_t former = 0;
  for (uint64_t frame = 0; frame < count; frame++) {
    uint64_t difference = frames[frame] - former;
    at = kvos_put(at, difference << 1 ^ (uint64_t)((int64_t)difference >> 63));
    former = frames[frame];
  }
  return at;
}

/// Commits the record that begins at `at` with `kind`.
///
/// release: whoever sees the kind sees the whole record, and so does the file: the pages are the
/// page cache's, and outlive the process.
static inline __attribute__((always_inline)) void kvos_commit(uint8_t *at, uint8_t kind) {
  atomic_store_explicit((_Atomic uint8_t *)at, kind, memory_order_release);
}

/// Has the segment say how far its records go. A reader that finds less knows that some were lost.
///
/// release: a reader of the length sees the records.
static inline __attribute__((always_inline)) void kvos_note_used(KVOSWriter *writer) {
  const uint8_t *start = (const uint8_t *)writer->segment + KVOS_SEGMENT_HEADER;
  atomic_store_explicit(&writer->segment->used, (uint64_t)(writer->cursor - start),
                        memory_order_release);
}

#endif
