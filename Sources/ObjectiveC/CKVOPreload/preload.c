// The entry points: the library is loaded, or a program calls it.
//
// A process without Objective-C, or without KVO_SAFETY_LOG, costs one lookup in the environment and one of a function's
// name. Classes that load later pass through the functions at the end of this file, which take precedence over the
// runtime's own because the library was loaded first.

#include "preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CKVOUnwind.h"
#include "KVOSafetyPreload.h"

#define EXPORTED __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool isInstalled;
// Tried, but the log could not be opened; this was reported once.
static int failure;

static const KVOSHandler handlers[KVOS_HOOK_COUNT] = {
    [KVOS_ADD] = kvos_added,
    [KVOS_REMOVE] = kvos_removed,
    [KVOS_REMOVE_CONTEXT] = kvos_removed,
    [KVOS_OBSERVE] = kvos_told,
    [KVOS_WILL] = kvos_changes,
    [KVOS_DID] = kvos_changed,
    [KVOS_WILL_INDEXES] = kvos_changes,
    [KVOS_DID_INDEXES] = kvos_changed,
    [KVOS_WILL_SET] = kvos_changes,
    [KVOS_DID_SET] = kvos_changed,
};

// Whether an exception ends the process that nothing catches: its exit is not orderly.
static atomic_bool hasUncaught;

static void process_ends(int status) {
  int number = kvos_enter();
  kvos_judge_all_deallocations();
  // A fork's child that recorded nothing has no log, and gets none for its exit.
  bool hasLog = kvos_part_number() > 0;
  if (hasLog && !atomic_load_explicit(&hasUncaught, memory_order_relaxed)) kvos_record_exit(status);
  kvos_end_log();
  kvos_leave(number);
}

static const char *wanted_log(void) {
  const char *pattern = getenv("KVO_SAFETY_LOG");
  return pattern && *pattern ? pattern : NULL;
}

// The unwinder opens a pipe with its first stack. It is opened now, above the descriptors that the program gets: the
// lowest ones are occupied while the pipe is created.
static void warm_unwinder(void) {
  enum {
    lowest = 64
  };
  int held[lowest];
  int count = 0;
  while (count < lowest) {
    int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) break;
    held[count++] = descriptor;
    if (descriptor >= lowest - 1) break;
  }
  // Both kinds of stack walks, because either may be the first to check whether an address is readable.
  uintptr_t frames[4], slots[4];
  (void)kvos_capture_stack(frames, 4);
  (void)kvos_capture_slots(frames, slots, 4);
  while (count > 0) close(held[--count]);
}

static int install(void) {
  if (atomic_load_explicit(&isInstalled, memory_order_acquire)) return 0;
  const char *pattern = wanted_log();
  if (pattern == NULL) return ENOENT;
  if (!kvos_find_runtime()) return ENOSYS;
  pthread_mutex_lock(&lock);
  if (!atomic_load_explicit(&isInstalled, memory_order_relaxed) && failure == 0) {
    kvos_read_containment(getenv("KVO_SAFETY_CONTAIN"));
    warm_unwinder();
    failure = kvos_begin_log(pattern);
    if (failure == 0) {
      kvos_on_exit(process_ends);
      kvos_install_hooks(handlers, kvos_dealloced);
      // Their events are missing: without memory, for example.
      if (kvos_unhooked_count() > 0) kvos_record_dropped("not all classes can be watched");
      kvos_watch_dependencies();
      kvos_watch_records();
      atomic_store_explicit(&isInstalled, true, memory_order_release);
    }
  }
  int code = failure;
  pthread_mutex_unlock(&lock);
  return code;
}

EXPORTED int kvo_safety_install(void) {
  bool wasInstalled = atomic_load_explicit(&isInstalled, memory_order_acquire);
  int code = install();
  if (code == 0 && wasInstalled) kvos_hook_new_classes(NULL);
  if (code == 0) kvos_forget_names();
  return code;
}

__attribute__((constructor)) static void library_was_loaded(void) {
  if (wanted_log() != NULL && dlsym(RTLD_DEFAULT, "objc_lookUpClass") != NULL) install();
}

// MARK: - Scopes

EXPORTED uint64_t kvo_safety_scope_begin(const char *name) {
  KVOSThread *thread = kvos_thread();
  if (!kvos_is_recording() || thread == NULL) return 0;
  if (thread->scopeCount == thread->scopeCapacity && !kvos_grow_scopes(thread)) return 0;
  uint64_t scope = kvos_next_number();
  uint64_t parent = thread->scopeCount > 0 ? thread->scopes[thread->scopeCount - 1] : 0;
  kvos_record_scope(false, scope, parent, name ? name : "");
  thread->scopes[thread->scopeCount++] = scope;
  return scope;
}

