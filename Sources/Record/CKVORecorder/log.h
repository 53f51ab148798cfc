// The log as the recorder sees it: a sequence of files, opened and described by hooks.

#ifndef KVOS_LOG_H
#define KVOS_LOG_H

#include <stdbool.h>
#include <stdint.h>

/// Why a part is opened.
typedef enum {
  /// The previous one is full.
  KVOS_NEXT = 0,
  /// The previous file was deleted or truncated: nothing has replaced it.
  KVOS_REPLACEMENT = 1,
  /// The process is a fork's child, and this is the first part of its own log.
  KVOS_CHILD = 2
} KVOSPartReason;

/// Callbacks of the copy that opened the log. All are called on whatever thread needs them, with the recorder's lock
/// held, which they may take again: they may intern, but neither record nor wait for a thread.
typedef struct {
  /// Opens the file of part `number`; returns its descriptor, which then belongs to the recorder, or a negative errno.
  /// The files that were recorded before must remain unchanged.
  int (*openPart)(uint32_t number, KVOSPartReason reason);
  /// Follows openPart(). `hasBegun`: the file becomes one of the parts of the log; else it was not begun, and its
  /// descriptor is closed.
  void (*placePart)(bool hasBegun);
  /// Writes the description of the process, which a reader needs first, with kvos_describe(). `isComplete`: nothing
  /// that was observed before is missing from the log. False: there was no space, and it is called again.
  bool (*describeProcess)(bool isComplete);
  /// Writes the images that this part does not have yet; `isFirst`: it has none. Called at the start of a part, and
  /// when a new stack may lie in a new image. False: there was no space for some, and it is called again.
  bool (*describeImages)(bool isFirst);
} KVOSLogHooks;

/// The settings that a log is started with.
typedef struct {
  KVOSLogHooks hooks;
  /// How many bytes of events a part has before the next one is begun.
  uint64_t partByteCount;
  /// How many parts are kept.
  uint32_t partCount;
  /// Whether nothing was observed before.
  bool isComplete;
} KVOSLogSettings;

/// Writes the process, or the images that the present part does not have, by kvos_describe(). See KVOSLogHooks.
bool kvos_describe_process(uint64_t runtime, bool isComplete);
bool kvos_describe_images(bool isFirst);

/// Starts the log whose first part `descriptor` is, which then belongs to the recorder.
///
/// A log that is being written ends. Returns 0 or an errno; then nothing has changed.
int kvos_start_log(int descriptor, const KVOSLogSettings *settings);

/// Ends the log: later events are in no log. The file is cut to what was used.
void kvos_stop_log(void);

/// Begins the next part although the present one has space. Returns false if that is impossible now, as while a crash
/// keeps it. The lock is held.
bool kvos_begin_next_part(void);

/// The descriptor of the current part's file, or -1. Only the hooks call it.
int kvos_part_descriptor(void);

/// Writes one record into the tables of the present part. Returns false if there is no space. Only for the hooks.
bool kvos_describe(uint32_t kind, const uint64_t *fields, uint32_t fieldCount);

#endif
