// Finds the Objective-C runtime of the process, and calls it.
//
// Races: two threads may search for it concurrently. Both find the same functions and store the same words; `state` is
// stored last, with release, and read with acquire.

#include "functions.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

KVOSFunctions kvos_functions;
void *kvos_selectors[KVOS_HOOK_COUNT];

static const char *const selectorNames[KVOS_HOOK_COUNT] = {
    [KVOS_ADD] = "addObserver:forKeyPath:options:context:",
    [KVOS_REMOVE] = "removeObserver:forKeyPath:",
    [KVOS_REMOVE_CONTEXT] = "removeObserver:forKeyPath:context:",
    [KVOS_OBSERVE] = "observeValueForKeyPath:ofObject:change:context:",
    [KVOS_WILL] = "willChangeValueForKey:",
    [KVOS_DID] = "didChangeValueForKey:",
    [KVOS_WILL_INDEXES] = "willChange:valuesAtIndexes:forKey:",
    [KVOS_DID_INDEXES] = "didChange:valuesAtIndexes:forKey:",
    [KVOS_WILL_SET] = "willChangeValueForKey:withSetMutation:usingObjects:",
    [KVOS_DID_SET] = "didChangeValueForKey:withSetMutation:usingObjects:",
    [KVOS_DEALLOC] = "dealloc",
};

// The first one whose class exists. GNUstep 1.28 and 1.31 were measured: on GCC's runtime 1.31 behaves like 1.28, on
// libobjc2 as `gnustep-modern`. Apple's is as in its headers.
static const KVOSSemantics table[] = {
    {.name = "gnustep-1.28",
     .number = 2,
     .knownByClass = "GSKVOInfo",
     .classPrefixes = {"GSKVO", "NSKeyValueObservationForwarder"},
     .setterClass = "GSKVOSetter",
     .ignoresDependencyMethods = true,
     .forwarderClass = "NSKeyValueObservationForwarder",
     .forgetsAtDeallocation = true,
     .overwrites = true,
     .needsASCIIKeys = true,
     .removalRaises = false,
     .mergesNestedChanges = true,
     .mergesChangesOfGetter = true},
    {.name = "gnustep-modern",
     .number = 3,
     .knownByClass = "_NSKVOObservationInfo",
     .classPrefixes = {"_NSKVO", "NSKVONotifying_"},
     // Newer than 1.31.1, and only for objects in a path that register observers themselves.
     .forwarderClass = "_NSKVOForwardingRelay",
     .canReadRecords = true,
     .raisesAtDeallocation = true,
     .overwrites = false,
     .removalRaises = true,
     .mergesNestedChanges = true,
     .endsNewestChange = true},
    {.name = "apple",
     .number = 1,
     .knownByClass = "NSKeyValueObservationInfo",
     .classPrefixes = {"NSKVONotifying_", "NSKeyValueObserv"},
     .forwarderClass = NULL,
     .overwrites = false,
     .removalRaises = true,
     .mergesNestedChanges = false},
    {.name = NULL},
};

static const KVOSSemantics *semantics;
static void *forwarder;
static void *literalClass;
static void *stringClass;
static void *getBytes, *getLength, *getCharacter, *allocate, *makeFromText, *releaseObject;
static atomic_bool isFound;

bool kvos_has_runtime(void) { return atomic_load_explicit(&isFound, memory_order_acquire); }
const KVOSSemantics *kvos_semantics(void) { return semantics; }

static void *handle(void) {
  if (dlsym(RTLD_DEFAULT, "objc_lookUpClass")) return RTLD_DEFAULT;
  // A program that opened its Foundation privately.
  static const char *const names[] = {"libobjc.so.4", "libobjc.so.4.6"};
  for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
    void *library = dlopen(names[at], RTLD_NOLOAD | RTLD_LAZY);
    if (library) return library;
  }
  return NULL;
}

#define LOOK_UP(field, symbol) found.field = (__typeof__(found.field))dlsym(library, symbol)