EXPORTED void kvo_safety_scope_end(uint64_t scope) {
  KVOSThread *thread = kvos_thread();
  uint32_t depth = thread && scope ? thread->scopeCount : 0;
  while (depth > 0 && thread->scopes[depth - 1] != scope) depth--;
  if (depth == 0) return;
  while (thread->scopeCount >= depth) {
    uint64_t ending = thread->scopes[--thread->scopeCount];
    kvos_record_scope(true, ending, 0, NULL);
  }
}

// MARK: - Interposed functions of the runtime

typedef struct {
  const char *prefix;
  char path[PATH_MAX];
} Wanted;

static void note_library(const KVOSImage *image, void *context) {
  Wanted *wanted = context;
  const char *slash = strrchr(image->path, '/');
  const char *name = slash ? slash + 1 : image->path;
  if (strncmp(name, wanted->prefix, strlen(wanted->prefix)) != 0) return;
  snprintf(wanted->path, sizeof wanted->path, "%s", image->path);
}

// The function of this name that would be called without this library, looked up once. Two threads find the same one.
static void *next(_Atomic(void *) *known, const char *name, const char *prefix) {
  void *found = atomic_load_explicit(known, memory_order_relaxed);
  if (KVOS_LIKELY(found != NULL)) return found;
  found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    // A library that was opened late, and perhaps privately, is in the scope of only those libraries that need it.
    Wanted wanted = {.prefix = prefix};
    kvos_visit_images(note_library, &wanted);
    void *library = wanted.path[0] ? dlopen(wanted.path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
    found = library ? dlsym(library, name) : NULL;
    if (library) dlclose(library);
  }
  atomic_store_explicit(known, found, memory_order_relaxed);
  return found;
}

static void classes_were_loaded(const void *module) {
  if (atomic_load_explicit(&isInstalled, memory_order_acquire)) {
    kvos_hook_new_classes(module);
    kvos_forget_names();
  } else if (failure == 0 && wanted_log() != NULL) {
    // The Foundation itself may just have been loaded.
    install();
  }
}

/// GCC's runtime: every object file with classes calls it with its module when it is loaded.
EXPORTED void __objc_exec_class(void *module) {
  static _Atomic(void *) known;
  void (*real)(void *) = (void (*)(void *))next(&known, "__objc_exec_class", "libobjc.so");
  if (real == NULL) return;
  real(module);
  classes_were_loaded(module);
}

/// libobjc2: the same.
EXPORTED void __objc_load(void *module) {
  static _Atomic(void *) known;
  void (*real)(void *) = (void (*)(void *))next(&known, "__objc_load", "libobjc.so");
  if (real == NULL) return;
  real(module);
  classes_were_loaded(NULL);
}

// The program changes methods while it runs: an observer's callback may be among them.

static void callback_was_changed(void *class, void *selector) {
  if (class == NULL || !kvos_may_enter() || !atomic_load_explicit(&isInstalled, memory_order_acquire)) return;
  int number = kvos_enter();
  kvos_hook_changed_callback(class, selector);
  kvos_leave(number);
}

static void method_was_changed(void *method) {
  if (method == NULL || !kvos_may_enter() || !atomic_load_explicit(&isInstalled, memory_order_acquire)) return;
  int number = kvos_enter();
  kvos_hook_changed_method(method);
  kvos_leave(number);
}

EXPORTED signed char class_addMethod(void *class, void *selector, KVOSMethod method, const char *types) {
  static _Atomic(void *) known;
  signed char (*real)(void *, void *, KVOSMethod, const char *) =
      (signed char (*)(void *, void *, KVOSMethod, const char *))next(&known, "class_addMethod", "libobjc.so");
  signed char isAdded = real ? real(class, selector, method, types) : 0;
  if (isAdded) callback_was_changed(class, selector);
  return isAdded;
}

EXPORTED KVOSMethod class_replaceMethod(void *class, void *selector, KVOSMethod method, const char *types) {
  static _Atomic(void *) known;
  KVOSMethod (*real)(void *, void *, KVOSMethod, const char *) =
      (KVOSMethod(*)(void *, void *, KVOSMethod, const char *))next(&known, "class_replaceMethod", "libobjc.so");
  KVOSMethod previous = real ? real(class, selector, method, types) : NULL;
  if (real) callback_was_changed(class, selector);
  return previous;
}

EXPORTED KVOSMethod method_setImplementation(void *method, KVOSMethod implementation) {
  static _Atomic(void *) known;
  KVOSMethod (*real)(void *, KVOSMethod) =
      (KVOSMethod(*)(void *, KVOSMethod))next(&known, "method_setImplementation", "libobjc.so");
  KVOSMethod previous = real ? real(method, implementation) : NULL;
  if (real) method_was_changed(method);
  return previous;
}

