#include "CKVOExecutor.h"

// An entry point of libswift_Concurrency, which its own inlined code calls. With no flags it answers
// and does not check.
extern bool swift_task_isCurrentExecutorWithFlags(
    uintptr_t identity, uintptr_t implementation, uint64_t flags) __attribute__((swiftcall));

bool kvos_is_current_executor(uintptr_t identity, uintptr_t implementation) {
  return swift_task_isCurrentExecutorWithFlags(identity, implementation, 0);
}