static bool look_up(KVOSFunctions *result) {
  KVOSFunctions found;
  void *library = handle();
  if (library == NULL && !dlsym(RTLD_DEFAULT, "objc_lookUpClass")) return false;
  LOOK_UP(registerSelector, "sel_registerName");
  LOOK_UP(selectorName, "sel_getName");
  LOOK_UP(selectorsAreEqual, "sel_isEqual");
  LOOK_UP(lookUpClass, "objc_lookUpClass");
  LOOK_UP(classList, "objc_getClassList");
  LOOK_UP(copyMethodList, "class_copyMethodList");
  LOOK_UP(className, "class_getName");
  LOOK_UP(superclass, "class_getSuperclass");
  LOOK_UP(methodName, "method_getName");
  LOOK_UP(methodImplementation, "method_getImplementation");
  LOOK_UP(setMethodImplementation, "method_setImplementation");
  LOOK_UP(classImplementation, "class_getMethodImplementation");
  LOOK_UP(classMethod, "class_getInstanceMethod");
  LOOK_UP(objectClass, "object_getClass");
  LOOK_UP(updateDispatchTable, "__objc_update_dispatch_table_for_class");
  // A runtime of another kind may have some of these names. Nothing is hooked unless all are found.
  bool isWhole = found.registerSelector && found.selectorName && found.lookUpClass && found.classList &&
                 found.copyMethodList && found.className && found.superclass && found.methodName &&
                 found.methodImplementation && found.setMethodImplementation && found.classImplementation &&
                 found.classMethod && (found.objectClass || found.updateDispatchTable);
  if (isWhole) *result = found;
  return isWhole;
}

void *kvos_runtime_function(const char *name) { return dlsym(handle(), name); }

bool kvos_find_runtime(void) {
  if (kvos_has_runtime()) return true;
  if (kvos_functions.lookUpClass == NULL && !look_up(&kvos_functions)) return false;
  const KVOSFunctions *runtime = &kvos_functions;
  // Its Foundation may be loaded later than the runtime.
  if (!runtime->lookUpClass("NSObject") || !runtime->lookUpClass("NSString")) return false;
  const KVOSSemantics *row = table;
  while (row->name && !runtime->lookUpClass(row->knownByClass)) row++;
  if (row->name == NULL) return false;
  semantics = row;
  forwarder = row->forwarderClass ? runtime->lookUpClass(row->forwarderClass) : NULL;
  stringClass = runtime->lookUpClass("NSString");
  literalClass = runtime->updateDispatchTable ? runtime->lookUpClass("NSConstantString") : NULL;
  for (int hook = 0; hook < KVOS_HOOK_COUNT; hook++) {
    kvos_selectors[hook] = runtime->registerSelector(selectorNames[hook]);
  }
  getBytes = runtime->registerSelector("getCString:maxLength:encoding:");
  getLength = runtime->registerSelector("length");
  getCharacter = runtime->registerSelector("characterAtIndex:");
  allocate = runtime->registerSelector("alloc");
  makeFromText = runtime->registerSelector("initWithUTF8String:");
  releaseObject = runtime->registerSelector("release");
  atomic_store_explicit(&isFound, true, memory_order_release);
  return true;
}

// MARK: - Classes

static bool is_made_for_observing(void *class) {
  const char *name = kvos_functions.className(class);
  for (int at = 0; at < 2; at++) {
    const char *prefix = semantics->classPrefixes[at];
    if (prefix && strncmp(name, prefix, strlen(prefix)) == 0) return true;
  }
  return false;
}

// A class as laid out by GCC, as far as it is used here.
typedef struct {
  void *class;
  /// Before the class was resolved, the name of its superclass.
  void *superclass;
  const char *name;
  long version;
  unsigned long marks;
} GCCClass;

