// The Objective-C runtime of the process, and hooks on what its Foundation does for key-value
// observing.
//
// Everything is looked up at run time, so that nothing is linked to a runtime: GCC's libobjc, libobjc2, and the entry
// points that Apple's has too. It knows neither logs nor rules: the handlers of the installed hooks are called, and
// call the originals.
//
// Functions may be called from any thread unless they say otherwise. None messages an object except kvos_read_string(),
// kvos_read_exception(), kvos_reason_of(), kvos_make_string(), kvos_release() and those that query a Foundation's
// observation records.

#ifndef CKVORUNTIME_H
#define CKVORUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: The runtime

/// The differences of one Foundation from others; a row of a table.
typedef struct {
  /// Its name in the log.
  const char *name;
  /// Its index in the log's list of runtimes.
  uint64_t number;
  /// A class that only this Foundation has.
  const char *knownByClass;
  /// The classes that it makes for observing, and those of its observation records, begin with one of these.
  const char *classPrefixes[2];
  /// The class whose methods it uses as notifying setters; null: they are functions.
  const char *setterClass;
  /// Whether it never queries a class for the key paths that affect a key.
  bool ignoresDependencyMethods;
  /// The observer that it uses itself for paths of several keys, or some of them; null: none.
  const char *forwarderClass;
  /// Whether kvos_silence(), kvos_is_in_records() and kvos_begin_detaching() support its observation records.
  bool canReadRecords;
  /// Whether the deallocation of an observed object ends the program.
  bool raisesAtDeallocation;
  /// Whether it forgets the observers of an object, and gives it back its class, before the -dealloc of that class.
  bool forgetsAtDeallocation;
  /// Whether adding the same observer for the same key path again replaces the previous one.
  bool overwrites;
  /// Whether an addition of a key that is not ASCII raises, regardless of the class: it makes the names of setters from
  /// ASCII letters alone.
  bool needsASCIIKeys;
  /// Whether a removal of an unregistered observer raises.
  bool removalRaises;
  /// Whether a change inside a change of the same key on the same thread notifies no observer.
  bool mergesNestedChanges;
  /// Whether the same is true of a change that the getter makes when the end of a change reads the new value.
  bool mergesChangesOfGetter;
  /// Whether the end of a change ends the newest one of the object, whatever its key is: of changes that cross it
  /// notifies in the reverse order.
  bool endsNewestChange;
} KVOSSemantics;

/// Finds the runtime and its Foundation. Returns false if there is none, or if it lacks required functions.
///
/// Costs a lookup if there is none. Once true, it remains true.
bool kvos_find_runtime(void);

/// Whether kvos_find_runtime() returned true before.
bool kvos_has_runtime(void);

/// The properties of the Foundation. Call it after kvos_find_runtime().
const KVOSSemantics *kvos_semantics(void);

/// The class that an object reports: not the one that a Foundation created for observing it.
void *kvos_visible_class(const void *object);

/// The same for a class.
void *kvos_visible_class_of(void *class);

const char *kvos_class_name(void *class);

/// Whether an object may be at the address, which must be readable: false if its class is not one, as after a
/// deallocation. On other runtimes than GCC's true unless `isDoubtful`: an object may have a hidden class there, which is
/// not found. Takes the runtime's lock.
bool kvos_is_object(const void *address, bool isDoubtful);

/// Whether the object is the Foundation's own observer.
bool kvos_is_forwarder(const void *object);

enum {
  KVOS_NOT_A_TEXT = -2
};

/// Copies the text of a string object into `buffer`, with a closing zero, and returns how many bytes it has, among which
/// may be zeros; -1 if it is longer or cannot be read, KVOS_NOT_A_TEXT if the object is not a string. Messages strings,
/// except for literals of the compiler.
long kvos_read_string(const void *string, char *buffer, size_t byteCount);

/// The text of a literal of GCC, in place; null: the object is something else.
const char *kvos_literal_text(const void *string, size_t *byteCount);

/// Copies the name of an exception, or its class if it has none or says it by a method of its own. Returns false if neither fits.
bool kvos_read_exception(const void *exception, char *buffer, size_t byteCount);

/// The reason of an exception, a string object; null if it has none, or says it by a method of its own.
const void *kvos_reason_of(const void *exception);

/// A new string object of this text, or null. Release it with kvos_release().
void *kvos_make_string(const char *text);
void kvos_release(void *object);

/// Makes the Foundation notify no object instead of `observer`, which was deallocated while registered with `subject`
/// for the key path, once. Returns false if it has no such observer, or stores its records differently.
bool kvos_silence(const void *subject, const void *observer, const char *keyPath);

/// Whether the Foundation has the observer registered with `subject` for the key path; also true if it stores its
/// records differently, or the object stores its own.
bool kvos_is_in_records(const void *subject, const void *observer, const char *keyPath);

/// The Foundation's record of the observers of an object, or null: it has none, keeps no object for that, or stores its
/// own. Not retained: only to be compared.
const void *kvos_records(const void *subject);

/// The observers in the observation info of an object that is being deallocated.
typedef struct {
  const void **entries;
  uint32_t count, capacity;
} KVOSDetached;

/// Keeps the Foundation from raising about observers for the key path when `subject` is deallocated: call it before
/// that, with an initially empty list, for each key path. Returns false if it has no record of the object, for any key
/// path.
bool kvos_begin_detaching(const void *subject, const char *keyPath, KVOSDetached *detached);

/// Clears the references of the list's entries to the object and to its observers: call it when the object is
/// deallocated. The list is empty afterwards. May deallocate objects of the program.
void kvos_end_detaching(KVOSDetached *detached);

