// Features that Swift cannot express: an instruction, a word of thread-local storage, and queries of runtimes.

#ifndef CKVOINTRINSICS_H
#define CKVOINTRINSICS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/// Prefetches the cache line of `address`, without waiting for it.
///
/// Any address is allowed, valid or not. From any thread.
static inline void kvos_prefetch(const void *_Nullable address) { __builtin_prefetch(address); }

extern _Thread_local void *_Nullable kvos_innermost_delivery_word;

/// Where the calling thread keeps the frame of the innermost callback that it is in, or null.
///
/// The frame lies on the stack of the caller that sets it and later restores the previous one. The address is valid for
/// the life of the thread, and only on that thread.
static inline void *_Nullable *_Nonnull kvos_innermost_delivery(void) { return &kvos_innermost_delivery_word; }

/// Whether the calling code runs on a serial executor, which is given as the two words of an UnownedSerialExecutor.
///
/// Also false if the runtime cannot tell. Swift's own functions do not return the result; they end the process if it is
/// false. Any thread; the executor's actor must be alive.
bool kvos_is_current_executor(uintptr_t identity, uintptr_t implementation);

/// Asks an executor of the program whether it runs the calling code: 1 if it does, 0 if it does not, and -1 if it does
/// not know, as by default, or if the runtime is one before Swift 6.2.
///
/// Calls `isIsolatingCurrentContext()` of SerialExecutor. Any thread; the executor's actor must be alive, and no lock may
/// be held.
int kvos_ask_executor(uintptr_t identity, uintptr_t implementation);

/// Whether the calling code runs on the main queue of libdispatch, which isolates as the main actor does.
///
/// In a program that waits in dispatchMain(), or in an asynchronous main(), another thread than the first serves that
/// queue. False if the process has no libdispatch. Any thread.
bool kvos_is_on_main_queue(void);

extern void *_Nullable swift_task_getCurrent(void) __attribute__((swiftcall));

/// The address of the task that the calling code runs in, or 0.
///
/// The same as withUnsafeCurrentTask has, without the call of a generic function with a closure. From any thread.
static inline uintptr_t kvos_current_task(void) { return (uintptr_t)swift_task_getCurrent(); }

/// Nanoseconds of CLOCK_MONOTONIC_COARSE, which advances every few milliseconds. From any thread.
static inline uint64_t kvos_coarse_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
