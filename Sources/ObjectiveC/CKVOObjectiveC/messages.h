// How this target messages objects. Nothing outside of it includes this.

#ifndef MESSAGES_H
#define MESSAGES_H

#define _GNU_SOURCE
#include "CKVOObjectiveC.h"
#include "CKVORuntime.h"

/// Calls the method of `receiver`, or of the class that the receiver is, as a function of this type. The arguments
/// follow the receiver and the selector.
#define SEND(type, receiver, name, ...)                                            \
  ({                                                                               \
    void *messaged = (void *)(uintptr_t)(receiver);                                \
    void *selector = kvos_selector(name);                                          \
    ((type)kvos_method_of(messaged, selector))(messaged, selector, ##__VA_ARGS__); \
  })

typedef void *(*Asks)(void *, void *);
typedef void *(*AsksFor)(void *, void *, const void *);

/// The callback that kvos_begin_objective_c() passed for the observer class's method.
extern KVOSObjectiveCCallbacks kvos_objective_c_callbacks;

/// Hooks the deallocation of objects; once.
void kvos_hook_deallocation(void);

#endif
