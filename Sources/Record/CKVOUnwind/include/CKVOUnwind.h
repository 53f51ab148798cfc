// C functions for recording: stacks, threads, images, standard error, and annotations for the sanitizer.
//
// Every function may be called from any thread. None allocates on the heap after its first call of
// a thread, none takes a lock of the caller's. Names begin with `kvos_`: the report cuts such frames
// from the top of a stack.

#ifndef CKVOUNWIND_H
#define CKVOUNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

// MARK: Stacks

/// Captures the caller's stack through libunwind, or by frame pointers if it is not available.
///
/// Writes at most `capacity` return addresses to `frames`, innermost first, and returns their
/// number, 0 and up. The first capture of a thread costs some hundred microseconds.
int kvos_capture_stack(uintptr_t *frames, int capacity);

/// Captures the caller's stack by frame pointers alone.
///
/// Takes nanoseconds, and ends early at a caller that keeps none (glibc, most of libdispatch).
int kvos_capture_frame_pointers(uintptr_t *frames, int capacity);

/// Swift marks the frame pointer of an asynchronous frame with this bit.
#define KVOS_ASYNC_FRAME_BIT ((uintptr_t)1 << 60)

/// Reads words that may not be mapped, by a call of the system; 0: they are not. Async-signal-safe.
int kvos_read_words(uintptr_t address, uintptr_t *words, size_t count);

/// Follows the frame pointers from the frame record at `frame`, which is on the stack that the calling thread runs on.
///
/// Writes at most `capacity` return addresses. `distance` receives how many bytes the last frame record is from the end
/// of the stack; 0 if there is none.
int kvos_follow_frame_pointers(uintptr_t frame, uintptr_t *frames, int capacity, uintptr_t *distance);

/// Captures the caller's stack through libunwind, and the location of each return address on the stack.
///
/// Takes microseconds. Returns how many there are; 0 if that is unknown, or unsupported on this processor.
int kvos_capture_slots(uintptr_t *frames, uintptr_t *slots, int capacity);

/// Whether the address lies on the calling thread's own stack, and how far from its end; else 0.
uintptr_t kvos_distance_from_stack_end(uintptr_t address);

/// Opens libunwind at the first call, and returns whether it was found. It is opened privately: if it were linked, it
/// would take over the exception handling of the whole process.
int kvos_open_unwinder(void);

// MARK: The stack that a signal interrupted

// `context` is what a handler is given as its third argument, or getcontext() fills. Addresses are return addresses:
// that of an interrupted instruction is given as one byte after its start. `isNowhere`: the processor jumped to an
// address that has no code; the stack begins at the function that jumped there.

/// Where the signal interrupted the thread.
uintptr_t kvos_interrupted_pc(const void *context);

/// Captures the stack by frame pointers, at most `capacity` addresses, and returns their number.
///
/// Async-signal-safe, whatever the stack contains.
int kvos_follow_interrupted(const void *context, int isNowhere, uintptr_t *frames, int capacity);

/// Opens libunwind for kvos_unwind_interrupted(). Not in a signal handler.
void kvos_prepare_unwinding_interrupted(void);

/// Captures the stack through libunwind; 0 if it is not available, or was not prepared.
///
/// For one thread at a time. May fault if the stack is damaged, and waits forever if a stopped thread holds the lock of
/// the loader's list of images.
int kvos_unwind_interrupted(const void *context, int isNowhere, uintptr_t *frames, int capacity);

// MARK: Threads and time

/// The number of the calling thread: 1 is the main thread, the others count up from 2 in the order in which they first
/// ask. A number is never reused, unlike the kernel's thread ids.
uint64_t kvos_thread_number(void);

/// Copies the calling thread's name into `buffer` (16 bytes at the least), with a closing zero.
void kvos_thread_name(char *buffer, size_t size);

/// Nanoseconds of CLOCK_MONOTONIC.
uint64_t kvos_monotonic_nanoseconds(void);

/// An object of the calling thread's own, or null. The library keeps a reference in it.
void *_Nullable kvos_thread_object(void);

/// Sets the calling thread's own object; `release` is called with it when the thread ends.
///
/// The first non-null `release` stays for the life of the process.
void kvos_set_thread_object(void *_Nullable object, void (*release)(void *object));

// MARK: Images

/// An image of the process, as dl_iterate_phdr describes it. The pointers are valid in the callback.
typedef struct {
  /// Absolute path of the file; for the executable the target of /proc/self/exe. The path by which the file was opened
  /// if the system does not say the absolute one, as of a deleted file.
  const char *path;
  const uint8_t *_Nullable buildID;
  size_t buildIDByteCount;
  uint64_t loadBias;
  uint64_t textStart;
  uint64_t textEnd;
} KVOSImage;

/// Calls `visit` for every image that has executable code. `visit` must not load or unload images.
void kvos_visit_images(void (*visit)(const KVOSImage *image, void *_Nullable context), void *_Nullable context);

// MARK: The end of the process

/// Calls `handler` with the exit status when the process exits normally.
void kvos_on_exit(void (*handler)(int status));

// MARK: Standard error

/// Writes bytes to standard error in one piece, if possible.
///
/// A standard error that is closed or full does not cause a failure, and a pipe without a reader or a file at its size
/// limit does not end the process: SIGPIPE and SIGXFSZ are blocked for this thread while it writes. Preserves errno.
void kvos_write_error(const char *bytes, size_t count);

/// The same for a line, up to some thousand bytes. Paths and values of the environment are in it, so characters that a
/// terminal acts on are escaped, as `\u{1b}`: all but the line end at its end.
void kvos_say_text(const char *text);

/// The same for a format of printf(3) and its arguments.
void kvos_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// MARK: Locks, as ThreadSanitizer sees them

/// Whether this is a build for ThreadSanitizer, to which locks that it does not know must be reported.
extern const bool kvos_reports_locks;

/// Only for the two below.
void kvos_report_lock_taken(const void *address);
void kvos_report_lock_released(const void *address);

/// Notifies ThreadSanitizer that the lock at `address` was taken. In other builds a load and a branch.
///
/// Swift's Mutex is a futex that the sanitizer does not know: without this it reports every access
/// under it as a race.
static inline void kvos_lock_taken(const void *address) {
  if (kvos_reports_locks) kvos_report_lock_taken(address);
}

/// Tells ThreadSanitizer that the lock at `address` is about to be released.
static inline void kvos_lock_released(const void *address) {
  if (kvos_reports_locks) kvos_report_lock_released(address);
}

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
