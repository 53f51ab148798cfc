// The class of observers, made of the runtime's functions, and its instances.
//
// Races: two threads may begin concurrently, which `lock` serializes; `isReady` is stored last (release) and read first
// (acquire). An observer's number is read by any thread that makes a change, and set to 0 when it is retired (relaxed:
// only the number is exchanged; callbacks for an unknown number do nothing). A thread that read the Foundation's list
// before a removal may message the observer after it: so observers are kept until `RETIRED_LIMIT` others have been
// retired.

#include "messages.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define RETIRED_LIMIT 1024u

KVOSObjectiveCCallbacks kvos_objective_c_callbacks;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool isReady;
static void *observerClass;
static ptrdiff_t numberOffset;
static void *kindKey, *oldKey, *newKey, *indexesKey, *isPriorKey;
static void *nullClass;

// The oldest is overwritten next. Guarded by the lock.
static void *retired[RETIRED_LIMIT];
static unsigned retiredCount;

// How many callbacks of the calling thread are running.
static _Thread_local unsigned callbackDepth;

static _Atomic uint64_t *number_of(void *observer) { return (_Atomic uint64_t *)((char *)observer + numberOffset); }

// MARK: - The class

static void *value_in(void *change, void *key) {
  void *value = SEND(AsksFor, change, "objectForKey:", key);
  return value && kvos_is_of_class(value, nullClass) ? NULL : value;
}

// observeValueForKeyPath:ofObject:change:context:; reports cut a stack by its prefix.
static void kvos_observer_is_notified(void *self, void *selector, void *keyPath, void *object, void *change,
                                      void *context) {
  (void)selector, (void)keyPath, (void)object, (void)context;
  uint64_t number = atomic_load_explicit(number_of(self), memory_order_relaxed);
  if (number == 0) return;
  int64_t kind = 1;
  void *kindNumber = value_in(change, kindKey);
  if (kindNumber) kvos_read_integer(kindNumber, &kind);
  KVOSNotifiedChange notified = {.kind = (unsigned)kind,
                                 .isPrior = value_in(change, isPriorKey) != NULL,
                                 .oldValue = value_in(change, oldKey),
                                 .newValue = value_in(change, newKey),
                                 .indexes = value_in(change, indexesKey)};
  callbackDepth++;
  kvos_objective_c_callbacks.notified(number, &notified);
  callbackDepth--;
}

static bool make_class(void) {
  typedef void *(*AllocatePair)(void *superclass, const char *name, size_t extraByteCount);
  typedef bool (*AddVariable)(void *class, const char *name, size_t size, unsigned char alignment, const char *type);
  typedef bool (*AddMethod)(void *class, void *selector, void (*implementation)(void), const char *types);
  typedef void (*RegisterPair)(void *class);
  typedef void *(*FindVariable)(void *class, const char *name);
  typedef ptrdiff_t (*OffsetOf)(void *variable);
  AllocatePair allocate = (AllocatePair)kvos_runtime_function("objc_allocateClassPair");
  AddVariable addVariable = (AddVariable)kvos_runtime_function("class_addIvar");
  AddMethod addMethod = (AddMethod)kvos_runtime_function("class_addMethod");
  RegisterPair registerPair = (RegisterPair)kvos_runtime_function("objc_registerClassPair");
  FindVariable findVariable = (FindVariable)kvos_runtime_function("class_getInstanceVariable");
  OffsetOf offsetOf = (OffsetOf)kvos_runtime_function("ivar_getOffset");
  if (!allocate || !addVariable || !addMethod || !registerPair || !findVariable || !offsetOf) {
    return false;
  }
  void *class = allocate(kvos_class_named("NSObject"), KVOS_OBSERVER_CLASS, 0);
  if (class == NULL || !addVariable(class, "number", sizeof(uint64_t), 3, "Q")) return false;
  void *selector = kvos_selector("observeValueForKeyPath:ofObject:change:context:");
  if (!addMethod(class, selector, (void (*)(void))kvos_observer_is_notified, "v@:@@@^v")) return false;
  registerPair(class);
  numberOffset = offsetOf(findVariable(class, "number"));
  observerClass = class;
  return true;
}

KVOSObjectiveCState kvos_begin_objective_c(const KVOSObjectiveCCallbacks *callbacks) {
  if (atomic_load_explicit(&isReady, memory_order_acquire)) return KVOS_OBJECTIVE_C_READY;
  if (!kvos_find_runtime()) return KVOS_OBJECTIVE_C_MISSING;
  pthread_mutex_lock(&lock);
  bool isMade = atomic_load_explicit(&isReady, memory_order_relaxed);
  if (!isMade && (isMade = make_class())) {
    kvos_objective_c_callbacks = *callbacks;
    kindKey = kvos_make_string("kind");
    oldKey = kvos_make_string("old");
    newKey = kvos_make_string("new");
    indexesKey = kvos_make_string("indexes");
    isPriorKey = kvos_make_string("notificationIsPrior");
    nullClass = kvos_class_named("NSNull");
    kvos_hook_deallocation();
    atomic_store_explicit(&isReady, true, memory_order_release);
  }
  pthread_mutex_unlock(&lock);
  return isMade ? KVOS_OBJECTIVE_C_READY : KVOS_OBJECTIVE_C_INCOMPLETE;
}

// MARK: - Instances

void *kvos_make_observer(uint64_t number) {
  void *observer = SEND(Asks, observerClass, "alloc");
  if (observer) observer = SEND(Asks, observer, "init");
  if (observer) atomic_store_explicit(number_of(observer), number, memory_order_relaxed);
  return observer;
}

void kvos_add_observer(void *subject, void *observer, const char *keyPath, unsigned long options) {
  typedef void (*Add)(void *, void *, void *, void *, unsigned long, void *);
  void *pool = kvos_open_pool();
  void *name = kvos_make_string(keyPath);
  SEND(Add, subject, "addObserver:forKeyPath:options:context:", observer, name, options, NULL);
  kvos_release(name);
  kvos_close_pool(pool);
}

// Outer frames may still use objects that the Foundation releases here: 1.28 autoreleases its record of an object when
// its last observer is removed. So that record goes into the existing pool, as if Objective-C had removed the observer;
// inside a callback no pool is opened.
void kvos_remove_observer(void *subject, void *observer, const char *keyPath) {
  typedef void (*Remove)(void *, void *, void *, void *);
  bool hasPool = SEND(Asks, kvos_class_named("NSAutoreleasePool"), "currentPool") != NULL;
  void *pool = hasPool || callbackDepth > 0 ? NULL : kvos_open_pool();
  void *name = kvos_make_string(keyPath);
  SEND(Remove, subject, "removeObserver:forKeyPath:", observer, name);
  kvos_release(name);
  if (pool) kvos_close_pool(pool);
}

void kvos_retire_observer(void *observer, bool isStillReferring) {
  atomic_store_explicit(number_of(observer), 0, memory_order_relaxed);
  if (isStillReferring) return;
  pthread_mutex_lock(&lock);
  void **slot = &retired[retiredCount++ % RETIRED_LIMIT];
  void *oldest = *slot;
  *slot = observer;
  pthread_mutex_unlock(&lock);
  kvos_release(oldest);
}
