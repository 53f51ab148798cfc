// The files of the log, as Sources/KVORecorder/Recording/LogFiles.swift has them for programs in Swift:
// the newest part at the path, the one before it at `path.1`, and so on.
//
// Not synchronised: the recorder calls these with its lock held, but for the first.

#ifndef FILES_H
#define FILES_H

#include <errno.h>

#include "preload.h"

/// How many parts are kept.
#define KVOS_PART_COUNT 4u

/// Stands among errors for a file that is not a log and not empty: another program may own it.
#define KVOS_NO_LOG ENOTUNIQ

/// Chooses the files of a log, from a pattern in which `%p` stands for the process id. An errno or 0.
int kvos_choose_files(const char *pattern);

/// Opens the first part, empty, and returns its descriptor or a negative errno.
///
/// A log that an earlier process left there is kept at `path.previous`, with all its parts, in place of the
/// one before it. A symbolic link is not followed, and a file that is not a log is left as it is.
///
/// A file that is being written to is left alone: the log goes to `path.<pid>`, and where this process
/// wrote there already, perhaps as another program that then became this one, to `path.<pid>.2` and so on.
/// `isChild`: the path is that of the parent, whose file is left alone even where it ended.
int kvos_open_first(bool isChild);

/// Opens the next part beside the others, or one where nothing stands any more.
int kvos_open_next(void);
int kvos_open_replacement(void);

/// Moves the parts on by one, or removes the next one where nothing came of it.
void kvos_place_next(bool hasBegun);

/// The process whose log `kvos_open_first` kept; -1: there was none.
int64_t kvos_kept_process(void);

/// Where the newest part is.
const char *kvos_log_path(void);

/// What stands there instead of a regular file, or null.
const char *kvos_kind_of_file(const char *path);

#endif
