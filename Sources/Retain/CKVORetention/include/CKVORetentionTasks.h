// The layout of tasks of Swift Concurrency.

#ifndef CKVORETENTION_TASKS_H
#define CKVORETENTION_TASKS_H

#include <stdint.h>

// The offsets of a task's job flags, of its number in the process, of the function and the frame with which it
// continues, of its status, and of what follows its own fields: two words of a child task, a word of a child task of a
// group, and its result. Source: include/swift/ABI/Task.h and stdlib/public/Concurrency/TaskPrivate.h of
// swiftlang/swift, for 64-bit platforms.
#define KVOS_TASK_JOB_FLAGS 32
#define KVOS_TASK_NUMBER 36
#define KVOS_TASK_RESUME 56
#define KVOS_TASK_FRAME 64
#define KVOS_TASK_STATUS 96
#define KVOS_TASK_FUTURE 208
#define KVOS_TASK_CHILD_SIZE 16
#define KVOS_TASK_GROUP_CHILD_SIZE 8
/// The job flags: the kind, which is 0 for tasks; created to be awaited; a child of another task; a child of a group;
/// a child task that lies in memory of its parent, and does not own its closure (`async let`).
#define KVOS_JOB_KIND 0xffu
#define KVOS_JOB_IS_CHILD 0x05000000u
#define KVOS_JOB_IS_FUTURE 0x02000000u
#define KVOS_JOB_HAS_PARENT 0x01000000u
#define KVOS_JOB_HAS_GROUP 0x04000000u
#define KVOS_JOB_IS_ASYNC_LET 0x10000000u
/// The status: it was cancelled.
#define KVOS_TASK_IS_CANCELLED 0x100u
/// The status: a thread is running the task; it is ready to run; it has completed; it waits for something.
#define KVOS_TASK_IS_RUNNING 0x800u
#define KVOS_TASK_IS_ENQUEUED 0x1000u
#define KVOS_TASK_IS_COMPLETE 0x2000u
#define KVOS_TASK_IS_WAITING 0x4000u

/// The result of a task that can be awaited. The lower two bits of the queue: 1 for a value, 2 for an error.
typedef struct {
  uintptr_t waitQueue;
  const void *_Nullable resultType;
  const void *_Nullable error;
} KVOSTaskFuture;

/// What precedes the first frame of a task: the code of its closure, what the closure captured, which the task owns
/// until it completes, and the address of an error. Source: `AsyncContextPrefix` in
/// stdlib/public/Concurrency/TaskPrivate.h of swiftlang/swift.
typedef struct {
  uintptr_t code;
  uintptr_t context;
  uintptr_t error;
} KVOSTaskClosure;

/// The start of each frame of a task: the frame of its caller, and the code that continues there.
typedef struct {
  uintptr_t caller;
  uintptr_t code;
} KVOSTaskFrame;

#endif
