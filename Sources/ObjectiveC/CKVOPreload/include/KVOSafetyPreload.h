// The API of libKVOSafetyPreload.so. Programs need not use it: with LD_PRELOAD and KVO_SAFETY_LOG set, an unmodified
// program is recorded from its start.
//
// Programs that do not link the library look up these functions with dlsym().

#ifndef KVO_SAFETY_PRELOAD_H
#define KVO_SAFETY_PRELOAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Hooks the Objective-C Foundation of this process, and starts the log that KVO_SAFETY_LOG names.
///
/// For programs that open the library, or their Foundation, themselves. Call it immediately after that: earlier
/// observations are not in the log, and their removals are reported as removals of observers that were never
/// registered. A second call hooks the classes that were loaded since. Not in a signal handler.
///
/// Returns 0; ENOENT if no log is requested; ENOSYS if there is no known Foundation; EBUSY if KVOSafety in Swift writes
/// the log of this process; or the errno of the failure to open the log.
int kvo_safety_install(void);

/// Opens a scope of the calling thread (a test, a request, a screen) within its innermost open one.
///
/// Registrations that are made in it and are still live at its end are reported as leaked (KVO021). Returns the scope's
/// number, or 0 if nothing is recorded.
uint64_t kvo_safety_scope_begin(const char *name);

/// Closes a scope of the calling thread, and those inside it. 0 does nothing.
void kvo_safety_scope_end(uint64_t scope);

#ifdef __cplusplus
}
#endif

#endif
