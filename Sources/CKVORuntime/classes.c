// Goes through classes and replaces their methods.
//
// Additions and removals are hooked in every class that has them, because some answer without asking
// super: arrays refuse, proxies pass on. Changes and deallocation are hooked in root classes, where all
// others end up. What observers are told is hooked when they are registered, in their class and above:
// most classes that could observe never do.
//
// Races: classes may load on several threads at once, and register observers meanwhile. No lock is held
// while the runtime is asked: it runs +initialize under its own, which may register an observer and come here.
// Two threads that replace one method at once each make a thunk for the same original, and one of them stays:
// that is as good. `lock` guards the table of observers' classes alone; a class is noted when it and those
// above it are hooked.

#include "functions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Written once, before `isInstalled` (release).
static KVOSHandler installed[KVOS_HOOK_COUNT];
static atomic_bool isInstalled;
static atomic_uint unhookedCount;

// Observers' classes that were gone through. Guarded by the lock.
static void **knownObservers;
static size_t knownCount, knownMask;

uint32_t kvos_unhooked_count(void) {
  return atomic_load_explicit(&unhookedCount, memory_order_relaxed);
}

static bool descends(void *class, void *other) {
  for (; class; class = kvos_superclass(class)) {
    if (class == other) return true;
  }
  return false;
}

static bool is_collection(void *class) {
  static const char *const names[] = {"NSArray", "NSSet", "NSOrderedSet"};
  for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
    void *collection = kvos_functions.lookUpClass(names[at]);
    if (collection && descends(class, collection)) return true;
  }
  return false;
}

// The books of a Foundation answer the same selectors.
static bool is_internal(void *class) { return kvos_visible_class_of(class) != class; }

static bool is_hooked_everywhere(KVOSHook hook) { return hook <= KVOS_REMOVE_CONTEXT; }

static void hook_method(void *class, void *method, KVOSHook hook) {
  KVOSMethod original = kvos_functions.methodImplementation(method);
  if ((installed[hook] == NULL && hook != KVOS_DEALLOC) || kvos_point_of(original)) return;
  KVOSHookPoint *point = NULL;
  KVOSMethod thunk = kvos_take_thunk(hook, installed[hook], &point);
  if (thunk == NULL) {
    atomic_fetch_add_explicit(&unhookedCount, 1, memory_order_relaxed);
    return;
  }
  *point = (KVOSHookPoint){.hook = hook,
                           .isRoot = kvos_is_root(class),
                           .isForwarder = class == kvos_forwarder_class(),
                           .isCollection = hook <= KVOS_REMOVE_CONTEXT && is_collection(class),
                           .class = class,
                           .original = original};
  kvos_set_implementation(class, method, thunk);
}

// Replaces the methods of this very class, those for observers where `isObserver`.
static void hook_class(void *class, bool isObserver) {
  bool isForwarder = class == kvos_forwarder_class();
  if (is_internal(class) && !isForwarder) return;
  bool isRoot = kvos_is_root(class);
  unsigned count = 0;
  void **methods = kvos_functions.copyMethodList(class, &count);
  for (unsigned at = 0; methods && at < count; at++) {
    void *name = kvos_functions.methodName(methods[at]);
    for (int hook = 0; hook < KVOS_HOOK_COUNT; hook++) {
      if (!kvos_is_same_selector(name, kvos_selectors[hook])) continue;
      if (isForwarder && hook != KVOS_OBSERVE) continue;
      bool isWanted = hook == KVOS_OBSERVE ? isObserver || isRoot || isForwarder
                                           : isRoot || is_hooked_everywhere((KVOSHook)hook);
      if (isWanted) hook_method(class, methods[at], (KVOSHook)hook);
      break;
    }
  }
  free(methods);
}

// Calls `visit` with every class that is loaded; it takes the runtime's lock, but not around `visit`.
static void visit_classes(void (*visit)(void *class, void *context), void *context) {
  int count = kvos_functions.classList(NULL, 0);
  void **classes = count > 0 ? calloc((size_t)count, sizeof *classes) : NULL;
  if (classes == NULL) return;
  // libobjc2 writes as many as it has, whatever it is told: never more room than that is claimed.
  int found = kvos_functions.classList(classes, count);
  if (found < count) count = found;
  for (int at = 0; at < count; at++) {
    if (classes[at]) visit(classes[at], context);
  }
  free(classes);
}

static void hook_one(void *class, void *context) {
  (void)context;
  hook_class(class, false);
}

static void hook_all(void) { visit_classes(hook_one, NULL); }

static void fork_begins(void) { pthread_mutex_lock(&lock); }
static void fork_ends(void) { pthread_mutex_unlock(&lock); }

void kvos_install_hooks(const KVOSHandler handlers[KVOS_HOOK_COUNT], KVOSDeallocHandler dealloc) {
  // A child must not find the lock held by a thread that it does not have.
  pthread_atfork(fork_begins, fork_ends, fork_ends);
  memcpy(installed, handlers, sizeof installed);
  kvos_handle_dealloc(dealloc);
  atomic_store_explicit(&isInstalled, true, memory_order_release);
  hook_all();
}

// MARK: - The classes of observers

static size_t place_of(void *class) {
  size_t at = ((uintptr_t)class >> 4) * 0x9E3779B97F4A7C15u >> 20 & knownMask;
  while (knownObservers[at] && knownObservers[at] != class) at = (at + 1) & knownMask;
  return at;
}

static bool is_known(void *class) {
  pthread_mutex_lock(&lock);
  bool isKnown = knownObservers && knownObservers[place_of(class)] != NULL;
  pthread_mutex_unlock(&lock);
  return isKnown;
}

