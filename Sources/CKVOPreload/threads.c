// What is going on in a thread: calls of hooked methods inside each other, changes that have begun.
//
// A thread's own, so nothing is locked. Calls end where they return or an exception leaves them; a jump
// out of them (longjmp, the end of a thread) is noticed by the stack, which has shrunk since.

#include "preload.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

__thread int kvos_inside __attribute__((tls_model("initial-exec")));
static __thread KVOSThread *own __attribute__((tls_model("initial-exec")));
static pthread_key_t key;
static pthread_once_t keyOnce = PTHREAD_ONCE_INIT;

static void thread_ends(void *object) {
  own = NULL;
  free(object);
}

static void make_key(void) { pthread_key_create(&key, thread_ends); }

static __attribute__((noinline)) KVOSThread *make_thread(void) {
  pthread_once(&keyOnce, make_key);
  own = calloc(1, sizeof *own);
  if (own) pthread_setspecific(key, own);
  return own;
}

KVOSThread *kvos_thread(void) { return KVOS_LIKELY(own != NULL) ? own : make_thread(); }

uint64_t kvos_scope(void) {
  return own && own->scopeCount > 0 ? (own->scopes[own->scopeCount - 1] << 2) + 1 : 0;
}

void kvos_forget_left_calls(KVOSThread *thread, uintptr_t place) {
  while (thread->callCount > 0 && thread->calls[thread->callCount - 1].place <= place) {
    thread->callCount--;
  }
}

KVOSCall *kvos_begin_call(KVOSThread *thread, KVOSCall call, uintptr_t place) {
  kvos_forget_left_calls(thread, place);
  if (thread->callCount == KVOS_CALL_LIMIT) return NULL;
  call.place = place;
  thread->calls[thread->callCount] = call;
  return &thread->calls[thread->callCount++];
}

void kvos_end_call(KVOSThread *thread, const KVOSCall *call) {
  uint32_t index = (uint32_t)(call - thread->calls);
  if (thread->callCount > index) thread->callCount = index;
}

int kvos_enter(void) {
  kvos_inside++;
  return errno;
}

void kvos_leave(int number) {
  kvos_inside--;
  errno = number;
}