// MARK: What else is asked of the runtime

/// The runtime's function of this name, or null. Call it after kvos_find_runtime().
void *kvos_runtime_function(const char *name);

/// The selector of this name.
void *kvos_selector(const char *name);

/// The class of a class.
void *kvos_metaclass(void *class);

/// The class of this name, or null.
void *kvos_class_named(const char *name);

/// Whether instances of the class, or of its superclasses, have a method for the selector.
bool kvos_instances_answer(void *class, void *selector);

/// Whether the class has a property of the key, as key-value coding finds it: an accessor, a variable, or its own way
/// to resolve keys.
bool kvos_class_has_key(void *class, const char *key);

/// Whether the object is of the class, or of a subclass.
bool kvos_is_of_class(const void *object, void *class);

// MARK: Hooks

typedef enum {
  KVOS_ADD,
  KVOS_REMOVE,
  KVOS_REMOVE_CONTEXT,
  KVOS_OBSERVE,
  KVOS_WILL,
  KVOS_DID,
  KVOS_WILL_INDEXES,
  KVOS_DID_INDEXES,
  KVOS_WILL_SET,
  KVOS_DID_SET,
  KVOS_DEALLOC,
  KVOS_HOOK_COUNT
} KVOSHook;

/// The original method. All hooked methods take up to four arguments of a register each and return nothing, so one type
/// calls them: the ABIs this is built for leave unused argument registers alone.
typedef void (*KVOSMethod)(void *self, void *selector, uintptr_t first, uintptr_t second, uintptr_t third,
                           uintptr_t fourth);

/// The implementation for a message to the object, or to the class that is the receiver; cast it to its type.
KVOSMethod kvos_method_of(const void *receiver, void *selector);

/// The same for instances of the class.
KVOSMethod kvos_method_of_instances(void *class, void *selector);

/// Replaces a class method by a function, and returns the previous method; null: there is none. If two threads do so
/// concurrently, one of the two functions is called.
KVOSMethod kvos_replace_class_method(const char *className, const char *name, KVOSMethod function);

/// The same for an instance method.
KVOSMethod kvos_replace_method(const char *className, const char *name, KVOSMethod function);

/// Whether objects of the class run code of their own when they are freed: the runtime releases their variables.
bool kvos_has_destructor(void *class);

/// A class whose method was replaced.
typedef struct {
  KVOSHook hook;
  /// Whether it is a root class, which has no superclass, or the class of one.
  bool isRoot;
  /// Whether it is the class of the Foundation's own observer: see kvos_is_forwarder().
  bool isForwarder;
  /// Whether the class is a collection, whose instances refuse to be observed.
  bool isCollection;
  void *class;
  KVOSMethod original;
} KVOSHookPoint;

/// Called instead of the method, on its thread, with its arguments. It may call the original or not.
typedef void (*KVOSHandler)(const KVOSHookPoint *point, void *self, void *selector, uintptr_t first, uintptr_t second,
                            uintptr_t third, uintptr_t fourth);

/// The same for -dealloc, through which every object passes: it has no arguments.
typedef void (*KVOSDeallocHandler)(const KVOSHookPoint *point, void *self, void *selector);

/// Replaces the methods of all existing classes. Call it once, after kvos_find_runtime(). The handler of KVOS_DEALLOC
/// is the second argument.
void kvos_install_hooks(const KVOSHandler handlers[KVOS_HOOK_COUNT], KVOSDeallocHandler dealloc);

/// Replaces those of classes that were loaded since: of a module as GCC describes it to the runtime, or of all if that
/// is null.
void kvos_hook_new_classes(const void *module);

/// Replaces the method of this name in the class and its superclasses, unless that has been done. For observers, which
/// are not notified before they are registered. Returns false if some could not be replaced.
bool kvos_hook_observer(void *class);

/// Replaces it in every class that has it, and in those that load later: an observer forwards its notifications to an
/// unknown object.
void kvos_hook_all_observers(void);

/// The class has a new implementation of the selector; null: some class. Replaces it if it is that of observers. Call
/// it after kvos_install_hooks().
void kvos_hook_changed_callback(void *class, void *selector);

/// The same for a method of the runtime, of which the class is not known.
void kvos_hook_changed_method(void *method);

/// Whether the address is in code that is called instead of a method, before its handler.
bool kvos_is_thunk_code(uintptr_t address);

/// Whether the class has a method of its own for the hooked selector; otherwise its instances forward such messages, or
/// raise.
bool kvos_has_method(KVOSHook hook, void *class);

/// The range of the class's methods, which the compiler placed consecutively: from the first to the start of the last.
/// Returns false if there is no such class, or it has none.
bool kvos_find_methods(const char *className, uintptr_t *first, uintptr_t *last);

/// Whether the address is in one of the methods that a Foundation added to the class that it created for observing the
/// object, or less than `room` bytes after one. False if it created none.
bool kvos_is_near_made_method(const void *object, uintptr_t address, uintptr_t room);

/// The method of a class that would be called without the hook.
KVOSMethod kvos_original(KVOSHook hook, void *class, void **selector);

/// How many methods could not be replaced, because there are no thunks left.
uint32_t kvos_unhooked_count(void);

// MARK: Names of methods

/// A method: the start of its code, and the parts of `-[Class selector]`. The texts are never freed.
typedef struct {
  uintptr_t address;
  const char *className;
  const char *selector;
  char sign;
} KVOSMethodName;

/// Calls `visit` with every method of every class. Takes the runtime's lock, but not around `visit`.
void kvos_visit_methods(void (*visit)(const KVOSMethodName *method, void *context), void *context);

#endif
