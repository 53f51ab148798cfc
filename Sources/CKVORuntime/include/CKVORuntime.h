// The Objective-C runtime of the process, and hooks on what its Foundation does for key-value
// observing.
//
// Everything is looked up at run time, so that nothing is linked to a runtime: GCC's libobjc, libobjc2,
// and the entry points that Apple's has too. It knows no log and no rules: whoever installs the hooks is
// called, and calls the original.
//
// Functions may be called from any thread unless they say otherwise. None messages an object but
// kvos_read_string(), kvos_read_exception(), kvos_make_string(), kvos_release() and kvos_silence().

#ifndef CKVORUNTIME_H
#define CKVORUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: The runtime

/// What one Foundation does differently from others; a row of a table.
typedef struct {
  /// As the log spells it.
  const char *name;
  /// Its place in the log's list of runtimes.
  uint64_t number;
  /// A class that this Foundation alone has.
  const char *knownByClass;
  /// The classes that it makes for observing, and those that keep its books, begin with one of these.
  const char *classPrefixes[2];
  /// The class of whose methods it makes the setters that say what changes; null: they are functions.
  const char *setterClass;
  /// Whether it never asks a class for the key paths that affect a key.
  bool ignoresDependencyMethods;
  /// The observer that it uses itself for paths of several keys; null: none.
  const char *forwarderClass;
  /// Whether kvos_silence() knows its books.
  bool canSilence;
  /// Whether adding the same observer for the same key path again takes the place of the former one.
  bool overwrites;
  /// Whether a removal of what is not registered raises.
  bool removalRaises;
  /// Whether a change inside a change of the same key on the same thread tells nobody.
  bool mergesNestedChanges;
} KVOSSemantics;

/// Finds the runtime and its Foundation. False: there is none, or one that lacks what is needed.
///
/// Costs a look-up where there is none. Once true it stays true.
bool kvos_find_runtime(void);

/// Whether kvos_find_runtime() returned true before.
bool kvos_has_runtime(void);

/// What the Foundation does. After kvos_find_runtime().
const KVOSSemantics *kvos_semantics(void);

/// The class that an object says it is of: not the one that a Foundation made for observing it.
void *kvos_visible_class(const void *object);

/// The same for a class.
void *kvos_visible_class_of(void *class);

const char *kvos_class_name(void *class);

/// Whether the Foundation's own observer stands there.
bool kvos_is_forwarder(const void *object);

/// Copies the text of a string object into `buffer`, with a closing zero, and returns how many bytes it
/// has; -1 where it is longer or is no text. Messages the object, but for literals of the compiler.
long kvos_read_string(const void *string, char *buffer, size_t byteCount);

/// The text of a literal of GCC's compiler, where it stands; null: the object is something else.
const char *kvos_literal_text(const void *string, size_t *byteCount);

/// Copies what an exception is called: its name, or its class where it has none. False: neither fits.
bool kvos_read_exception(const void *exception, char *buffer, size_t byteCount);

/// A new string object of this text, or null. kvos_release() takes it back.
void *kvos_make_string(const char *text);
void kvos_release(void *object);

/// Has the Foundation tell nobody where it would tell `observer`, which died registered with `subject` for
/// the key path, once. False: it knows of no such observer, or keeps its books otherwise.
bool kvos_silence(const void *subject, const void *observer, const char *keyPath);

// MARK: What else is asked of the runtime

/// The runtime's function of this name, or null. After kvos_find_runtime().
void *kvos_runtime_function(const char *name);

/// The selector of this name.
void *kvos_selector(const char *name);

/// The class of a class.
void *kvos_metaclass(void *class);

/// The class of this name, or null.
void *kvos_class_named(const char *name);

/// Whether instances of the class, or those above it, have a method for the selector.
bool kvos_instances_answer(void *class, void *selector);

/// Whether the class has a property of the key, as key-value coding finds it: an accessor, a variable, or ways of its
/// own to answer for keys.
bool kvos_class_has_key(void *class, const char *key);

