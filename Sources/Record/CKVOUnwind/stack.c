// Captures stacks.
//
// Runs on threads of the program, at any moment: after the first call of a thread nothing here allocates, locks or
// calls back.

#define _GNU_SOURCE
#include "CKVOUnwind.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

typedef int (*Backtrace)(void **buffer, int size);

// Races: two threads may open the library concurrently. Both find the same function and store the same pointer;
// `opened` is stored last, with release, so that a thread that reads 1 with acquire sees the pointer too.
static _Atomic(Backtrace) backtrace_function;
static atomic_int opened;

static Backtrace unwinder(void) {
  if (atomic_load_explicit(&opened, memory_order_acquire) == 0) {
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    Backtrace found = library ? (Backtrace)dlsym(library, "unw_backtrace") : NULL;
    atomic_store_explicit(&backtrace_function, found, memory_order_relaxed);
    atomic_store_explicit(&opened, 1, memory_order_release);
  }
  return atomic_load_explicit(&backtrace_function, memory_order_relaxed);
}

int kvos_open_unwinder(void) { return unwinder() != NULL; }

static __thread uintptr_t stack_end, stack_start;

__attribute__((cold, noinline)) static void find_stack_end(void) {
  pthread_attr_t attributes;
  void *lowest = NULL;
  size_t byteCount = 0;
  stack_end = 1;  // if the kernel gives no bounds, a walk sees no frame at all
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &lowest, &byteCount) == 0) {
    stack_start = (uintptr_t)lowest;
    stack_end = (uintptr_t)lowest + byteCount;
  }
  pthread_attr_destroy(&attributes);
}

uintptr_t kvos_distance_from_stack_end(uintptr_t address) {
  if (stack_end == 0) find_stack_end();
  return address >= stack_start && address < stack_end ? stack_end - address : 0;
}

// The sanitizers would report the stack walk as an overrun.
__attribute__((no_sanitize("address", "thread"))) int kvos_follow_frame_pointers(uintptr_t frame, uintptr_t *frames,
                                                                                 int capacity, uintptr_t *distance) {
  if (stack_end == 0) find_stack_end();
  int count = 0;
  // Above a frame of the thread's own stack all is that stack. Above one of another stack, such as a coroutine's, code
  // without frame pointers may have left any number: there the kernel reads.
  int isOwn = frame >= stack_start;
  *distance = 0;
  while (count < capacity) {
    if ((frame & (sizeof(uintptr_t) - 1)) != 0 || frame + 2 * sizeof(uintptr_t) > stack_end) break;
    uintptr_t words[2];
    if (isOwn) {
      words[0] = ((const uintptr_t *)frame)[0];
      words[1] = ((const uintptr_t *)frame)[1];
    } else if (!kvos_read_words(frame, words, 2)) {
      break;
    }
    uintptr_t next = words[0] & ~KVOS_ASYNC_FRAME_BIT;
    uintptr_t returnAddress = words[1];
    if (returnAddress == 0) break;
    frames[count++] = returnAddress;
    *distance = stack_end - frame;
    if (next <= frame) break;  // a stack grows downwards: anything else is not a chain
    frame = next;
  }
  return count;
}

__attribute__((noinline)) int kvos_capture_frame_pointers(uintptr_t *frames, int capacity) {
  uintptr_t distance = 0;
  return kvos_follow_frame_pointers((uintptr_t)__builtin_frame_address(0), frames, capacity, &distance);
}

int kvos_capture_stack(uintptr_t *frames, int capacity) {
  Backtrace backtrace = unwinder();
  int count = backtrace ? backtrace((void **)frames, capacity) : 0;
  return count > 0 ? count : kvos_capture_frame_pointers(frames, capacity);
}
