// Traverses classes and replaces their methods.
//
// Additions and removals are hooked in every class that has them, because some answer without asking super: arrays
// refuse, proxies forward. Changes and deallocation are hooked in root classes, which all others call. Observers'
// callbacks are hooked when they are registered, in their class and above: most classes that could observe never do.
//
// Races: classes may be loaded on several threads at once, and register observers concurrently. No lock is held while
// the runtime is called: it runs +initialize under its own, which may register an observer and come here. Two threads
// that replace one method at once each create a thunk for the same original, and one of them is kept, which is
// equivalent. `lock` guards only the table of observers' classes; a class is noted when it and its superclasses are
// hooked.

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
// Whether callbacks are hooked in every class that has the method, and not only where an observer is registered.
static atomic_bool hooksAllObservers;

// Observers' classes that were traversed. Guarded by the lock.
static void **knownObservers;
static size_t knownCount, knownMask;

uint32_t kvos_unhooked_count(void) { return atomic_load_explicit(&unhookedCount, memory_order_relaxed); }

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

// A Foundation's observation records respond to the same selectors.
static bool is_internal(void *class) { return kvos_visible_class_of(class) != class; }

// Whether the class is a root class, or the class of one. GCC's runtime copies the methods of a root class into the
// latter, where class objects find them.
static bool is_root_side(void *class) {
  if (kvos_is_root(class)) return true;
  void *named = kvos_functions.lookUpClass(kvos_functions.className(class));
  return named && named != class && kvos_is_root(named) && kvos_class_of(named) == class;
}

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
                           .isRoot = is_root_side(class),
                           .isForwarder = class == kvos_forwarder_class(),
                           .isCollection = hook <= KVOS_REMOVE_CONTEXT && is_collection(class),
                           .class = class,
                           .original = original};
  kvos_set_implementation(class, method, thunk);
}

// Replaces the methods of only this class, those for observers if `isObserver`.
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
      bool isWanted =
          hook == KVOS_OBSERVE ? isObserver || isRoot || isForwarder : isRoot || is_hooked_everywhere((KVOSHook)hook);
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
  if (classes == NULL) {
    if (count > 0) atomic_fetch_add_explicit(&unhookedCount, 1, memory_order_relaxed);
    return;
  }
  // libobjc2 writes as many as it has, ignoring the limit: so the buffer is made large enough for all.
  int found = kvos_functions.classList(classes, count);
  if (found < count) count = found;
  for (int at = 0; at < count; at++) {
    if (classes[at]) visit(classes[at], context);
  }
  free(classes);
}

typedef struct {
  const void *class;
  bool isFound;
} Sought;

static void compare(void *class, void *context) {
  Sought *sought = context;
  sought->isFound |= class == sought->class || kvos_class_of(class) == sought->class;
}

bool kvos_is_object(const void *address, bool isDoubtful) {
  if (kvos_functions.updateDispatchTable == NULL && !isDoubtful) return true;
  // The last class of each slot that was found to be one.
  static _Atomic(void *) known[64];
  // Not by a function of the runtime, which would read the class.
  void *class = *(void *const *)address;
  _Atomic(void *) *slot = &known[((uintptr_t) class >> 4) * 0x9E3779B97F4A7C15u >> 58];
  // relaxed: only the word is published.
  if (class == NULL || atomic_load_explicit(slot, memory_order_relaxed) == class) return class != NULL;
  Sought sought = {class, false};
  visit_classes(compare, &sought);
  if (sought.isFound) atomic_store_explicit(slot, class, memory_order_relaxed);
  return sought.isFound;
}

static bool hooks_all(void) { return atomic_load_explicit(&hooksAllObservers, memory_order_relaxed); }

static void hook_one(void *class, void *context) {
  (void)context;
  hook_class(class, hooks_all());
}

static void hook_all(void) { visit_classes(hook_one, NULL); }

void kvos_hook_all_observers(void) {
  // A thread that sees it set may find some classes that this thread has yet to hook.
  if (atomic_exchange_explicit(&hooksAllObservers, true, memory_order_relaxed)) return;
  hook_all();
}

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

static size_t slot_of(void *class) {
  size_t at = ((uintptr_t) class >> 4) * 0x9E3779B97F4A7C15u >> 20 & knownMask;
  while (knownObservers[at] && knownObservers[at] != class) at = (at + 1) & knownMask;
  return at;
}

static bool is_known(void *class) {
  pthread_mutex_lock(&lock);
  bool isKnown = knownObservers && knownObservers[slot_of(class)] != NULL;
  pthread_mutex_unlock(&lock);
  return isKnown;
}

