// What is going on in a thread: calls of hooked methods inside each other, changes that have begun.
//
// A thread's own, so nothing is locked. Calls end where they return or an exception leaves them; a jump
// out of them (longjmp, the end of a thread) is noticed by the stack, which has shrunk since.

#include "preload.h"

#include <pthread.h>
#include <stdlib.h>

__thread int kvos_inside __attribute__((tls_model("initial-exec")));
__thread KVOSThread *kvos_ownThread __attribute__((tls_model("initial-exec")));
static pthread_key_t key;
static pthread_once_t keyOnce = PTHREAD_ONCE_INIT;

static void thread_ends(void *object) {
  kvos_ownThread = NULL;
  free(object);
}

static void make_key(void) { pthread_key_create(&key, thread_ends); }

KVOSThread *kvos_make_thread(void) {
  pthread_once(&keyOnce, make_key);
  kvos_ownThread = calloc(1, sizeof *kvos_ownThread);
  if (kvos_ownThread) pthread_setspecific(key, kvos_ownThread);
  return kvos_ownThread;
}
