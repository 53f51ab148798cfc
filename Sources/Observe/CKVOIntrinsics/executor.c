#include "CKVOIntrinsics.h"

#include <pthread.h>
#include <stddef.h>

// An entry point of libswift_Concurrency, which its own inlined code calls. Without flags it returns the result instead
// of trapping.
extern bool swift_task_isCurrentExecutorWithFlags(uintptr_t identity, uintptr_t implementation, uint64_t flags)
    __attribute__((swiftcall));

bool kvos_is_current_executor(uintptr_t identity, uintptr_t implementation) {
  return swift_task_isCurrentExecutorWithFlags(identity, implementation, 0);
}

// Weak, because runtimes before Swift 6.2 do not have it.
extern int8_t swift_task_isIsolatingCurrentContext(uintptr_t identity, uintptr_t implementation)
    __attribute__((swiftcall, weak));

int kvos_ask_executor(uintptr_t identity, uintptr_t implementation) {
  if (swift_task_isIsolatingCurrentContext == NULL) return -1;
  return swift_task_isIsolatingCurrentContext(identity, implementation);
}

// libdispatch comes with libswift_Concurrency; weak, because this package does not link it.
extern struct dispatch_queue_s _dispatch_main_q __attribute__((weak));
extern void *dispatch_get_specific(const void *key) __attribute__((weak));
extern void dispatch_queue_set_specific(struct dispatch_queue_s *queue, const void *key, void *context,
                                        void (*destructor)(void *)) __attribute__((weak));

// Its address is the key, and the value that the main queue has for it.
static char mainQueueKey;
static pthread_once_t mainQueueOnce = PTHREAD_ONCE_INIT;

static void mark_main_queue(void) {
  if (&_dispatch_main_q == NULL || dispatch_queue_set_specific == NULL) return;
  dispatch_queue_set_specific(&_dispatch_main_q, &mainQueueKey, &mainQueueKey, NULL);
}

bool kvos_is_on_main_queue(void) {
  pthread_once(&mainQueueOnce, mark_main_queue);
  return dispatch_get_specific != NULL && dispatch_get_specific(&mainQueueKey) != NULL;
}
