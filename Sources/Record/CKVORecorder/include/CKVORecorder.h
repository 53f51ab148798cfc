// The hot part of the recorder: names, per-thread segments of the log, the live registrations, the crash record.
//
// It is written in C because of three things that Swift does not offer: thread-local storage, code that a signal
// handler may run, and a cost that a debug build keeps. Its files and their headers are in C because a program without
// Swift needs them, too.
//
// Functions may be called from any thread unless they say otherwise, and none ends the process.
// The layout of what is written is Documentation/BinaryLogFormat.md.

#ifndef CKVORECORDER_H
#define CKVORECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "KVOSControl.h"
#include "KVOSFields.h"
#include "KVOSLogFiles.h"
#include "KVOSNumbers.h"

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

// MARK: Names

/// The id of the string of `byteCount` bytes at `bytes`, valid for the life of the process.
///
/// 0 is the empty string; it is also returned if there is no memory or no id left. Known strings are found without a
/// lock.
uint32_t kvos_intern_string(const uint8_t *_Nullable bytes, size_t byteCount);

/// The id of the stack of `count` return addresses, innermost first; 0 is the empty stack.
uint32_t kvos_intern_stack(const uintptr_t *_Nullable frames, size_t count);

/// The id of the stack of one frame that the compiler knows: ids of the function, the module and the file,
/// and the line. In kvos_stack() it is three words: 0, function << 32 | module, file << 32 | line.
uint32_t kvos_intern_source_line(uint32_t function, uint32_t module, uint32_t file, uint32_t line);

/// The id of the calling thread's stack, which begins at the caller of this function.
///
/// `isFull`: through libunwind, up to 64 frames; else by frame pointers, up to 16. A full stack whose
/// functions all keep frame pointers is unwound once, and found by its frame pointers from then on.
uint32_t kvos_capture_stack_id(bool isFull);

/// Provides names for code that files do not name: methods of an image without symbols.
///
/// `name` is given a return address of a stack that is new in a part, and writes the name of the function into
/// `buffer`; it returns how many bytes that has, 0 if it knows none. Called with the recorder's lock held: it
/// neither records nor interns nor waits. Once for a process.
void kvos_name_frames(size_t (*name)(uintptr_t address, char *buffer, size_t byteCount));

/// How many strings and stacks there are, the empty ones not counted: ids run from 1 to the count.
uint32_t kvos_string_count(void);
uint32_t kvos_stack_count(void);

/// The bytes of a string, their number in `byteCount`; they stay where they are. 0 for no such id.
const uint8_t *_Nullable kvos_string(uint32_t string, size_t *byteCount);
const uintptr_t *_Nullable kvos_stack(uint32_t stack, size_t *count);

// MARK: Events

/// No order: the event is not part of a subject's sequence.
#define KVOS_NO_ORDER UINT64_MAX

/// The most fields that an event of the recorder has.
#define KVOS_FIELD_LIMIT 24

/// Records an event of the calling thread, now. `fields` are written as variable-length numbers, in the order of the
/// format. If it cannot be written it is counted; if no log is written, nothing happens.
///
/// `scope`: 0, or the encoded id + 1. `kind` is below 48.
void kvos_record(uint32_t kind, uint64_t order, uint32_t stack, uint64_t scope, const uint64_t *fields,
                 uint32_t fieldCount);

/// Counts this many events as lost if it is already clear that there is no space for them. Returns false if they should
/// be recorded.
bool kvos_lose_at_once(uint64_t count);

/// Whether this copy of the recorder has ever been refused space. Set once; read by `kvos_may_lose_at_once` alone.
extern bool kvos_was_refused;

/// Whether `kvos_lose_at_once` is worth asking: false until space was refused for the first time. Costs one load.
static inline bool kvos_may_lose_at_once(void) { return __atomic_load_n(&kvos_was_refused, __ATOMIC_RELAXED); }

/// The same as `kvos_record` for the two halves of a change, which a program sends by the million.
void kvos_record_change(uint32_t kind, uint64_t order, uint32_t stack, uint64_t scope, uint64_t shape, uint64_t subject,
                        uint64_t type, uint64_t key, uint64_t change);

/// The same for the beginning and the end of a callback without text. `change` is used only if the shape has
/// `KVOS_DELIVERY_HAS_CHANGE`.
void kvos_record_delivery(uint32_t kind, uint64_t order, uint32_t stack, uint64_t scope, uint64_t shape,
                          uint64_t registration, uint64_t change);

