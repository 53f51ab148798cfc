// Puts events into the log: the fields of each, in the order of Documentation/BinaryLogFormat.md.

#include "preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  KIND_REGISTER = 5, KIND_REGISTER_END = 6, KIND_REFUSED = 7, KIND_REMOVE = 8, KIND_REMOVE_END = 9,
  KIND_CANCEL = 10, KIND_DEINIT = 17, KIND_DEINIT_END = 18, KIND_SCOPE_BEGIN = 25,
  KIND_SCOPE_END = 26, KIND_CLASS = 29, KIND_DECLARES = 30, KIND_DROPPED = 32, KIND_EXIT = 33
};

uint32_t kvos_intern_text(const char *text) {
  return kvos_intern_string((const uint8_t *)text, strlen(text));
}

// A thread reads few keys again and again: comparing one is cheaper than looking it up.
static uint32_t intern_known(const char *text, size_t byteCount) {
  KVOSThread *thread = kvos_thread();
  if (byteCount == 0 || thread == NULL) return kvos_intern_string((const uint8_t *)text, byteCount);
  unsigned first = (uint8_t)text[0], last = (uint8_t)text[byteCount - 1];
  unsigned place = ((unsigned)byteCount + first * 3 + last * 5) % KVOS_KNOWN_KEY_COUNT;
  KVOSKnownKey *known = &thread->knownKeys[place];
  if (known->byteCount == byteCount && memcmp(known->bytes, text, byteCount) == 0) return known->key;
  uint32_t key = kvos_intern_string((const uint8_t *)text, byteCount);
  size_t count = 0;
  const uint8_t *bytes = kvos_string(key, &count);
  // A text of this length, and not one that was cut.
  if (bytes && count == byteCount) *known = (KVOSKnownKey){bytes, (uint32_t)count, key};
  return key;
}

// A text that is longer than any that people write.
static bool intern_long(const void *string, uint32_t *key) {
  static const size_t longest = 1 << 20;
  long byteCount = -1;
  char *text = NULL;
  for (size_t room = 4096; byteCount < 0 && room <= longest; room *= 4) {
    free(text);
    text = malloc(room);
    if (text == NULL) break;
    byteCount = kvos_read_string(string, text, room);
  }
  if (byteCount >= 0) *key = kvos_intern_string((const uint8_t *)text, (size_t)byteCount);
  free(text);
  if (byteCount < 0) kvos_record_dropped("a key path could not be read");
  return byteCount >= 0;
}

// Where the text must be copied. Not inlined: a thread may have little stack.
static __attribute__((noinline)) bool intern_copied(const void *string, uint32_t *key) {
  char text[1024];
  long byteCount = kvos_read_string(string, text, sizeof text);
  if (byteCount < 0) return intern_long(string, key);
  *key = intern_known(text, (size_t)byteCount);
  return true;
}

bool kvos_intern_key(const void *string, uint32_t *key) {
  size_t byteCount = 0;
  const char *text = kvos_literal_text(string, &byteCount);
  if (text == NULL || byteCount >= 1024) return intern_copied(string, key);
  *key = intern_known(text, byteCount);
  return true;
}

