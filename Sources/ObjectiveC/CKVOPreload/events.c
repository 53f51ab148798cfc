// Writes events into the log.

#include "registrations.h"
#include "preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t kvos_intern_text(const char *text) { return kvos_intern_string((const uint8_t *)text, strlen(text)); }

// A thread reads a few keys repeatedly: comparing one is cheaper than looking it up.
static uint32_t intern_known(const char *text, size_t byteCount) {
  KVOSThread *thread = kvos_thread();
  if (byteCount == 0 || thread == NULL) return kvos_intern_string((const uint8_t *)text, byteCount);
  unsigned first = (uint8_t)text[0], last = (uint8_t)text[byteCount - 1];
  unsigned slot = ((unsigned)byteCount + first * 3 + last * 5) % KVOS_KNOWN_KEY_COUNT;
  KVOSKnownKey *known = &thread->knownKeys[slot];
  if (known->byteCount == byteCount && memcmp(known->bytes, text, byteCount) == 0) return known->key;
  uint32_t key = kvos_intern_string((const uint8_t *)text, byteCount);
  size_t count = 0;
  const uint8_t *bytes = kvos_string(key, &count);
  // A text of this length, not a truncated one.
  if (bytes && count == byteCount) *known = (KVOSKnownKey){bytes, (uint32_t)count, key};
  return key;
}

bool kvos_copy_text(uint32_t string, char *text, size_t size) {
  size_t byteCount = 0;
  const uint8_t *bytes = kvos_string(string, &byteCount);
  if (bytes == NULL || byteCount >= size || memchr(bytes, 0, byteCount)) return false;
  memcpy(text, bytes, byteCount);
  text[byteCount] = 0;
  return true;
}

// A text that is longer than realistic ones.
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

