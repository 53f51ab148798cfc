// The newer GNUstep's record of the observers of an object: an entry for each, by the first key of its path, and
// further entries for the rest of a path and for keys that others depend on.
//
// Three faults end a program there, and this record is queried and modified to prevent that:
// - an observer was deallocated while registered for a path of several keys. To remove it GNUstep would message the
//   objects on the path, which may have been deallocated unseen. So the observer of the entry is cleared: a message to
//   nil does nothing;
// - an object is deallocated while it is observed. When its record is destroyed, it raises if an entry of the program's
//   own (a root) remains, and the records of the objects on its paths refer back to it. So its entries are unmarked as
//   roots before that, and cleared after it;
// - the class of an observed object is changed. On libobjc2 the record is lost with the class that GNUstep created, and
//   a removal of a lost entry raises.
//
// Every method is looked up before it is called: if one is missing, nothing is done. The getters return autoreleased
// objects, and an object would live longer because it was examined: so each function here has its own pool.

#include "functions.h"

#include <stdlib.h>
#include <string.h>

// A generic function pointer, which may be cast to any type.
typedef void (*Function)(void);
typedef void *(*Get)(const void *receiver, void *selector);
typedef void *(*GetAt)(const void *receiver, void *selector, unsigned long index);
typedef void *(*GetFor)(const void *receiver, void *selector, const void *argument);
typedef unsigned long (*Count)(const void *receiver, void *selector);
typedef void (*SetObject)(const void *receiver, void *selector, const void *object);
typedef void (*SetMark)(const void *receiver, void *selector, signed char mark);

// The method of the object, or null if it has none; the selector in `selector`.
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

static void set_nil(const void *object, const char *name) {
  void *selector = NULL;
  SetObject call = (SetObject)method(object, name, &selector);
  if (call) call(object, selector, NULL);
}

static void set_no_root(const void *entry) {
  void *selector = NULL;
  SetMark call = (SetMark)method(entry, "setRoot:", &selector);
  if (call) call(entry, selector, 0);
}

static unsigned long count_of(const void *array) {
  void *selector = NULL;
  Count call = (Count)method(array, "count", &selector);
  return call ? call(array, selector) : 0;
}

static const void *element(const void *array, unsigned long index) {
  void *selector = NULL;
  GetAt call = (GetAt)method(array, "objectAtIndex:", &selector);
  return call ? call(array, selector, index) : NULL;
}

static void *open_pool(void) {
  void *class = kvos_class_named("NSAutoreleasePool");
  return class ? get(class, "new") : NULL;
}

// An object that stores its observation info itself is not queried: it may have freed it already.
static bool has_default_records(const void *subject) {
  void *selector = kvos_selector("observationInfo");
  void *root = kvos_class_named("NSObject");
  return root && kvos_method_of(subject, selector) == kvos_method_of_instances(root, selector);
}

// Returns null if there is none. Requires an open pool, like all functions below.
static const void *records_of(const void *subject) {
  return has_default_records(subject) ? get(subject, "observationInfo") : NULL;
}

// The entries for the first key of a path, by the name of the whole path; null: there are none.
static const void *entries_for(const void *records, const char *keyPath) {
  char first[1024];
  size_t byteCount = strcspn(keyPath, ".");
  if (records == NULL || byteCount >= sizeof first) return NULL;
  memcpy(first, keyPath, byteCount);
  first[byteCount] = 0;
  void *selector = NULL;
  GetFor entriesFor = (GetFor)method(records, "observersForKey:", &selector);
  void *key = entriesFor ? kvos_make_string(first) : NULL;
  const void *entries = key ? entriesFor(records, selector, key) : NULL;
  kvos_release(key);
  return entries;
}

static bool is_of_path(const void *pathObserver, const void *subject, const char *keyPath) {
  char text[1024];
  void *path = get(pathObserver, "keypath");
  return path && get(pathObserver, "object") == subject && kvos_read_string(path, text, sizeof text) >= 0 &&
         strcmp(text, keyPath) == 0;
}

