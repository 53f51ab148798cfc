// Control of the recorder by `kvo-audit control`.

#ifndef KVOS_CONTROL_H
#define KVOS_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

/// Writes the name of the folder with the sockets of `user` into `buffer`: `wanted` if that is a path, or else
/// `/tmp/kvo-safety-<user>`. Returns false if it is too long.
bool kvos_name_control_folder(char *buffer, size_t byteCount, const char *_Nullable wanted, uid_t user);

/// Why `folder` may not be used, as the end of a sentence, or null: it must be a folder of `user` that no one else may
/// enter.
const char *_Nullable kvos_control_folder_problem(const char *folder, uid_t user);

/// Opens `FOLDER/<process id>.control` and starts a thread that answers there. The folder is made if it does not exist.
///
/// `answering` is called on that thread, without a lock, with each line that a process of the same user, or of root,
/// sends; what it returns is sent and freed. Returns false if nothing was opened, which is reported on standard error.
/// Once for a process: further calls do nothing. A child of fork() has no socket.
bool kvos_begin_control(const char *_Nullable wanted, char *_Nullable (*_Nonnull answering)(const char *request));

/// Deletes the socket.
void kvos_end_control(void);

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