EXPORTED void method_exchangeImplementations(void *first, void *second) {
  static _Atomic(void *) known;
  void (*real)(void *, void *) = (void (*)(void *, void *))next(&known, "method_exchangeImplementations", "libobjc.so");
  if (real == NULL) return;
  real(first, second);
  method_was_changed(first);
  method_was_changed(second);
}

/// An observer's new class may have another callback.
EXPORTED void *object_setClass(void *object, void *class) {
  static _Atomic(void *) known;
  void *(*real)(void *, void *) = (void *(*)(void *, void *))next(&known, "object_setClass", "libobjc.so");
  void *previous = real ? real(object, class) : NULL;
  if (real == NULL || object == NULL || kvos_is_untracked(object) || !kvos_may_enter()) return previous;
  KVOSTracked *tracked = kvos_find_object(object);
  if (tracked == NULL) return previous;
  int number = kvos_enter();
  if (tracked->preparedClass) kvos_hook_observer(kvos_visible_class(object));
  kvos_class_was_changed(tracked, previous, (uintptr_t)__builtin_return_address(0));
  kvos_leave(number);
  return previous;
}

/// The origin of every Objective-C exception. It does not return.
EXPORTED void objc_exception_throw(void *exception) {
  static _Atomic(void *) known;
  void (*real)(void *) = (void (*)(void *))next(&known, "objc_exception_throw", "libobjc.so");
  if (KVOS_UNLIKELY(kvos_ownThread != NULL) && exception && kvos_may_enter()) {
    kvos_note_raised(kvos_ownThread, exception);
  }
  if (real) real(exception);
  abort();
}

typedef void (*ExceptionHandler)(void *exception);

// Of the Foundation, which calls the program's, or of the program.
static _Atomic(ExceptionHandler) uncaughtHandler;

// No frame has been left yet. The handler usually ends the process.
static void exception_is_uncaught(void *exception) {
  if (kvos_may_enter() && atomic_load_explicit(&isInstalled, memory_order_acquire)) {
    int number = kvos_enter();
    kvos_end_raised_addition((uintptr_t)__builtin_frame_address(0));
    kvos_judge_all_deallocations();
    if (kvos_part_number() > 0) {
      kvos_record_uncaught(exception);
      atomic_store_explicit(&hasUncaught, true, memory_order_relaxed);
    }
    kvos_leave(number);
  }
  ExceptionHandler own = atomic_load_explicit(&uncaughtHandler, memory_order_acquire);
  if (own) own(exception);
}

/// The runtime calls the handler if nothing catches an exception.
EXPORTED ExceptionHandler objc_setUncaughtExceptionHandler(ExceptionHandler handler) {
  static _Atomic(void *) known;
  ExceptionHandler (*real)(ExceptionHandler) =
      (ExceptionHandler(*)(ExceptionHandler))next(&known, "objc_setUncaughtExceptionHandler", "libobjc.so");
  if (real == NULL) return NULL;
  // release: exception_is_uncaught, on any thread, sees what the handler refers to.
  ExceptionHandler own = atomic_exchange_explicit(&uncaughtHandler, handler, memory_order_acq_rel);
  ExceptionHandler previous = real(handler ? exception_is_uncaught : NULL);
  return previous == exception_is_uncaught ? own : previous;
}

/// GNUstep: frees the memory of every object, even of those whose -dealloc does not reach that of a root class.
EXPORTED void NSDeallocateObject(void *object) {
  static _Atomic(void *) known;
  void (*real)(void *) = (void (*)(void *))next(&known, "NSDeallocateObject", "libgnustep-base.so");
  KVOSEnding ending __attribute__((cleanup(kvos_leave_deallocation))) = {.dying = NULL};
  kvos_begin_deallocation(object, &ending);
  if (real) real(object);
  kvos_leave_deallocation(&ending);
  if (KVOS_UNLIKELY(ending.detached.count > 0)) kvos_object_did_deallocate(&ending);
}

/// The runtimes: frees an object that they allocated, as those of a program's root class are.
EXPORTED void *object_dispose(void *object) {
  static _Atomic(void *) known;
  void *(*real)(void *) = (void *(*)(void *))next(&known, "object_dispose", "libobjc.so");
  KVOSEnding ending __attribute__((cleanup(kvos_leave_deallocation))) = {.dying = NULL};
  kvos_begin_deallocation(object, &ending);
  void *result = real ? real(object) : NULL;
  kvos_leave_deallocation(&ending);
  if (KVOS_UNLIKELY(ending.detached.count > 0)) kvos_object_did_deallocate(&ending);
  return result;
}
