// Problems of observed keys that the runtime does not report: a key that the class does not have, and dependencies that
// the class declares but this runtime never queries.
//
// Each pair of a class and a key is checked once. The pairs are in a table that only grows and takes no lock: a slot is
// taken by one compare-and-swap, and contains the complete entry. If it is full, no more pairs are checked.

#include "preload.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PAIR_COUNT 8192u
static _Atomic uint64_t pairs[PAIR_COUNT];

// Whether the pair is new; also false if there is no space.
static bool enter(uint32_t className, uint32_t key) {
  uint64_t pair = (uint64_t)className << 32 | key;
  uint64_t at = pair * 0x9E3779B97F4A7C15u >> 32;
  for (uint32_t turn = 0; turn < 64; turn++, at++) {
    _Atomic uint64_t *slot = &pairs[at % PAIR_COUNT];
    // relaxed: only the word is published.
    uint64_t found = atomic_load_explicit(slot, memory_order_relaxed);
    if (found == pair) return false;
    if (found != 0) continue;
    if (atomic_compare_exchange_strong_explicit(slot, &found, pair, memory_order_relaxed, memory_order_relaxed)) {
      return true;
    }
    if (found == pair) return false;
  }
  return false;
}

static bool names_dependencies(void *class, const char *key) {
  char name[512];
  int count = snprintf(name, sizeof name, "keyPathsForValuesAffecting%c%s", toupper((unsigned char)key[0]), key + 1);
  if (count < 0 || (size_t)count >= sizeof name) return false;
  return kvos_instances_answer(kvos_metaclass(class), kvos_selector(name));
}

typedef struct {
  char text[256];
} Key;

// Returns false if it is not a key of an object of NSObject, but a path or an operator, is too long, or has a zero in it.
static bool read_key(const void *object, uint32_t name, Key *key) {
  if (!kvos_copy_text(name, key->text, sizeof key->text)) return false;
  if (key->text[0] == '@' || strchr(key->text, '.')) return false;
  void *root = kvos_class_named("NSObject");
  return root && kvos_is_of_class(object, root);
}

bool kvos_finds_key(const void *object, uint32_t name) {
  Key key;
  return read_key(object, name, &key) && kvos_class_has_key(kvos_visible_class(object), key.text);
}

bool kvos_lacks_key(const void *object, uint32_t name) {
  Key key;
  return read_key(object, name, &key) && !kvos_class_has_key(kvos_visible_class(object), key.text);
}

void kvos_note_problems(const KVOSAct *act, const void *subject, uint32_t stack) {
  Key key;
  if (!enter(act->subject.className, act->keyPath) || !read_key(subject, act->keyPath, &key)) return;
  void *class = kvos_visible_class(subject);
  if (!kvos_class_has_key(class, key.text)) {
    kvos_record_problem(act->subject.className, act->keyPath, KVOS_PROBLEM_NO_ACCESSOR, stack);
  } else if (kvos_semantics()->ignoresDependencyMethods && names_dependencies(class, key.text)) {
    kvos_record_problem(act->subject.className, act->keyPath, KVOS_PROBLEM_IGNORED_DEPENDENCIES, stack);
  }
}

// MARK: - Dependencies that are declared as this runtime wants it

static KVOSMethod declare;

// Replaces +setKeys:triggerChangeNotificationsForDependentKey:, which a class calls on itself.
static void kvos_declared(void *class, void *selector, uintptr_t keys, uintptr_t dependentKey, uintptr_t third,
                          uintptr_t fourth) {
  if (kvos_may_enter() && dependentKey) {
    int number = kvos_enter();
    uint32_t key = 0;
    if (kvos_intern_key((const void *)dependentKey, &key)) {
      enter(kvos_intern_text(kvos_class_name(kvos_visible_class_of(class))), key);
    }
    kvos_leave(number);
  }
  declare(class, selector, keys, dependentKey, third, fourth);
}

void kvos_watch_dependencies(void) {
  if (!kvos_semantics()->ignoresDependencyMethods) return;
  declare = kvos_replace_class_method("NSObject", "setKeys:triggerChangeNotificationsForDependentKey:", kvos_declared);
}