/// Whether a log is being written.
bool kvos_is_recording(void);

// MARK: Live registrations, for the start of a part and for a crash

/// Notes a registration by its encoded id and the fields of its event: it will be written as `live`.
///
/// Comes before the event. Does nothing if no log is written.
void kvos_live_add(uint64_t registration, uint32_t stack, const uint64_t *fields, uint32_t fieldCount);

/// Takes a registration out. Comes before the event.
void kvos_live_remove(uint64_t registration);

/// The id of the stack that a registration was noted with; 0: it has none, or is not noted.
uint32_t kvos_live_stack(uint64_t registration);

/// The number of noted registrations.
uint64_t kvos_live_count(void);

// MARK: Budgets

/// The share of objects that is all of them: see `sample` in Documentation/LogFormat.md.
#define KVOS_ALL_OBJECTS 1024u
/// The least that the disk and the memory can be limited to.
#define KVOS_LEAST_DISK_BUDGET (4u << 20)
#define KVOS_LEAST_MEMORY_BUDGET (1u << 20)

/// What the recorder may use. 0: it is not limited.
typedef struct {
  /// Millionths of the processor time of the process.
  uint32_t cpu;
  /// How many objects of KVOS_ALL_OBJECTS are recorded from the start; 0: all.
  uint32_t share;
  uint64_t diskByteCount;
  uint64_t memoryByteCount;
} KVOSBudget;

/// What the recorder has used for the present log.
typedef struct {
  uint64_t cpuNanoseconds;
  uint64_t memoryByteCount;
  uint64_t diskByteCount;
  /// How many objects of KVOS_ALL_OBJECTS are recorded.
  uint32_t share;
} KVOSMeasures;

/// The budget that KVO_SAFETY_BUDGET sets. If it cannot be read, that is reported on standard error, and there is none.
KVOSBudget kvos_budget_of_environment(void);

/// Whether the present log has a budget: then the program asks kvos_is_sampled() for each object, and measures.
bool kvos_is_budgeted(void);

/// How many objects of KVOS_ALL_OBJECTS are recorded. Written by the recorder alone, read by kvos_sampled_objects().
extern uint32_t kvos_sampled_share;

/// The same. Costs one load. relaxed: a thread that does not see a step yet records what a reader then ignores.
static inline uint32_t kvos_sampled_objects(void) { return __atomic_load_n(&kvos_sampled_share, __ATOMIC_RELAXED); }

/// Whether the events of the object with this number are recorded: ObjectSample of KVOTrace is the same in Swift.
static inline bool kvos_is_sampled(uint64_t object) {
  uint32_t share = kvos_sampled_objects();
  if (share >= KVOS_ALL_OBJECTS) return true;
  // The finalizer of MurmurHash3.
  uint64_t mixed = (object ^ object >> 33) * 0xFF51AFD7ED558CCDu;
  mixed = (mixed ^ mixed >> 33) * 0xC4CEB9FE1A85EC53u;
  return (mixed ^ mixed >> 33) >> 54 < share;
}

/// A moment of the calling thread, which is about to record; kvos_end_measuring() adds what passed since to the time
/// that the recorder has used, and may record that fewer objects are recorded from here on.
uint64_t kvos_begin_measuring(void);
void kvos_end_measuring(uint64_t begin);

/// The same without that check, for code that may hold a lock of the library.
void kvos_add_measured(uint64_t begin);

/// What the recorder has used. Takes its lock.
void kvos_measure(KVOSMeasures *measures);

// MARK: The log

/// The same open file under a high number, which no program expects to get; `descriptor` itself if none is free.
int kvos_move_high(int descriptor);

/// How many bytes of events a log keeps by default, and the least that it can be limited to.
#define KVOS_DEFAULT_BYTE_LIMIT (1 << 30)
#define KVOS_LEAST_BYTE_LIMIT (1 << 20)

/// An error code: another copy of the recorder writes the log of this process.
#define KVOS_RECORDED_ELSEWHERE EALREADY

/// The requested log.
typedef struct {
  /// The path; `%p` in it is replaced by the process id. Not empty.
  const char *pattern;
  /// How many bytes of events are kept at the most.
  uint64_t byteLimit;
  /// The number of the runtime that is recorded, as the log has it.
  uint64_t runtime;
  /// Whether nothing was observed before it.
  bool isComplete;
  /// The reasons to keep a flight recording, of KVOSKeepReason; 0: the log is not one, and always kept.
  uint32_t keepReasons;
  /// What the recorder may use for it.
  KVOSBudget budget;
} KVOSLogRequest;

