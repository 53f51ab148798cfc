// What is looked up of an Objective-C runtime. Nothing outside this target includes it.

#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#define _GNU_SOURCE
#include "CKVORuntime.h"

/// Written once, by whoever finds the runtime, before anything is hooked.
typedef struct {
  void *(*registerSelector)(const char *name);
  const char *(*selectorName)(void *selector);
  bool (*selectorsAreEqual)(void *first, void *second);
  void *(*lookUpClass)(const char *name);
  int (*classList)(void **buffer, int count);
  void **(*copyMethodList)(void *class, unsigned *count);
  const char *(*className)(void *class);
  void *(*superclass)(void *class);
  void *(*methodName)(void *method);
  KVOSMethod (*methodImplementation)(void *method);
  KVOSMethod (*setMethodImplementation)(void *method, KVOSMethod implementation);
  KVOSMethod (*classImplementation)(void *class, void *selector);
  void *(*classMethod)(void *class, void *selector);
  /// Null in GCC's runtime, where the first word of an object is its class.
  void *(*objectClass)(const void *object);
  /// GCC's runtime alone: what has the class use its methods as they are now.
  void (*updateDispatchTable)(void *class);
} KVOSFunctions;

extern KVOSFunctions kvos_functions;

/// The class of an object, as the runtime dispatches.
static inline void *kvos_class_of(const void *object) {
  return kvos_functions.objectClass ? kvos_functions.objectClass(object)
                                    : *(void *const *)object;
}

/// The superclass of a class; null: it has none, or that is still to be loaded.
void *kvos_superclass(void *class);

/// The class of the Foundation's own observer, or null.
void *kvos_forwarder_class(void);

/// Whether the class has no superclass.
bool kvos_is_root(void *class);

static inline bool kvos_is_same_selector(void *first, void *second) {
  // GCC's runtime has a selector per name and types.
  return kvos_functions.selectorsAreEqual ? kvos_functions.selectorsAreEqual(first, second)
                                          : first == second;
}

/// Gives the method of `class` another implementation, as this runtime wants it.
void kvos_set_implementation(void *class, void *method, KVOSMethod implementation);

/// The selectors that are hooked, by KVOSHook.
extern void *kvos_selectors[KVOS_HOOK_COUNT];

/// A thunk that nobody has yet: its implementation, and the point that it calls with. Null: none left.
/// Those of -dealloc call what kvos_handle_dealloc() was given.
KVOSMethod kvos_take_thunk(KVOSHook hook, KVOSHandler handler, KVOSHookPoint **point);

/// Before the first thunk of -dealloc is taken.
void kvos_handle_dealloc(KVOSDeallocHandler handler);

/// The point whose thunk this is, or null.
const KVOSHookPoint *kvos_point_of(KVOSMethod implementation);

#endif
