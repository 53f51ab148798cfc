#include "CKVOIntrinsics.h"

// An entry point of libswift_Concurrency, which its own inlined code calls. Without flags it returns the result instead
// of trapping.
extern bool swift_task_isCurrentExecutorWithFlags(uintptr_t identity, uintptr_t implementation, uint64_t flags)
    __attribute__((swiftcall));

bool kvos_is_current_executor(uintptr_t identity, uintptr_t implementation) {
  return swift_task_isCurrentExecutorWithFlags(identity, implementation, 0);
}
