// The files of one log: the paths of its parts, and files that existed before.
//
// The newest file is at the path, the previous one at `path.1`, and so on. The path may be in a folder that others can
// write to. What it must survive: a symbolic link is not followed (O_NOFOLLOW), and a file is emptied, moved or
// replaced only if it is a log or empty, which is checked through the descriptor that is then used.
//
// Not synchronized: the owner of the files guards them.

#ifndef KVOS_LOG_FILES_H
#define KVOS_LOG_FILES_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

/// How many parts are kept.
#define KVOS_PART_COUNT 4

/// How many logs of one process are kept under one path.
#define KVOS_OWN_LOG_LIMIT 8

/// An error code: the file is not a log and not empty, so another program may own it.
#define KVOS_NO_LOG ENOTUNIQ

typedef struct KVOSLogFiles KVOSLogFiles;

/// The files of a log at `pattern`, in which every `%p` is replaced by the process id. Null: no memory.
///
/// A folder stands for a file in it, `<program>-<process id>.kvolog`. A pattern that ends in a slash is a folder, which is
/// made if it does not exist.
KVOSLogFiles *_Nullable kvos_new_files(const char *pattern);

void kvos_free_files(KVOSLogFiles *_Nullable files);

/// Opens the first part, empty, and returns its descriptor or a negative errno.
///
/// The descriptor holds the lock that says "being written to". A log that an earlier process left there, with all its
/// parts, is kept at `path.previous`, replacing the one that was kept before.
///
/// A file that is being written to is left alone: the log goes to `path.<pid>`, and if this process wrote there
/// already, perhaps as another program that then became this one, to `path.<pid>-2` and so on. The first of these is
/// `path.<pid>-1` if `path.<pid>` is the name of a part. A process keeps KVOS_OWN_LOG_LIMIT logs that have ended; then
/// the oldest of them is replaced, with all its parts.
///
/// `isChild`: the process is a fork's child, whose path may be its parent's: that file is left alone even if the
/// parent has ended.
int kvos_open_first(KVOSLogFiles *files, bool isChild);

/// Opens the next part beside the others, which stay as they are until kvos_place_next(). A descriptor or a negative
/// errno.
int kvos_open_next(KVOSLogFiles *files);

/// Opens a file at the path from which the previous one has disappeared. A descriptor or a negative errno.
///
/// `own`: the descriptor of the previous part, or -1. The file may still be that part, after another program truncated
/// it: no header, but data.
int kvos_open_replacement(KVOSLogFiles *files, int own);

/// Renames the parts by one and gives the next one the name of the newest, or deletes it if it was not begun.
///
/// Does nothing unless kvos_open_next() came before. Names of files that are not logs, or logs of other processes, are
/// left out: the log then has fewer parts. A process that is killed here may leave no file at the path: everything that
/// it recorded is then at `path.1` and following. No file ever has two names: a reader of all files would read its
/// events twice.
void kvos_place_next(KVOSLogFiles *files, bool hasBegun);

/// The same, but the files that were recorded so far leave their names to it: they become `path.kept-<n>`,
/// `path.kept-<n>.1` and so on, with the lowest n from 1 to KVOS_KEPT_LIMIT that is free, or that of the oldest log
/// there.
///
/// If one of the new names belongs to a file that is not a log, the files are placed as by kvos_place_next(). Returns
/// whether they have their new names.
bool kvos_place_next_and_keep(KVOSLogFiles *files, bool hasBegun);

/// The path of the newest file that was kept last; empty: none was.
const char *kvos_path_of_kept(const KVOSLogFiles *files);

/// Deletes the files of the log, which has ended. Those that were kept stay.
void kvos_delete_files(KVOSLogFiles *files);

/// The process whose log kvos_open_first() kept; -1: there was none.
int64_t kvos_kept_process(const KVOSLogFiles *files);

/// Whether kvos_open_first() replaced a log of this process.
bool kvos_has_replaced(const KVOSLogFiles *files);

/// The path of the newest file.
const char *kvos_path_of_files(const KVOSLogFiles *files);

/// The path that the last error is about.
const char *kvos_failed_path(const KVOSLogFiles *files);

/// What is there instead of a regular file, or null.
const char *_Nullable kvos_kind_of_file(const char *path);

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
