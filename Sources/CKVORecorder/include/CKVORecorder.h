// The recorder's hot half: names, per-thread segments of the log, the live registrations, the crash
// record.
//
// It is C because of three things that Swift cannot hold: thread-local storage, code that a signal
// handler may run, and a cost that a debug build keeps. What a log file is called and when one is
// opened is decided in Swift.
//
// Functions may be called from any thread unless they say otherwise, and none ends the process.
// The layout of what is written is Documentation/BinaryLogFormat.md.

#ifndef CKVORECORDER_H
#define CKVORECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

// MARK: Names

/// The id of the string of `byteCount` bytes at `bytes`, valid for the life of the process.
///
/// 0 is the empty string, and what comes back when there is no memory or no id left. Known strings
/// are found without a lock.
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

/// Has the log name code that its files do not name: methods of an image without symbols.
///
/// `name` is given a return address of a stack that is new in a part, and writes the name of the function into
/// `buffer`; it returns how many bytes that has, 0 where it knows none. Called with the recorder's lock
/// held: it neither records nor interns nor waits. Once for a process.
void kvos_name_frames(size_t (*name)(uintptr_t address, char *buffer, size_t byteCount));

/// How many strings and stacks there are, the empty ones not counted: ids run from 1 to the count.
uint32_t kvos_string_count(void);
uint32_t kvos_stack_count(void);

/// The bytes of a string, their number in `byteCount`; they stay where they are. 0 for no such id.
const uint8_t *_Nullable kvos_string(uint32_t string, size_t *byteCount);
const uintptr_t *_Nullable kvos_stack(uint32_t stack, size_t *count);

// MARK: Events

/// No order: the event is not one of a subject's sequence.
#define KVOS_NO_ORDER UINT64_MAX

/// The most fields that an event of the recorder has.
#define KVOS_FIELD_LIMIT 24

/// The kinds that are recorded by functions of their own, as the format numbers them.
enum {
  KVOS_WILL_CHANGE = 11,
  KVOS_DID_CHANGE = 12,
  KVOS_NOTIFY = 13,
  KVOS_NOTIFY_END = 14
};

/// Records an event of the calling thread, now. `fields` are written as variable-length numbers, in
/// the order of the format. Where it cannot be written it is counted; where no log is, nothing happens.
///
/// `scope`: 0, or the encoded id + 1. `kind` is below 48.
void kvos_record(uint32_t kind, uint64_t order, uint32_t stack, uint64_t scope,
                 const uint64_t *fields, uint32_t fieldCount);

/// Counts so many events as lost if it is already clear that there is no room for them. False: record them.
bool kvos_lose_at_once(uint64_t count);

/// The same as `kvos_record` for the two halves of a change, which a program makes by the million.
void kvos_record_change(uint32_t kind, uint64_t order, uint32_t stack, uint64_t scope,
                        uint64_t shape, uint64_t subject, uint64_t type, uint64_t key,
                        uint64_t change);

/// The bit of a delivery's shape that says that `change` counts.
#define KVOS_HAS_CHANGE 4u

/// The same for the beginning and the end of a callback without an executor.
void kvos_record_delivery(uint32_t kind, uint64_t order, uint32_t stack, uint64_t scope,
                          uint64_t shape, uint64_t registration, uint64_t change);

/// Whether a log is being written.
bool kvos_is_recording(void);

// MARK: Live registrations, for the start of a part and for a crash

/// Notes a registration by its encoded id and the fields of its event: it will be told as `live`.
///
/// Comes before the event. Does nothing where no log is written.
void kvos_live_add(uint64_t registration, uint32_t stack, const uint64_t *fields,
                   uint32_t fieldCount);

/// Takes a registration out. Comes before the event.
void kvos_live_remove(uint64_t registration);

/// How many are noted.
uint64_t kvos_live_count(void);

// MARK: The log

/// Why a part is opened.
typedef enum {
  /// The one before is full.
  KVOS_NEXT = 0,
  /// The file of the one before is gone or was cut: nothing stands in its place.
  KVOS_REPLACEMENT = 1,
  /// The process is a fork's child, and this is the first part of its own log.
  KVOS_CHILD = 2
} KVOSPartReason;

/// What the recorder asks of Swift. All are called on whatever thread needs them, with the recorder's
/// lock held, which they may take again: they may intern, but neither record nor wait for a thread.
typedef struct {
  /// Opens the file of part `number`; returns its descriptor, which then belongs to the recorder, or
  /// a negative errno. What was recorded before must stay where it is.
  int (*openPart)(uint32_t number, KVOSPartReason reason);
  /// Follows openPart(). `hasBegun`: the file takes its place among the parts of the log; else nothing
  /// came of it, and its descriptor is closed.
  void (*placePart)(bool hasBegun);
  /// Writes what a reader must know first, the process, by kvos_describe(). `isComplete`: nothing that
  /// was observed before is missing from the log. False: there was no room, and it is asked again.
  bool (*describeProcess)(bool isComplete);
  /// Writes the images that this part was not yet told of; `isFirst`: it was told of none. Called at
  /// the start of a part, and when a new stack may lie in a new image. False: there was no room for
  /// some, and it is asked again.
  bool (*describeImages)(bool isFirst);
} KVOSLogHooks;

/// What a log is started with.
typedef struct {
  KVOSLogHooks hooks;
  /// How many bytes of events a part has before the next one is begun.
  uint64_t partByteCount;
  /// How many parts are kept; Swift removes the files.
  uint32_t partCount;
  /// Whether nothing was observed before.
  bool isComplete;
} KVOSLogSettings;

/// The same open file under a high number, which no program expects to get; `descriptor` itself where there is none.
int kvos_move_high(int descriptor);

/// Starts the log whose first part `descriptor` is, which then belongs to the recorder.
///
/// A log that is being written ends. Returns 0 or an errno; then nothing has changed.
int kvos_start_log(int descriptor, const KVOSLogSettings *settings);

/// Has the recorder do without a thread of its own while the process has but one. Before the log is
/// started; for this copy of the recorder.
void kvos_spare_helper(void);

/// Ends the log: what is recorded from now on is in none. The file is cut to what was used.
void kvos_stop_log(void);

/// How many events the log of this process has lost so far.
uint64_t kvos_lost_count(void);

/// The number of the present part, from 1; 0 where no log is written.
uint32_t kvos_part_number(void);

/// The descriptor of the current part's file, or -1. Only the hooks call it.
int kvos_part_descriptor(void);

/// Writes one record into the tables of the present part. False: there is no room. For the hooks alone.
bool kvos_describe(uint32_t kind, const uint64_t *fields, uint32_t fieldCount);

// MARK: The crash record

/// Puts the crash record in front of the handlers of SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE
/// and SIGSYS that there are. Once for a process; a second call does nothing.
///
/// A crash goes into the log that is being written: signal, reason, stack, live registrations. Then
/// what was there before goes on, with the same mask, flags and siginfo: the default action ends the
/// process, a handler may end it, return or jump out. It runs on the thread's signal stack, even where
/// it did not ask for that; threads that record are given one where they have none. A file of the log
/// that is cut under its mapping is no crash: the program goes on, and the log in its next part.
///
/// Whoever installs a handler afterwards and does not call the former one is on their own.
void kvos_install_crash_record(void);

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
