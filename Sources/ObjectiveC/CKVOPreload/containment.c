// Which rules are contained, from the environment. Read once, before anything is hooked.

#include "preload.h"

#include <string.h>

#include "CKVOUnwind.h"

static const struct {
  const char *code;
  KVOSContained rule;
} codes[] = {
    {"KVO001", KVOS_CONTAINS_DOUBLE_REMOVALS}, {"KVO002", KVOS_CONTAINS_UNREGISTERED},
    {"KVO003", KVOS_CONTAINS_CONTEXTS},        {"KVO006", KVOS_CONTAINS_OBSERVED},
    {"KVO007", KVOS_CONTAINS_OBSERVERS},       {"KVO008", KVOS_CONTAINS_DELIVERIES},
    {"KVO017", KVOS_CONTAINS_UNHANDLED},       {"KVO025", KVOS_CONTAINS_REMOVALS},
    {"KVO029", KVOS_CONTAINS_PATHS},           {"KVO030", KVOS_CONTAINS_CLASSES},
};

static unsigned contained;

bool kvos_contains(KVOSContained rule) { return (contained & (unsigned)rule) != 0; }

static unsigned rule_of(const char *word, size_t length) {
  if (length == 3 && strncmp(word, "all", 3) == 0) return ~0u;
  for (size_t at = 0; at < sizeof codes / sizeof *codes; at++) {
    if (length == 6 && strncmp(word, codes[at].code, 6) == 0) return (unsigned)codes[at].rule;
  }
  return 0;
}

void kvos_read_containment(const char *text) {
  if (text == NULL) return;
  while (*text != 0) {
    size_t length = strcspn(text, ",");
    unsigned rule = rule_of(text, length);
    if (rule == 0 && length > 0) {
      kvos_say(
          "KVOSafety: KVO_SAFETY_CONTAIN names \"%.*s\", which cannot be contained; what can be "
          "is all, KVO001, KVO002, KVO003, KVO006, KVO007, KVO008, KVO017, KVO025, KVO029 and KVO030.\n",
          (int)length, text);
    }
    contained |= rule;
    text += length;
    if (*text == ',') text++;
  }
}
