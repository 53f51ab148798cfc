// The calling thread: its number, its name, its associated object; the clock; the locks as the sanitizer sees them.

#define _GNU_SOURCE
#include "CKVOUnwind.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// initial-exec: the crash record asks for it, and may not be the first to have the loader allocate.
static __thread uint64_t number __attribute__((tls_model("initial-exec")));
// Only ever incremented; nothing is published with it, so relaxed is enough.
static atomic_ullong lastNumber = 1;

uint64_t kvos_thread_number(void) {
  if (number == 0) {
    number = syscall(SYS_gettid) == getpid() ? 1 : atomic_fetch_add_explicit(&lastNumber, 1, memory_order_relaxed) + 1;
  }
  return number;
}

void kvos_thread_name(char *buffer, size_t size) {
  buffer[0] = 0;
  if (kvos_thread_number() == 1) {
    // The kernel gives the main thread the program's name, which does not identify the thread.
    static const char name[] = "main";
    for (size_t index = 0; index < sizeof name && index < size; index++) buffer[index] = name[index];
  } else if (pthread_getname_np(pthread_self(), buffer, size) != 0) {
    buffer[0] = 0;
  }
}

uint64_t kvos_monotonic_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __thread void *threadObject;
static pthread_key_t endKey;
static pthread_once_t endKeyOnce = PTHREAD_ONCE_INIT;
static void (*_Atomic releaseObject)(void *);

static void kvos_thread_ends(void *object) {
  void (*release)(void *) = atomic_load_explicit(&releaseObject, memory_order_acquire);
  threadObject = NULL;
  if (release) release(object);
}

static void make_end_key(void) { pthread_key_create(&endKey, kvos_thread_ends); }

void *kvos_thread_object(void) { return threadObject; }

void kvos_set_thread_object(void *object, void (*release)(void *)) {
  pthread_once(&endKeyOnce, make_end_key);
  void (*none)(void *) = NULL;
  // release: pairs with the acquire in kvos_thread_ends(), which may run on another thread's behalf.
  atomic_compare_exchange_strong_explicit(&releaseObject, &none, release, memory_order_release, memory_order_relaxed);
  threadObject = object;
  pthread_setspecific(endKey, object);
}

static void (*_Atomic exitHandler)(int);

static void kvos_process_ends(int status, void *unused) {
  (void)unused;
  void (*handler)(int) = atomic_load_explicit(&exitHandler, memory_order_acquire);
  if (handler) handler(status);
}

void kvos_on_exit(void (*handler)(int)) {
  atomic_store_explicit(&exitHandler, handler, memory_order_release);
  on_exit(kvos_process_ends, NULL);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KVOS_THREAD_SANITIZER 1
#endif
#endif

#ifdef KVOS_THREAD_SANITIZER
extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);
const bool kvos_reports_locks = true;
void kvos_report_lock_taken(const void *address) { __tsan_acquire((void *)(uintptr_t)address); }
void kvos_report_lock_released(const void *address) { __tsan_release((void *)(uintptr_t)address); }
#else
const bool kvos_reports_locks = false;
void kvos_report_lock_taken(const void *address) { (void)address; }
void kvos_report_lock_released(const void *address) { (void)address; }
#endif