/// Why a log was not opened. The caller frees `path`.
typedef struct {
  /// An errno, KVOS_NO_LOG or KVOS_RECORDED_ELSEWHERE.
  int code;
  /// What is there instead of a regular file, or null.
  const char *_Nullable kind;
  /// The path that it is about; null if there is no memory.
  char *_Nullable path;
} KVOSLogFailure;

/// Opens a log. If a log is being written, it ends.
///
/// Reports on standard error what happens to an existing log, as described at kvos_open_first(). Returns 0, or the code
/// of `failure`, which is only then written; if the files could not be opened, nothing has changed.
int kvos_open_log(const KVOSLogRequest *request, KVOSLogFailure *failure);

/// Ends the log that this copy of the recorder opened, if any, and reports on standard error what it lost.
///
/// Later events are in no log. The file is cut to what was used. The files of a flight recording that nothing asked to
/// keep are deleted, except for those that were kept before.
void kvos_close_log(void);

// MARK: Flight recordings

/// The size of a flight recording that no other was asked for.
#define KVOS_DEFAULT_FLIGHT_BYTE_LIMIT (64 << 20)

/// How many recordings are kept beside one path; each further one replaces the oldest.
#define KVOS_KEPT_LIMIT 8

/// Why a flight recording is kept.
typedef enum {
  /// The library reports a violation.
  KVOS_KEEP_FINDING = 1,
  /// A crash was recorded. If it ends the process, nothing deletes the files, whatever the reasons are.
  KVOS_KEEP_CRASH = 2,
  /// The program asks for it, which is always a reason.
  KVOS_KEEP_CALL = 4
} KVOSKeepReason;

/// Keeps the flight recording up to now: its files become `path.kept-1` and so on, and the recorder goes on in a new
/// file. `text` is in the log as the reason.
///
/// Nothing is kept if `reason` is none of the recording's. If the recorder cannot begin a new file, the recording goes
/// on, and is not deleted at its end. A log that is not a flight recording is not changed.
///
/// Returns the path of the newest kept file, or of the log if it stays where it is, which the caller frees; null:
/// nothing is kept, or there is no memory. Not from a signal handler, and with no lock held.
char *_Nullable kvos_keep_log(KVOSKeepReason reason, const char *text);

/// Whether the log that this copy opened is a flight recording that is kept for `reason`. Costs one load.
bool kvos_keeps_for(KVOSKeepReason reason);

/// The reasons that KVO_SAFETY_KEEP lists; 0: none, the variable is not set. If it lists something else, that is
/// reported on standard error, and 0 is returned.
uint32_t kvos_keep_reasons_of_environment(void);

/// A crash that the caller recorded ends the process: a flight recording is kept for it.
void kvos_note_crash(void);

/// The path of the log that is being written, which the caller frees; null: none.
char *_Nullable kvos_copy_log_path(void);

/// A failure as a sentence without a full stop, which the caller frees; null: no memory.
char *_Nullable kvos_failure_text(int code, const char *path, const char *_Nullable kind);

/// The number of bytes that KVO_SAFETY_LOG_LIMIT names, or `otherwise`. If it is not a number of bytes, that is
/// reported on standard error.
uint64_t kvos_byte_limit_of_environment(uint64_t otherwise);

/// Makes the recorder work without its own thread while the process has only one. Call it before the log is started; it
/// applies to this copy of the recorder.
void kvos_spare_helper(void);

/// How many events the log of this process has so far, those in files that are gone included. Takes the recorder's lock.
uint64_t kvos_recorded_count(void);

/// How many events the log of this process has lost so far.
uint64_t kvos_lost_count(void);

/// The number of the present part, from 1; 0 if no log is written.
uint32_t kvos_part_number(void);

// MARK: The crash record

/// Installs the crash record before the current handlers of SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE and
/// SIGSYS. Once for a process; a second call does nothing.
///
/// A crash goes into the log that is being written: signal, reason, stack, live registrations. Then the previous
/// disposition takes effect, with the same mask, flags and siginfo: the default action ends the process, a handler may
/// end it, return or jump out. It runs on the thread's signal stack, even if it did not ask for that; threads that
/// record are given one if they have none. Truncation of a log file under its mapping is not a crash: the program
/// continues, and the log continues in its next file.
///
/// A handler that is installed afterwards and does not call the previous one prevents crashes from being recorded.
void kvos_install_crash_record(void);

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
