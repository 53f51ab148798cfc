// Has the newer GNUstep tell nobody, where an observer died registered for a path of several keys.
//
// To remove such an observer it would message the objects on the path, which may have died unseen. So its books
// are asked for the entry, and that is left without an observer: a message to nil is none. An entry that
// is no root is not complained of when the observed object dies.
//
// Every method is looked for before it is called: where one is missing, nothing is done.

#include "functions.h"

#include <string.h>

// A function of no type, which may be cast to any.
typedef void (*Function)(void);
typedef void *(*Get)(const void *receiver, void *selector);
typedef void *(*GetAt)(const void *receiver, void *selector, unsigned long index);
typedef void *(*GetFor)(const void *receiver, void *selector, const void *argument);
typedef unsigned long (*Count)(const void *receiver, void *selector);
typedef void (*SetObject)(const void *receiver, void *selector, const void *object);
typedef void (*SetMark)(const void *receiver, void *selector, signed char mark);

// The method of the object, or null where it has none; the selector in `selector`.
static Function method(const void *object, const char *name, void **selector) {
  *selector = kvos_selector(name);
  void *class = object ? kvos_class_of(object) : NULL;
  if (class == NULL || !kvos_instances_answer(class, *selector)) return NULL;
  return (Function)kvos_method_of(object, *selector);
}

static void *get(const void *object, const char *name) {
  void *selector = NULL;
  Get call = (Get)method(object, name, &selector);
  return call ? call(object, selector) : NULL;
}

static bool is_of_path(const void *pathObserver, const void *observer, const char *keyPath) {
  char text[1024];
  void *path = get(pathObserver, "keypath");
  return path && get(pathObserver, "observer") == observer &&
         kvos_read_string(path, text, sizeof text) >= 0 && strcmp(text, keyPath) == 0;
}

static bool silence(const void *entry, const void *pathObserver) {
  void *setObserver = NULL, *setRoot = NULL;
  SetObject forget = (SetObject)method(pathObserver, "setObserver:", &setObserver);
  SetMark mark = (SetMark)method(entry, "setRoot:", &setRoot);
  if (forget == NULL || mark == NULL) return false;
  forget(pathObserver, setObserver, NULL);
  mark(entry, setRoot, 0);
  return true;
}

bool kvos_silence(const void *subject, const void *observer, const char *keyPath) {
  char first[1024];
  const char *dot = strchr(keyPath, '.');
  size_t byteCount = dot ? (size_t)(dot - keyPath) : strlen(keyPath);
  if (byteCount >= sizeof first) return false;
  memcpy(first, keyPath, byteCount);
  first[byteCount] = 0;
  void *find = NULL, *count = NULL, *at = NULL;
  const void *books = get(subject, "observationInfo");
  GetFor entriesFor = (GetFor)method(books, "observersForKey:", &find);
  void *key = entriesFor ? kvos_make_string(first) : NULL;
  const void *entries = key ? entriesFor(books, find, key) : NULL;
  Count countOf = (Count)method(entries, "count", &count);
  GetAt entryAt = (GetAt)method(entries, "objectAtIndex:", &at);
  bool isSilent = false;
  for (unsigned long index = countOf && entryAt ? countOf(entries, count) : 0; index-- > 0 && !isSilent;) {
    const void *entry = entryAt(entries, at, index);
    const void *pathObserver = get(entry, "keypathObserver");
    isSilent = is_of_path(pathObserver, observer, keyPath) && silence(entry, pathObserver);
  }
  kvos_release(key);
  return isSilent;
}