void *kvos_superclass(void *class) {
  if (kvos_functions.updateDispatchTable == NULL) return kvos_functions.superclass(class);
  // If the superclass of an unresolved class is requested, the runtime resolves it, and ends the process if that
  // superclass is not loaded yet.
  enum {
    isResolved = 8
  };
  const GCCClass *words = class;
  if (words->superclass == NULL || (words->marks & isResolved)) return words->superclass;
  return kvos_functions.lookUpClass(words->superclass);
}

bool kvos_is_root(void *class) {
  if (kvos_functions.updateDispatchTable == NULL) return kvos_functions.superclass(class) == NULL;
  return ((const GCCClass *)class)->superclass == NULL;
}

void *kvos_visible_class_of(void *class) {
  void *visible = class;
  while (visible && is_made_for_observing(visible)) visible = kvos_superclass(visible);
  return visible ? visible : class;
}

void *kvos_visible_class(const void *object) { return kvos_visible_class_of(kvos_class_of(object)); }

const char *kvos_class_name(void *class) { return kvos_functions.className(class); }

void *kvos_forwarder_class(void) { return forwarder; }

bool kvos_is_forwarder(const void *object) {
  // Not by a function of the runtime, which would read the class: a removal may name what was deallocated.
  bool isAligned = object && (uintptr_t)object % sizeof(void *) == 0;
  return forwarder && isAligned && *(void *const *)object == forwarder;
}

/// In GCC's runtime `method_setImplementation()` writes the table that unused classes share, and does not update that
/// of subclasses: the hook of one class would be called for another. The third word of a method is its implementation;
/// the tables are made from it.
typedef struct {
  void *name;
  const char *types;
  _Atomic(KVOSMethod) implementation;
} GCCMethod;

void kvos_set_implementation(void *class, void *method, KVOSMethod implementation) {
  if (kvos_functions.updateDispatchTable == NULL) {
    kvos_functions.setMethodImplementation(method, implementation);
    return;
  }
  GCCMethod *words = method;
  // release: a caller that is dispatched to the thunk finds its point filled.
  atomic_store_explicit(&words->implementation, implementation, memory_order_release);
  kvos_functions.updateDispatchTable(class);
}

// MARK: - Strings

// A literal as laid out by GCC.
typedef struct {
  void *class;
  const char *bytes;
  unsigned byteCount;
} Literal;

// A generic function pointer, which may be cast to any type.
typedef void (*Function)(void);

static Function find(void *class, void *selector) {
  return (Function)kvos_functions.classImplementation(class, selector);
}

void *kvos_selector(const char *name) { return kvos_functions.registerSelector(name); }

void *kvos_class_named(const char *name) { return kvos_functions.lookUpClass(name); }

bool kvos_instances_answer(void *class, void *selector) { return kvos_functions.classMethod(class, selector) != NULL; }

KVOSMethod kvos_method_of_instances(void *class, void *selector) {
  return kvos_functions.classImplementation(class, selector);
}

KVOSMethod kvos_method_of(const void *receiver, void *selector) {
  return kvos_functions.classImplementation(kvos_class_of(receiver), selector);
}

bool kvos_is_of_class(const void *object, void *class) {
  for (void *each = kvos_class_of(object); each; each = kvos_superclass(each)) {
    if (each == class) return true;
  }
  return false;
}

const char *kvos_literal_text(const void *string, size_t *byteCount) {
  if (literalClass == NULL || kvos_class_of(string) != literalClass) return NULL;
  const Literal *literal = string;
  *byteCount = literal->byteCount;
  return literal->bytes;
}

// How many characters of UTF-16 a text in UTF-8 has.
static unsigned long character_count(const char *text) {
  unsigned long count = 0;
  for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
    count += ((*at & 0xC0) != 0x80) + (*at >= 0xF0);
  }
  return count;
}

