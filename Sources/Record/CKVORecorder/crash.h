// The crash record, and how it keeps the log from changing while it is written.

#ifndef KVOS_CRASH_H
#define KVOS_CRASH_H

#include "recorder.h"

/// Gives the calling thread an alternate stack for signals if it has none, so that the handler of a stack overflow has
/// somewhere to run. Not in a signal handler.
void kvos_give_signal_stack(KVOSWriter *writer);

/// Takes it back from the calling thread, which ends; the memory is kept for the writer's next one.
void kvos_take_signal_stack(KVOSWriter *writer);

/// Whether crashes are recorded.
bool kvos_has_crash_record(void);

/// Records the crash of this thread; called from the signal handler.
///
/// `isLast`: the process ends with it, and no other thread's crash is recorded any more. If a thread that is recording
/// its crash calls it, it does not return: the record continues with the next possible step.
void kvos_record_crash(int number, const siginfo_t *info, const void *context, bool isLast);

/// Whether this is the signal for a crash record that hangs. If one hangs, this does not return: the calling thread's
/// record continues, or, if it is another thread's, the process ends.
bool kvos_is_crash_timer(const siginfo_t *info);

/// Ends the process by the signal, if the calling thread may take it.
void kvos_end_process(int number);

/// Longer texts are cut.
#define KVOS_REASON_LIMIT 1024u

/// The reason for a crash; UTF-8, without a terminating zero.
typedef struct {
  char text[KVOS_REASON_LIMIT];
  uint32_t byteCount;
} KVOSCrashReason;

/// Appends the reason for a crash from the signal and the runtimes. `isNowhere`: the thread jumped to an address
/// without code.
void kvos_find_reason(KVOSCrashReason *reason, int number, const siginfo_t *info, bool isNowhere);

/// Locates the messages of the runtimes. Not in a signal handler.
void kvos_prepare_reason(void);

/// Prepares everything that the crash record needs. Not in a signal handler.
void kvos_prepare_crash_record(void);

/// Freezes the live registrations, from a signal handler, and returns how many there are. Some may be locked by a
/// stopped thread: they are counted, but not written.
uint64_t kvos_hold_live_in_crash(void);

/// Writes the frozen registrations into space that `makeRoom` provides; those that do not fit are omitted.
void kvos_write_live_in_crash(KVOSWriter *writer, bool (*makeRoom)(KVOSWriter *writer));

/// Unfreezes the live registrations.
void kvos_release_live_in_crash(void);

// MARK: What a crash holds

/// Keeps the current log file the newest one, from the handler of the calling thread's crash, and waits until no other
/// thread is ending it. Async-signal-safe; waits two seconds at most.
void kvos_hold_parts(KVOSRecorder *recorder);

/// If the crash record `isWritten`, the log files stay held until the process ends. Otherwise they are released.
void kvos_note_crash_record(KVOSRecorder *recorder, bool isWritten);

/// Releases the parts if the calling thread holds them and has left its handler. The lock is held.
void kvos_release_parts(KVOSRecorder *recorder);

/// Whether a crash keeps the log from rotating.
bool kvos_are_parts_held(const KVOSRecorder *recorder);

/// Begins and ends what ends a part. False: a crash holds the parts. The lock is held.
bool kvos_begin_ending_part(KVOSRecorder *recorder);
void kvos_finish_ending_part(KVOSRecorder *recorder);

/// Begins what ends the log, once no crash record is being written; waits two seconds at most. The lock is held.
void kvos_begin_ending_log(KVOSRecorder *recorder);

#endif