// The newest entry of the observer, or null.
static const void *find_entry(const void *subject, const void *observer, const char *keyPath) {
  const void *entries = entries_for(records_of(subject), keyPath);
  for (unsigned long index = count_of(entries); index-- > 0;) {
    const void *entry = element(entries, index);
    const void *pathObserver = get(entry, "keypathObserver");
    if (is_of_path(pathObserver, subject, keyPath) && get(pathObserver, "observer") == observer) return entry;
  }
  return NULL;
}

bool kvos_silence(const void *subject, const void *observer, const char *keyPath) {
  void *pool = open_pool();
  const void *entry = find_entry(subject, observer, keyPath);
  if (entry) {
    // Its object may be deallocated first, and would be messaged for the value at the path.
    set_nil(get(entry, "keypathObserver"), "setObserver:");
    set_nil(get(entry, "keypathObserver"), "setObject:");
    set_no_root(entry);
  }
  kvos_release(pool);
  return entry != NULL;
}

bool kvos_is_in_records(const void *subject, const void *observer, const char *keyPath) {
  void *pool = open_pool();
  bool isThere = !has_default_records(subject) || find_entry(subject, observer, keyPath) != NULL;
  kvos_release(pool);
  return isThere;
}

const void *kvos_records(const void *subject) {
  void *pool = open_pool();
  const void *records = records_of(subject);
  kvos_release(pool);
  return records;
}

// MARK: - An object that is deallocated while it is observed

static bool is_noted(const KVOSDetached *detached, const void *entry) {
  for (uint32_t at = 0; at < detached->count; at++) {
    if (detached->entries[at] == entry) return true;
  }
  return false;
}

static bool note(KVOSDetached *detached, const void *entry) {
  if (detached->count == detached->capacity) {
    uint32_t capacity = detached->capacity ? detached->capacity * 2 : 4;
    const void **longer = realloc(detached->entries, capacity * sizeof *longer);
    if (longer == NULL) return false;
    detached->entries = longer;
    detached->capacity = capacity;
  }
  detached->entries[detached->count++] = entry;
  return true;
}

bool kvos_begin_detaching(const void *subject, const char *keyPath, KVOSDetached *detached) {
  void *pool = open_pool();
  const void *records = records_of(subject);
  const void *entries = entries_for(records, keyPath);
  for (unsigned long index = count_of(entries); index-- > 0;) {
    const void *entry = element(entries, index);
    const void *pathObserver = get(entry, "keypathObserver");
    if (!is_of_path(pathObserver, subject, keyPath) || is_noted(detached, entry)) continue;
    if (!note(detached, entry)) break;
    get(entry, "retain");
    get(pathObserver, "retain");
    set_no_root(entry);
  }
  kvos_release(pool);
  return records != NULL;
}

// Whether GNUstep added an observer of its own somewhere on the path. It is never removed, and must not be deallocated.
static bool has_relay(const void *entry) {
  if (entry == NULL) return false;
  if (get(entry, "restOfKeypathRelay") || has_relay(get(entry, "restOfKeypathObserver"))) return true;
  const void *others = get(entry, "dependentObservers");
  for (unsigned long index = count_of(others); index-- > 0;) {
    if (has_relay(element(others, index))) return true;
  }
  return false;
}

// Clears the references of the entry, and of those for keys that its key depends on, to their object and to objects on
// a path.
static void detach(const void *entry, bool isKept) {
  set_nil(entry, "setObject:");
  if (!isKept) set_nil(entry, "setRestOfKeypathObserver:");
  const void *others = get(entry, "dependentObservers");
  for (unsigned long index = count_of(others); index-- > 0;) detach(element(others, index), isKept);
}

void kvos_end_detaching(KVOSDetached *detached) {
  for (uint32_t at = 0; at < detached->count; at++) {
    void *entry = (void *)(uintptr_t)detached->entries[at];
    void *pathObserver = get(entry, "keypathObserver");
    bool isKept = has_relay(entry);
    set_nil(pathObserver, "setObserver:");
    set_nil(pathObserver, "setObject:");
    detach(entry, isKept);
    kvos_release(pathObserver);
    if (!isKept) kvos_release(entry);
  }
  free(detached->entries);
  *detached = (KVOSDetached){NULL, 0, 0};
}