/// Whether the object is of the class, or of one below it.
bool kvos_is_of_class(const void *object, void *class);

// MARK: Hooks

typedef enum {
  KVOS_ADD, KVOS_REMOVE, KVOS_REMOVE_CONTEXT, KVOS_OBSERVE,
  KVOS_WILL, KVOS_DID, KVOS_WILL_INDEXES, KVOS_DID_INDEXES, KVOS_WILL_SET, KVOS_DID_SET,
  KVOS_DEALLOC, KVOS_HOOK_COUNT
} KVOSHook;

/// The original method. All that are hooked take up to four arguments of a register each and return
/// nothing, so one type calls them: the ABIs this is built for leave unused argument registers alone.
typedef void (*KVOSMethod)(void *self, void *selector, uintptr_t first, uintptr_t second,
                           uintptr_t third, uintptr_t fourth);

/// What the object, or the class that is the receiver, answers a message with; to be cast to its type.
KVOSMethod kvos_method_of(const void *receiver, void *selector);

/// The same for instances of the class.
KVOSMethod kvos_method_of_instances(void *class, void *selector);

/// Puts a function in place of a class method, and returns the method that was there; null: there is none. What is
/// called where two threads do so at once is one of the two.
KVOSMethod kvos_replace_class_method(const char *className, const char *name, KVOSMethod function);

/// A class whose method was replaced.
typedef struct {
  KVOSHook hook;
  /// Whether it is a root class: above it nobody answers.
  bool isRoot;
  /// Whether it is the class of the Foundation's own observer: see kvos_is_forwarder().
  bool isForwarder;
  /// Whether the class is a collection, whose instances refuse to be observed.
  bool isCollection;
  void *class;
  KVOSMethod original;
} KVOSHookPoint;

/// Is called in place of the method, on its thread, with its arguments. Calls the original or does not.
typedef void (*KVOSHandler)(const KVOSHookPoint *point, void *self, void *selector,
                            uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t fourth);

/// The same for -dealloc, through which every object passes: it has no arguments.
typedef void (*KVOSDeallocHandler)(const KVOSHookPoint *point, void *self, void *selector);

/// Replaces the methods of all classes that there are. Once; after kvos_find_runtime(). The handler of
/// KVOS_DEALLOC is the second argument.
void kvos_install_hooks(const KVOSHandler handlers[KVOS_HOOK_COUNT], KVOSDeallocHandler dealloc);

/// Replaces those of classes that came since, in a module as GCC's compiler describes it to the
/// runtime, or of all where that is null.
void kvos_hook_new_classes(const void *module);

/// Replaces the method of this name in the class and those above it, where that has not been done.
/// For observers, which are told of nothing before they are registered. False: some could not be replaced.
bool kvos_hook_observer(void *class);

/// Whether the address lies in what is called in place of a method, before its handler.
bool kvos_is_thunk_code(uintptr_t address);

/// Whether the class has a method of its own for what the hook stands in front of; else its instances pass
/// such messages on, or raise.
bool kvos_has_method(KVOSHook hook, void *class);

/// Where the methods of the class lie, as the compiler put them one behind the other: from the first to the start
/// of the last. False: there is no such class, or it has none.
bool kvos_find_methods(const char *className, uintptr_t *first, uintptr_t *last);

/// The method of a class that would be called there without the hook.
KVOSMethod kvos_original(KVOSHook hook, void *class, void **selector);

/// How many methods could not be replaced, because there are no thunks left.
uint32_t kvos_unhooked_count(void);

// MARK: Names of methods

/// A method: where its code begins, and what `-[Class selector]` is made of. The texts stay.
typedef struct {
  uintptr_t address;
  const char *className;
  const char *selector;
  char sign;
} KVOSMethodName;

/// Calls `visit` with every method of every class. Takes the runtime's lock, but not around `visit`.
void kvos_visit_methods(void (*visit)(const KVOSMethodName *method, void *context), void *context);

#endif
