// Queries of objects: their class, their keys, their values.

#include "messages.h"

#include <stddef.h>
#include <string.h>

const char *kvos_object_class_name(const void *object) { return kvos_class_name(kvos_visible_class(object)); }

bool kvos_refuses_observers(const void *object) {
  static const char *const names[] = {"NSArray", "NSSet", "NSOrderedSet"};
  for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
    void *class = kvos_class_named(names[at]);
    if (class && kvos_is_of_class(object, class)) return true;
  }
  return false;
}

void *kvos_open_pool(void) {
  void *pool = SEND(Asks, kvos_class_named("NSAutoreleasePool"), "alloc");
  return pool ? SEND(Asks, pool, "init") : NULL;
}

void kvos_close_pool(void *pool) { kvos_release(pool); }

// MARK: - Keys

bool kvos_has_key(const void *object, const char *key) { return kvos_class_has_key(kvos_visible_class(object), key); }

void *kvos_value_for_key(void *object, const char *key) {
  void *name = kvos_make_string(key);
  void *value = SEND(AsksFor, object, "valueForKey:", name);
  kvos_release(name);
  return value;
}

// MARK: - Values

static bool is_of_class_named(const void *object, const char *name) {
  void *class = kvos_class_named(name);
  return class && kvos_is_of_class(object, class);
}

long kvos_string_byte_count(const void *object) {
  typedef unsigned long (*Count)(void *, void *, unsigned long);
  enum {
    utf8 = 4
  };
  if (!is_of_class_named(object, "NSString")) return -1;
  return (long)SEND(Count, object, "lengthOfBytesUsingEncoding:", utf8);
}

bool kvos_copy_string(const void *object, char *buffer, unsigned long byteCount) {
  return kvos_read_string(object, buffer, byteCount) >= 0;
}

bool kvos_read_integer(const void *object, int64_t *value) {
  typedef long long (*Read)(void *, void *);
  if (!is_of_class_named(object, "NSNumber")) return false;
  *value = SEND(Read, object, "longLongValue");
  return true;
}

bool kvos_read_double(const void *object, double *value) {
  typedef double (*Read)(void *, void *);
  if (!is_of_class_named(object, "NSNumber")) return false;
  *value = SEND(Read, object, "doubleValue");
  return true;
}

// NSNotFound, which a Foundation defines as the largest number with or without a sign.
static long index_or_none(unsigned long index) { return index >= INT64_MAX ? -1 : (long)index; }

long kvos_first_index(const void *indexes) {
  typedef unsigned long (*Index)(void *, void *);
  return index_or_none(SEND(Index, indexes, "firstIndex"));
}

long kvos_index_above(const void *indexes, long index) {
  typedef unsigned long (*Index)(void *, void *, unsigned long);
  return index_or_none(SEND(Index, indexes, "indexGreaterThanIndex:", (unsigned long)index));
}