// MARK: - Classes that load later

// A module and its symbols, as laid out by GCC.
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
    if (class) hook_class(class, hooks_all());
  }
  for (unsigned at = 0; symbols && at < symbols->categoryCount; at++) {
    const Category *category = symbols->definitions[symbols->classCount + at];
    void *class = kvos_functions.lookUpClass(category->className);
    if (class == NULL) continue;
    hook_class(class, hooks_all() || is_known(class));
  }
}

// The lock is held.
static void note_observer(void *class) {
  if (knownCount * 2 >= knownMask) {
    size_t previousCount = knownObservers ? knownMask + 1 : 0;
    void **previous = knownObservers;
    size_t size = previousCount ? previousCount * 2 : 128;
    void **larger = calloc(size, sizeof *larger);
    if (larger == NULL) {
      atomic_fetch_add_explicit(&unhookedCount, 1, memory_order_relaxed);
      return;
    }
    knownObservers = larger;
    knownMask = size - 1;
    for (size_t at = 0; at < previousCount; at++) {
      if (previous[at]) knownObservers[slot_of(previous[at])] = previous[at];
    }
    free(previous);
  }
  size_t at = slot_of(class);
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

static void hook_known(void *class, void *context) {
  (void)context;
  if (hooks_all() || is_known(class)) hook_class(class, true);
}

void kvos_hook_changed_callback(void *class, void *selector) {
  if (!kvos_is_same_selector(selector, kvos_selectors[KVOS_OBSERVE])) return;
  if (class) {
    hook_known(class, NULL);
  } else {
    visit_classes(hook_known, NULL);
  }
}

void kvos_hook_changed_method(void *method) { kvos_hook_changed_callback(NULL, kvos_functions.methodName(method)); }

static bool has_own_method(void *class, void *selector) {
  unsigned count = 0;
  bool isThere = false;
  void **methods = kvos_functions.copyMethodList(class, &count);
  for (unsigned at = 0; methods && at < count && !isThere; at++) {
    isThere = kvos_is_same_selector(kvos_functions.methodName(methods[at]), selector);
  }
  free(methods);
  return isThere;
}

// The runtime is not asked: it would ask a class that makes methods when they are first asked for.
bool kvos_has_method(KVOSHook hook, void *class) {
  void *root = kvos_functions.lookUpClass("NSObject");
  for (; class; class = kvos_superclass(class)) {
    if (hook == KVOS_OBSERVE && class == root) return true;
    if (has_own_method(class, kvos_selectors[hook])) return true;
  }
  return false;
}

void *kvos_metaclass(void *class) { return kvos_class_of(class); }

bool kvos_has_destructor(void *class) {
  void *selector = kvos_selector(".cxx_destruct");
  while (class && !has_own_method(class, selector)) class = kvos_superclass(class);
  return class != NULL;
}

// Replaces a method of only this class, which may be null.
static KVOSMethod replace_own(void *class, const char *name, KVOSMethod function) {
  void *wanted = kvos_selector(name);
  unsigned count = 0;
  void **methods = class ? kvos_functions.copyMethodList(class, &count) : NULL;
  KVOSMethod previous = NULL;
  for (unsigned at = 0; methods && at < count && previous == NULL; at++) {
    if (!kvos_is_same_selector(kvos_functions.methodName(methods[at]), wanted)) continue;
    previous = kvos_functions.methodImplementation(methods[at]);
    kvos_set_implementation(class, methods[at], function);
  }
  free(methods);
  return previous;
}

KVOSMethod kvos_replace_class_method(const char *className, const char *name, KVOSMethod function) {
  void *class = kvos_functions.lookUpClass(className);
  return replace_own(class ? kvos_class_of(class) : NULL, name, function);
}

KVOSMethod kvos_replace_method(const char *className, const char *name, KVOSMethod function) {
  return replace_own(kvos_functions.lookUpClass(className), name, function);
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

bool kvos_is_near_made_method(const void *object, uintptr_t address, uintptr_t room) {
  // libobjc2 does not return a class that is made for one object: it hides behind the class that it has the name of.
  void *class = *(void *const *)object;
  if (kvos_visible_class(object) == class) return false;
  unsigned count = 0;
  bool isNear = false;
  void **methods = kvos_functions.copyMethodList(class, &count);
  for (unsigned at = 0; methods && at < count && !isNear; at++) {
    uintptr_t start = (uintptr_t)kvos_functions.methodImplementation(methods[at]);
    isNear = address >= start && address - start < room;
  }
  free(methods);
  return isNear;
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
