// The state of a thread: nested calls of hooked methods, and changes that have begun.
//
// Each thread has its own, so nothing is locked. Calls end when they return or an exception leaves them; a jump out of
// them (longjmp, the end of a thread) is noticed by the stack, which has shrunk since.

#include "preload.h"

#include <pthread.h>
#include <stdlib.h>

__thread int kvos_inside __attribute__((tls_model("initial-exec")));
__thread KVOSThread *kvos_ownThread __attribute__((tls_model("initial-exec")));
static pthread_key_t key;
static pthread_once_t keyOnce = PTHREAD_ONCE_INIT;

static void thread_ends(void *object) {
  KVOSThread *thread = object;
  kvos_ownThread = NULL;
  for (uint32_t at = 0; at < thread->callPageCount; at++) free(thread->callPages[at]);
  free(thread->callPages);
  free(thread->changes);
  free(thread->unseen);
  free(thread->scopes);
  for (KVOSDying *each = thread->spareDying, *next; each; each = next) {
    next = each->outer;
    free(each->room);
    free(each);
  }
  free(thread);
}

static void make_key(void) { pthread_key_create(&key, thread_ends); }

static bool report_no_memory(void) {
  kvos_record_dropped("there is no memory to follow what a thread does");
  return false;
}

KVOSThread *kvos_make_thread(void) {
  pthread_once(&keyOnce, make_key);
  kvos_ownThread = calloc(1, sizeof *kvos_ownThread);
  if (kvos_ownThread == NULL) {
    report_no_memory();
    return NULL;
  }
  pthread_setspecific(key, kvos_ownThread);
  return kvos_ownThread;
}

// MARK: - Growing

bool kvos_grow_calls(KVOSThread *thread) {
  size_t byteCount = (thread->callPageCount + 1) * sizeof *thread->callPages;
  KVOSCall **longer = realloc(thread->callPages, byteCount);
  if (longer == NULL) return report_no_memory();
  thread->callPages = longer;
  KVOSCall *page = calloc(KVOS_CALL_PAGE_SIZE, sizeof *page);
  if (page == NULL) return report_no_memory();
  longer[thread->callPageCount++] = page;
  return true;
}

// Makes space for more elements than `capacity`, if `elements` is full. Returns false if there is no memory.
static bool grow(void **elements, uint32_t *capacity, size_t elementSize) {
  uint32_t wanted = *capacity ? *capacity * 2 : 16;
  void *longer = realloc(*elements, wanted * elementSize);
  if (longer == NULL) return report_no_memory();
  *elements = longer;
  *capacity = wanted;
  return true;
}

bool kvos_grow_changes(KVOSThread *thread) {
  return grow((void **)&thread->changes, &thread->changeCapacity, sizeof *thread->changes);
}

bool kvos_grow_unseen(KVOSThread *thread) {
  return grow((void **)&thread->unseen, &thread->unseenCapacity, sizeof *thread->unseen);
}

bool kvos_grow_scopes(KVOSThread *thread) {
  return grow((void **)&thread->scopes, &thread->scopeCapacity, sizeof *thread->scopes);
}
