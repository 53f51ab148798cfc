// What a program may ask of libKVOSafetyPreload.so. It need not ask anything: with LD_PRELOAD and
// KVO_SAFETY_LOG set, an unmodified program is recorded from its start.
//
// Who does not link the library looks these functions up by dlsym().

#ifndef KVO_SAFETY_PRELOAD_H
#define KVO_SAFETY_PRELOAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Hooks the Objective-C Foundation of this process, and starts the log that KVO_SAFETY_LOG names.
///
/// For programs that open the library, or their Foundation, themselves. Call it first thing after that:
/// what was observed before is not in the log, and its removal is then reported as one of something
/// that was never registered. A second call hooks the classes that came since. Not in a signal handler.
///
/// Returns 0; ENOENT where no log is asked for; ENOSYS where there is no Foundation that it knows; EBUSY
/// where KVOSafety in Swift writes the log of this process; or the errno that kept the log from being opened.
int kvo_safety_install(void);

/// Opens a scope of the calling thread (a test, a request, a screen) within its innermost open one.
///
/// What is registered in it and still is at its end is reported as leaked (KVO021). Returns the scope's
/// number, or 0 where nothing is recorded.
uint64_t kvo_safety_scope_begin(const char *name);

/// Closes a scope of the calling thread, and those inside it. 0 does nothing.
void kvo_safety_scope_end(uint64_t scope);

#ifdef __cplusplus
}
#endif

#endif