// MARK: - Classes that load later

// A module and its symbols, as GCC's compiler lays them out.
typedef struct {
  unsigned long referenceCount;
  void *references;
  unsigned short classCount, categoryCount;
  void *definitions[];
} Symbols;

typedef struct {
  unsigned long version, byteCount;
  const char *name;
  const Symbols *symbols;
} Module;

typedef struct {
  const char *categoryName, *className;
} Category;

void kvos_hook_new_classes(const void *module) {
  if (!atomic_load_explicit(&isInstalled, memory_order_acquire)) return;
  const Symbols *symbols = module ? ((const Module *)module)->symbols : NULL;
  if (module == NULL) hook_all();
  for (unsigned at = 0; symbols && at < symbols->classCount; at++) {
    const char *name = kvos_functions.className(symbols->definitions[at]);
    void *class = kvos_functions.lookUpClass(name);
    if (class) hook_class(class, false);
  }
  for (unsigned at = 0; symbols && at < symbols->categoryCount; at++) {
    const Category *category = symbols->definitions[symbols->classCount + at];
    void *class = kvos_functions.lookUpClass(category->className);
    if (class == NULL) continue;
    hook_class(class, is_known(class));
  }
}

// The lock is held.
static void note_observer(void *class) {
  if (knownCount * 2 >= knownMask) {
    size_t formerCount = knownObservers ? knownMask + 1 : 0;
    void **former = knownObservers;
    size_t size = formerCount ? formerCount * 2 : 128;
    void **larger = calloc(size, sizeof *larger);
    if (larger == NULL) return;
    knownObservers = larger;
    knownMask = size - 1;
    for (size_t at = 0; at < formerCount; at++) {
      if (former[at]) knownObservers[place_of(former[at])] = former[at];
    }
    free(former);
  }
  size_t at = place_of(class);
  if (knownObservers[at]) return;
  knownObservers[at] = class;
  knownCount++;
}

bool kvos_hook_observer(void *class) {
  uint32_t unhooked = kvos_unhooked_count();
  void *each = class;
  while (each && !is_known(each)) {
    hook_class(each, true);
    each = kvos_superclass(each);
  }
  pthread_mutex_lock(&lock);
  for (void *hooked = class; hooked != each; hooked = kvos_superclass(hooked)) note_observer(hooked);
  pthread_mutex_unlock(&lock);
  return kvos_unhooked_count() == unhooked;
}

bool kvos_has_method(KVOSHook hook, void *class) {
  return kvos_functions.classMethod(class, kvos_selectors[hook]) != NULL;
}

void *kvos_metaclass(void *class) { return kvos_class_of(class); }

KVOSMethod kvos_replace_class_method(const char *className, const char *name, KVOSMethod function) {
  void *class = kvos_functions.lookUpClass(className);
  void *meta = class ? kvos_class_of(class) : NULL;
  void *wanted = kvos_selector(name);
  unsigned count = 0;
  void **methods = meta ? kvos_functions.copyMethodList(meta, &count) : NULL;
  KVOSMethod former = NULL;
  for (unsigned at = 0; methods && at < count && former == NULL; at++) {
    if (!kvos_is_same_selector(kvos_functions.methodName(methods[at]), wanted)) continue;
    former = kvos_functions.methodImplementation(methods[at]);
    kvos_set_implementation(meta, methods[at], function);
  }
  free(methods);
  return former;
}

bool kvos_find_methods(const char *className, uintptr_t *first, uintptr_t *last) {
  void *class = kvos_functions.lookUpClass(className);
  unsigned count = 0;
  void **methods = class ? kvos_functions.copyMethodList(class, &count) : NULL;
  *first = UINTPTR_MAX;
  *last = 0;
  for (unsigned at = 0; methods && at < count; at++) {
    uintptr_t address = (uintptr_t)kvos_functions.methodImplementation(methods[at]);
    if (address < *first) *first = address;
    if (address > *last) *last = address;
  }
  free(methods);
  return *last != 0;
}

KVOSMethod kvos_original(KVOSHook hook, void *class, void **selector) {
  *selector = kvos_selectors[hook];
  KVOSMethod method = kvos_functions.classImplementation(class, kvos_selectors[hook]);
  const KVOSHookPoint *point = kvos_point_of(method);
  return point ? point->original : method;
}

// MARK: - Names of methods

typedef struct {
  void (*visit)(const KVOSMethodName *method, void *context);
  void *context;
} MethodVisit;

static void visit_methods_of(void *class, char sign, const MethodVisit *wanted) {
  unsigned count = 0;
  void **methods = kvos_functions.copyMethodList(class, &count);
  for (unsigned at = 0; methods && at < count; at++) {
    KVOSMethod method = kvos_functions.methodImplementation(methods[at]);
    const KVOSHookPoint *point = kvos_point_of(method);
    KVOSMethodName name = {
        .address = (uintptr_t)(point ? point->original : method),
        .className = kvos_functions.className(class),
        .selector = kvos_functions.selectorName(kvos_functions.methodName(methods[at])),
        .sign = sign,
    };
    wanted->visit(&name, wanted->context);
  }
  free(methods);
}

static void visit_both_sides(void *class, void *context) {
  visit_methods_of(class, '-', context);
  void *meta = kvos_class_of(class);
  if (meta && meta != class) visit_methods_of(meta, '+', context);
}

void kvos_visit_methods(void (*visit)(const KVOSMethodName *, void *), void *context) {
  MethodVisit wanted = {visit, context};
  visit_classes(visit_both_sides, &wanted);
}