// The buffer, if the text must be copied. Not inlined: a thread may have little stack.
static __attribute__((noinline)) bool intern_copied(const void *string, uint32_t *key) {
  char text[1024];
  long byteCount = kvos_read_string(string, text, sizeof text);
  // The Foundation raises, and nothing is missing in the log.
  if (byteCount == KVOS_NOT_A_TEXT) return false;
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

static KVOSObjectField object_field(KVOSNamed object) {
  return (KVOSObjectField){object.id << 2, (uint64_t)object.className << 2};
}

bool kvos_isMeasured;

static uint64_t begin_measuring(void) { return KVOS_UNLIKELY(kvos_isMeasured) ? kvos_begin_measuring() : 0; }

static void end_measuring(uint64_t begin) {
  if (KVOS_UNLIKELY(begin != 0)) kvos_end_measuring(begin);
}

// `end`: after the last of the `fields`.
static void put_event(uint32_t kind, uint64_t order, uint32_t stack, const uint64_t *fields, const uint64_t *end) {
  uint64_t begin = begin_measuring();
  kvos_record(kind, order, stack, kvos_scope(), fields, (uint32_t)(end - fields));
  end_measuring(begin);
}

uint32_t kvos_stack_id(void) {
  if (KVOS_UNLIKELY(!atomic_load_explicit(&kvos_hasNames, memory_order_relaxed))) kvos_prepare_names();
  uint64_t begin = begin_measuring();
  uint32_t stack = kvos_capture_stack_id(true);
  if (KVOS_UNLIKELY(begin != 0)) kvos_add_measured(begin);
  return stack;
}

static KVOSContextField context_field(KVOSContext context) {
  if (!context.isSaid) return (KVOSContextField){.form = 0};
  if (context.value == 0) return (KVOSContextField){.form = 1};
  char text[2 + 2 * sizeof context.value + 1];
  snprintf(text, sizeof text, "0x%lx", (unsigned long)context.value);
  return (KVOSContextField){.form = 2, .name = kvos_intern_text(text)};
}

static KVOSRegistrationFields addition_fields(const KVOSAct *act) {
  return (KVOSRegistrationFields){
      .subject = object_field(act->subject),
      .observer = object_field(act->observer),
      .keyPath = act->keyPath,
      .context = context_field(act->context),
      .options = act->options,
      .registration = act->registration << 2,
  };
}

// MARK: - Events

static void record_addition(uint32_t kind, const KVOSAct *act, uint32_t stack) {
  if (!kvos_is_sampled(act->subject.id)) return;
  uint64_t fields[KVOS_FIELD_LIMIT];
  KVOSRegistrationFields addition = addition_fields(act);
  const uint64_t *end = kvos_put_registration(fields, &addition);
  kvos_live_add(act->registration << 2, stack, fields, (uint32_t)(end - fields));
  put_event(kind, act->order, stack, fields, end);
}

void kvos_record_register(const KVOSAct *act, uint32_t stack) { record_addition(KVOS_KIND_REGISTER, act, stack); }

void kvos_record_live(const KVOSAct *act, uint32_t stack) { record_addition(KVOS_KIND_LIVE, act, stack); }

void kvos_record_register_end(const KVOSAct *act) {
  if (!kvos_is_sampled(act->subject.id)) return;
  uint64_t fields[KVOS_FIELD_LIMIT];
  KVOSRegistrationEndFields end = {.registration = act->registration << 2};
  put_event(KVOS_KIND_REGISTER_END, KVOS_NO_ORDER, 0, fields, kvos_put_registration_end(fields, &end));
}

void kvos_record_refused(const KVOSAct *act, KVOSRefusalReason reason, uint32_t stack) {
  if (!kvos_is_sampled(act->subject.id)) return;
  uint64_t fields[KVOS_FIELD_LIMIT];
  // The part of the path is unknown.
  KVOSRefusalFields refusal = {.registration = addition_fields(act), .reason = reason};
  put_event(KVOS_KIND_REFUSED, KVOS_NO_ORDER, stack, fields, kvos_put_refusal(fields, &refusal));
}

void kvos_record_remove(const KVOSAct *act, bool isEnd, uint32_t stack) {
  if (act->registration && !isEnd) kvos_live_remove(act->registration << 2);
  if (!kvos_is_sampled(act->subject.id)) return;
  uint64_t fields[KVOS_FIELD_LIMIT];
  KVOSRemovalFields removal = {
      .subject = object_field(act->subject),
      .observer = object_field(act->observer),
      .keyPath = act->keyPath,
      .context = context_field(act->context),
      .registration = act->registration << 2,
      .isUnmatched = act->registration == 0 && !atomic_load_explicit(&kvos_hasLostRegistrations, memory_order_relaxed),
  };
  const uint64_t *end = kvos_put_removal(fields, &removal);
  put_event(isEnd ? KVOS_KIND_REMOVE_END : KVOS_KIND_REMOVE, isEnd ? KVOS_NO_ORDER : act->order, stack, fields, end);
}

void kvos_record_cancel(uint64_t subject, uint64_t registration, KVOSCancelCause cause, uint64_t order,
                        uint32_t stack) {
  kvos_live_remove(registration << 2);
  if (!kvos_is_sampled(subject)) return;
  uint64_t fields[KVOS_FIELD_LIMIT];
  KVOSCancellationFields cancellation = {.registration = registration << 2, .by = cause};
  put_event(KVOS_KIND_CANCEL, order, stack, fields, kvos_put_cancellation(fields, &cancellation));
}

void kvos_record_change_half(bool isEnd, KVOSNamed subject, uint32_t key, uint64_t change, unsigned kind,
                             uint64_t order, uint32_t stack) {
  if (!kvos_is_sampled(subject.id)) return;
  uint64_t begin = begin_measuring();
  kvos_record_change(isEnd ? KVOS_KIND_DID_CHANGE : KVOS_KIND_WILL_CHANGE, order, stack, kvos_scope(),
                     kind << KVOS_CHANGE_KIND_SHIFT | KVOS_CHANGE_HAS_CHANGE, subject.id << 2,
                     (uint64_t)subject.className << 2, key, change << 2);
  end_measuring(begin);
}

// `handled`: whether a class handled it, as the shape has it; 0 at its beginning.
static void record_delivery(uint32_t kind, const KVOSNotification *notification, uint64_t handled, uint64_t order,
                            uint32_t stack) {
  if (!kvos_is_sampled(notification->subject)) return;
  uint64_t begin = begin_measuring();
  uint64_t shape =
      notification->phase << KVOS_DELIVERY_PHASE_SHIFT | (notification->change ? KVOS_DELIVERY_HAS_CHANGE : 0);
  kvos_record_delivery(kind, order, stack, kvos_scope(), shape | handled << KVOS_DELIVERY_HANDLED_SHIFT,
                       notification->registration << 2, notification->change << 2);
  end_measuring(begin);
}

void kvos_record_notify(const KVOSNotification *notification, uint64_t order, uint32_t stack) {
  record_delivery(KVOS_KIND_NOTIFY, notification, 0, order, stack);
}

// Without an order: the callback may have held the last reference to its object.
void kvos_record_notify_end(const KVOSNotification *notification, bool isHandled, uint32_t stack) {
  record_delivery(KVOS_KIND_NOTIFY_END, notification, isHandled ? 2 : 1, KVOS_NO_ORDER, stack);
}

void kvos_record_notify_left(const KVOSNotification *notification, const KVOSRaised *raised) {
  if (!kvos_is_sampled(notification->subject)) return;
  uint64_t fields[KVOS_FIELD_LIMIT];
  KVOSDeliveryFields delivery = {
      .registration = notification->registration << 2,
      .change = notification->change << 2,
      .phase = notification->phase,
      .exception = raised->name,
  };
  put_event(KVOS_KIND_NOTIFY_END, KVOS_NO_ORDER, raised->stack, fields, kvos_put_delivery(fields, &delivery));
}

void kvos_record_problem(uint32_t className, uint32_t key, KVOSProblem problem, uint32_t stack) {
  if (kvos_sampled_objects() == 0) return;
  uint64_t fields[KVOS_FIELD_LIMIT];
  // Its superclass, and the keys that affect the key, are not stated.
  KVOSDeclarationFields declaration = {.className = className, .key = key, .problem = problem};
  put_event(KVOS_KIND_DECLARES, KVOS_NO_ORDER, stack, fields, kvos_put_declaration(fields, &declaration));
}

void kvos_record_dropped(const char *why) {
  uint64_t fields[KVOS_FIELD_LIMIT];
  KVOSLossFields loss = {.count = 1, .why = kvos_intern_text(why)};
  put_event(KVOS_KIND_DROPPED, KVOS_NO_ORDER, 0, fields, kvos_put_loss(fields, &loss));
}

void kvos_record_deallocation(bool isEnd, KVOSNamed object, uint64_t order, uint32_t stack) {
  if (kvos_sampled_objects() == 0) return;
  uint64_t fields[KVOS_FIELD_LIMIT];
  KVOSDeallocationFields deallocation = {.object = object_field(object)};
  put_event(isEnd ? KVOS_KIND_DEINIT_END : KVOS_KIND_DEINIT, order, stack, fields,
            kvos_put_deallocation(fields, &deallocation));
}

void kvos_record_class(KVOSNamed object, uint32_t className) {
  if (!kvos_is_sampled(object.id)) return;
  uint64_t fields[KVOS_FIELD_LIMIT];
  KVOSClassChangeFields change = {.object = object_field(object), .className = className};
  put_event(KVOS_KIND_CLASS, KVOS_NO_ORDER, 0, fields, kvos_put_class_change(fields, &change));
}

void kvos_record_scope(bool isEnd, uint64_t scope, uint64_t parent, const char *name) {
  uint64_t fields[KVOS_FIELD_LIMIT];
  const uint64_t *end;
  if (isEnd) {
    end = kvos_put_scope_end(fields, &(KVOSScopeEndFields){.id = scope << 2});
  } else {
    KVOSScopeFields begun = {.id = scope << 2, .parent = parent << 2, .name = kvos_intern_text(name)};
    end = kvos_put_scope(fields, &begun);
  }
  put_event(isEnd ? KVOS_KIND_SCOPE_END : KVOS_KIND_SCOPE_BEGIN, KVOS_NO_ORDER, 0, fields, end);
}

void kvos_record_uncaught(const void *exception) {
  char name[256];
  KVOSCrashFields crash = {.signal = 0};
  if (kvos_read_exception(exception, name, sizeof name)) crash.exception = kvos_intern_text(name);
  const void *text = kvos_reason_of(exception);
  uint32_t reason = 0;
  if (text && intern_copied(text, &reason)) crash.reason = reason;
  uint64_t fields[KVOS_FIELD_LIMIT];
  put_event(KVOS_KIND_CRASH, KVOS_NO_ORDER, kvos_stack_id(), fields, kvos_put_crash(fields, &crash));
  kvos_note_crash();
}

void kvos_record_exit(int status) {
  uint64_t fields[KVOS_FIELD_LIMIT];
  put_event(KVOS_KIND_EXIT, KVOS_NO_ORDER, 0, fields, kvos_put_exit(fields, &(KVOSExitFields){.status = status}));
}