// Appends a character in UTF-8. Returns its end.
static char *put_character(char *at, unsigned character) {
  if (character < 0x80) {
    *at++ = (char)character;
    return at;
  }
  int rest = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  static const unsigned leads[] = {0, 0xC0, 0xE0, 0xF0};
  *at++ = (char)(leads[rest] | character >> 6 * rest);
  while (rest-- > 0) *at++ = (char)(0x80 | (character >> 6 * rest & 0x3F));
  return at;
}

// The text of a string with a zero in it, which a copy as a C string ends at.
static long read_characters(const void *string, unsigned long length, char *buffer, size_t byteCount) {
  typedef unsigned short (*GetCharacter)(const void *, void *, unsigned long);
  GetCharacter method = (GetCharacter)find(kvos_class_of(string), getCharacter);
  char *at = buffer;
  for (unsigned long index = 0; index < length; index++) {
    if ((size_t)(at - buffer) + 5 > byteCount) return -1;
    unsigned character = method(string, getCharacter, index);
    bool isSurrogate = character >= 0xD800 && character < 0xE000;
    unsigned next = isSurrogate && index + 1 < length ? method(string, getCharacter, index + 1) : 0;
    if (character < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
      character = 0x10000 + ((character - 0xD800) << 10) + (next - 0xDC00);
      index++;
    } else if (isSurrogate) {
      character = 0xFFFD;
    }
    at = put_character(at, character);
  }
  *at = 0;
  return at - buffer;
}

long kvos_read_string(const void *string, char *buffer, size_t byteCount) {
  void *class = kvos_class_of(string);
  size_t count = 0;
  const char *text = kvos_literal_text(string, &count);
  if (text) {
    if (count >= byteCount) return -1;
    memcpy(buffer, text, count);
    buffer[count] = 0;
    return (long)count;
  }
  // It would raise here, and not in the Foundation.
  if (!kvos_is_of_class(string, stringClass)) return KVOS_NOT_A_TEXT;
  enum {
    utf8 = 4
  };
  typedef bool (*GetBytes)(const void *, void *, char *, unsigned long, unsigned long);
  GetBytes method = (GetBytes)find(class, getBytes);
  if (!method(string, getBytes, buffer, byteCount, utf8)) return -1;
  typedef unsigned long (*GetLength)(const void *, void *);
  unsigned long length = ((GetLength)find(class, getLength))(string, getLength);
  if (character_count(buffer) < length) return read_characters(string, length, buffer, byteCount);
  return (long)strlen(buffer);
}

// What the getter of an NSException returns; null if the object is not an NSException.
static const void *text_of_exception(const void *exception, const char *getter) {
  typedef const void *(*Get)(const void *, void *);
  void *base = kvos_functions.lookUpClass("NSException");
  void *selector = kvos_selector(getter);
  // A method of the program may do more than to answer.
  if (base == NULL || !kvos_is_of_class(exception, base) ||
      kvos_method_of(exception, selector) != kvos_method_of_instances(base, selector)) {
    return NULL;
  }
  return ((Get)find(kvos_class_of(exception), selector))(exception, selector);
}

const void *kvos_reason_of(const void *exception) { return text_of_exception(exception, "reason"); }

bool kvos_read_exception(const void *exception, char *buffer, size_t byteCount) {
  const void *name = text_of_exception(exception, "name");
  if (name && kvos_read_string(name, buffer, byteCount) >= 0) return true;
  const char *class = kvos_class_name(kvos_visible_class(exception));
  if (strlen(class) >= byteCount) return false;
  strcpy(buffer, class);
  return true;
}

void *kvos_make_string(const char *text) {
  typedef void *(*Allocate)(void *, void *);
  typedef void *(*Make)(void *, void *, const char *);
  void *object = ((Allocate)find(kvos_class_of(stringClass), allocate))(stringClass, allocate);
  if (object == NULL) return NULL;
  return ((Make)find(kvos_class_of(object), makeFromText))(object, makeFromText, text);
}

void kvos_release(void *object) {
  if (object == NULL) return;
  ((void (*)(void *, void *))find(kvos_class_of(object), releaseObject))(object, releaseObject);
}
