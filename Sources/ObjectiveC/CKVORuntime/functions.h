// The functions that are looked up in an Objective-C runtime. Nothing outside this target includes it.

#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#define _GNU_SOURCE
#include "CKVORuntime.h"

/// Written once, by the thread that finds the runtime, before anything is hooked.
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
  /// Only in GCC's runtime: makes the class use its current methods.
  void (*updateDispatchTable)(void *class);
} KVOSFunctions;

extern KVOSFunctions kvos_functions;

/// The class of an object that the runtime dispatches on.
static inline void *kvos_class_of(const void *object) {
  return kvos_functions.objectClass ? kvos_functions.objectClass(object) : *(void *const *)object;
}

/// The superclass of a class; null: it has none, or it is not loaded yet.
void *kvos_superclass(void *class);

/// The class of the Foundation's own observer, or null.
void *kvos_forwarder_class(void);

/// Whether the class has no superclass.
bool kvos_is_root(void *class);

static inline bool kvos_is_same_selector(void *first, void *second) {
  // GCC's runtime has a selector per name and types.
  return kvos_functions.selectorsAreEqual ? kvos_functions.selectorsAreEqual(first, second) : first == second;
}

/// Sets the implementation of a method of `class`, in the way that this runtime requires.
void kvos_set_implementation(void *class, void *method, KVOSMethod implementation);

/// The selectors that are hooked, by KVOSHook.
extern void *kvos_selectors[KVOS_HOOK_COUNT];

/// An unused thunk: its implementation, and the point that it passes to the handler. Returns null if none is left.
/// Thunks of -dealloc call the handler passed to kvos_handle_dealloc().
KVOSMethod kvos_take_thunk(KVOSHook hook, KVOSHandler handler, KVOSHookPoint **point);

/// Call it before the first thunk of -dealloc is taken.
void kvos_handle_dealloc(KVOSDeallocHandler handler);

/// The point whose thunk this is, or null.
const KVOSHookPoint *kvos_point_of(KVOSMethod implementation);

#endif