uint64_t kvos_next_number(void) {
  static _Atomic uint64_t last;
  return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

// MARK: - Fields

typedef struct {
  uint64_t values[KVOS_FIELD_LIMIT];
  uint32_t count;
} Fields;

static void put(Fields *fields, uint64_t value) { fields->values[fields->count++] = value; }
static void put_id(Fields *fields, uint64_t id) { put(fields, id << 2); }

static void put_object(Fields *fields, KVOSNamed object) {
  put_id(fields, object.id);
  put(fields, (uint64_t)object.className << 2);
}

static void put_event(uint32_t kind, uint64_t order, uint32_t stack, const Fields *fields) {
  kvos_record(kind, order, stack, kvos_scope(), fields->values, fields->count);
}

static uint64_t context_shape(KVOSContext context) {
  return !context.isSaid ? 0 : context.value == 0 ? 1 : 2;
}

static void put_context(Fields *fields, KVOSContext context) {
  if (context_shape(context) != 2) return;
  char text[2 + 2 * sizeof context.value + 1];
  snprintf(text, sizeof text, "0x%lx", (unsigned long)context.value);
  put(fields, kvos_intern_text(text));
}

static void put_addition(Fields *fields, const KVOSAct *act) {
  uint64_t shape = context_shape(act->context) << 3 | (act->options & 15) << 7;
  if (act->registration) shape |= 1;
  if (act->observer.id) shape |= 1 << 1;
  put(fields, shape);
  put_object(fields, act->subject);
  put(fields, act->keyPath);
  if (act->registration) put_id(fields, act->registration);
  if (act->observer.id) put_object(fields, act->observer);
  put_context(fields, act->context);
}

// MARK: - Events

void kvos_record_register(const KVOSAct *act, uint32_t stack) {
  Fields fields = {.count = 0};
  put_addition(&fields, act);
  kvos_live_add(act->registration << 2, stack, fields.values, fields.count);
  put_event(KIND_REGISTER, act->order, stack, &fields);
}

void kvos_record_register_end(uint64_t registration) {
  Fields fields = {.count = 0};
  put_id(&fields, registration);
  put_event(KIND_REGISTER_END, KVOS_NO_ORDER, 0, &fields);
}

void kvos_record_refused(const KVOSAct *act, KVOSRefusal reason, uint32_t stack) {
  Fields fields = {.count = 0};
  put_addition(&fields, act);
  put(&fields, reason);
  // The part of the path: nobody says which.
  put(&fields, 0);
  put_event(KIND_REFUSED, KVOS_NO_ORDER, stack, &fields);
}

void kvos_record_remove(const KVOSAct *act, bool isEnd, uint32_t stack) {
  Fields fields = {.count = 0};
  uint64_t shape = context_shape(act->context) << 2;
  if (act->observer.id) shape |= 1;
  // Bit 5: it is known to have matched nothing.
  shape |= act->registration ? 1 << 1 : 1 << 5;
  put(&fields, shape);
  put_object(&fields, act->subject);
  put(&fields, act->keyPath);
  if (act->observer.id) put_object(&fields, act->observer);
  if (act->registration) put_id(&fields, act->registration);
  put_context(&fields, act->context);
  if (act->registration && !isEnd) kvos_live_remove(act->registration << 2);
  put_event(isEnd ? KIND_REMOVE_END : KIND_REMOVE, isEnd ? KVOS_NO_ORDER : act->order, stack,
            &fields);
}

void kvos_record_cancel(uint64_t registration, KVOSCause cause, uint64_t order, uint32_t stack) {
  Fields fields = {.count = 0};
  put_id(&fields, registration);
  put(&fields, cause);
  kvos_live_remove(registration << 2);
  put_event(KIND_CANCEL, order, stack, &fields);
}

void kvos_record_change_half(bool isEnd, KVOSNamed subject, uint32_t key, uint64_t change,
                             unsigned kind, uint64_t order, uint32_t stack) {
  kvos_record_change(isEnd ? KVOS_DID_CHANGE : KVOS_WILL_CHANGE, order, stack, kvos_scope(),
                     kind | 4, subject.id << 2, (uint64_t)subject.className << 2, key, change << 2);
}

void kvos_record_notify(uint64_t registration, KVOSPhase phase, uint64_t change, uint64_t order,
                        uint32_t stack) {
  kvos_record_delivery(KVOS_NOTIFY, order, stack, kvos_scope(),
                       phase | (change ? KVOS_HAS_CHANGE : 0), registration << 2, change << 2);
}

void kvos_record_notify_end(uint64_t registration, KVOSPhase phase, uint64_t change,
                            bool isHandled, uint64_t order, uint32_t stack) {
  uint64_t shape = phase | (change ? KVOS_HAS_CHANGE : 0) | (isHandled ? 0x20 : 0x10);
  kvos_record_delivery(KVOS_NOTIFY_END, order, stack, kvos_scope(), shape, registration << 2,
                       change << 2);
}

void kvos_record_notify_left(uint64_t registration, KVOSPhase phase, uint64_t change,
                             const KVOSRaised *raised) {
  Fields fields = {.count = 0};
  put(&fields, phase | (change ? KVOS_HAS_CHANGE : 0) | 0x40);
  put_id(&fields, registration);
  if (change) put_id(&fields, change);
  put(&fields, raised->name);
  put_event(KVOS_NOTIFY_END, KVOS_NO_ORDER, raised->stack, &fields);
}

void kvos_record_problem(uint32_t className, uint32_t key, KVOSProblem problem, uint32_t stack) {
  Fields fields = {.count = 0};
  put(&fields, className);
  // Of its superclass, and of what affects the key, nothing is said.
  put(&fields, 0);
  put(&fields, key);
  put(&fields, (uint64_t)problem << 2);
  put(&fields, 0);
  put_event(KIND_DECLARES, KVOS_NO_ORDER, stack, &fields);
}

void kvos_record_dropped(const char *why) {
  Fields fields = {.count = 0};
  put(&fields, 1);
  put(&fields, kvos_intern_text(why));
  put_event(KIND_DROPPED, KVOS_NO_ORDER, 0, &fields);
}

void kvos_record_death(bool isEnd, KVOSNamed object, uint64_t order, uint32_t stack) {
  Fields fields = {.count = 0};
  put_object(&fields, object);
  put_event(isEnd ? KIND_DEINIT_END : KIND_DEINIT, order, stack, &fields);
}

void kvos_record_class(KVOSNamed object, uint32_t className) {
  Fields fields = {.count = 0};
  put_object(&fields, object);
  put(&fields, className);
  put(&fields, false);
  put_event(KIND_CLASS, KVOS_NO_ORDER, 0, &fields);
}

void kvos_record_scope(bool isEnd, uint64_t scope, uint64_t parent, const char *name) {
  Fields fields = {.count = 0};
  if (!isEnd) put(&fields, parent != 0);
  put_id(&fields, scope);
  if (!isEnd) put(&fields, kvos_intern_text(name));
  if (parent != 0) put_id(&fields, parent);
  put_event(isEnd ? KIND_SCOPE_END : KIND_SCOPE_BEGIN, KVOS_NO_ORDER, 0, &fields);
}

void kvos_record_exit(int status) {
  Fields fields = {.count = 0};
  put(&fields, (uint64_t)((int64_t)status << 1 ^ (int64_t)status >> 63));
  put_event(KIND_EXIT, KVOS_NO_ORDER, 0, &fields);
}
