// The budget that KVO_SAFETY_BUDGET sets: "cpu=1%,disk=64M,memory=8M,objects=25%".

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"
#include "CKVOUnwind.h"

// A percentage above 0 and up to 100, in millionths; 0: not one.
static uint32_t millionths_of(const char *text, size_t length) {
  char copy[32];
  if (length < 2 || length >= sizeof copy || text[length - 1] != '%' || !isdigit((unsigned char)*text)) return 0;
  memcpy(copy, text, length - 1);
  copy[length - 1] = 0;
  // Not strtod(), which reads by the locale of the program.
  uint64_t whole = 0, part = 0, scale = 10000;
  const char *at = copy;
  for (; isdigit((unsigned char)*at); at++) {
    whole = whole * 10 + (uint64_t)(*at - '0');
    if (whole > 100) return 0;
  }
  if (*at == '.') {
    at++;
    if (*at == 0) return 0;
    for (; isdigit((unsigned char)*at); at++) {
      scale /= 10;
      part += (uint64_t)(*at - '0') * scale;
    }
  }
  uint64_t value = whole * 10000 + part;
  return *at == 0 && value <= 1000000 ? (uint32_t)value : 0;
}

static uint64_t bytes_of(const char *text, size_t length) {
  char copy[32];
  if (length == 0 || length >= sizeof copy) return 0;
  memcpy(copy, text, length);
  copy[length] = 0;
  return kvos_byte_count_of(copy);
}

// Reads one setting; false if the text is not one.
static bool read_setting(const char *text, size_t length, KVOSBudget *budget) {
  const char *equals = memchr(text, '=', length);
  if (equals == NULL) return false;
  size_t nameLength = (size_t)(equals - text);
  const char *value = equals + 1;
  size_t valueLength = length - nameLength - 1;
  if (nameLength == 3 && strncmp(text, "cpu", 3) == 0) {
    budget->cpu = millionths_of(value, valueLength);
    return budget->cpu > 0;
  }
  if (nameLength == 4 && strncmp(text, "disk", 4) == 0) {
    budget->diskByteCount = bytes_of(value, valueLength);
    return budget->diskByteCount >= KVOS_LEAST_DISK_BUDGET;
  }
  if (nameLength == 6 && strncmp(text, "memory", 6) == 0) {
    budget->memoryByteCount = bytes_of(value, valueLength);
    return budget->memoryByteCount >= KVOS_LEAST_MEMORY_BUDGET;
  }
  if (nameLength == 7 && strncmp(text, "objects", 7) == 0) {
    uint64_t share = millionths_of(value, valueLength);
    budget->share = (uint32_t)((share * KVOS_ALL_OBJECTS + 999999) / 1000000);
    return share > 0;
  }
  return false;
}

KVOSBudget kvos_budget_of_environment(void) {
  const KVOSBudget none = {.share = 0};
  const char *text = getenv("KVO_SAFETY_BUDGET");
  KVOSBudget budget = none;
  for (const char *at = text ? text : ""; *at;) {
    size_t length = strcspn(at, ",");
    if (!read_setting(at, length, &budget)) {
      // It is in the message twice, which has room for some thousand bytes.
      int shownLength = length < 256 ? (int)length : 256;
      kvos_say(
          "KVOSafety: KVO_SAFETY_BUDGET is \"%s\", and \"%.*s\" in it must be one of cpu=1%%, disk=64M (4M or more), "
          "memory=8M (1M or more) and objects=25%%. The program is recorded without a budget.\n",
          text, shownLength, at);
      return none;
    }
    at += length + (at[length] == ',');
  }
  return budget;
}
