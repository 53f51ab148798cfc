// The log of a process without Swift: when it begins and ends, and the messages about that.

#include "preload.h"

#include <stdlib.h>
#include <string.h>

#include "CKVORecorder.h"
#include "CKVOUnwind.h"

static void say_failure(const KVOSLogFailure *failure) {
  if (failure->code == KVOS_RECORDED_ELSEWHERE) {
    kvos_say(
        "KVOSafety: this program records what it observes in Swift already, and what is observed in "
        "Objective-C is not in that log.\n");
    return;
  }
  char *text = kvos_failure_text(failure->code, failure->path ? failure->path : "", failure->kind);
  kvos_say("KVOSafety: %s. The program runs on, unrecorded.\n", text ? text : strerror(failure->code));
  free(text);
}

int kvos_begin_log(const char *pattern) {
  kvos_spare_helper();
  uint32_t keepReasons = kvos_keep_reasons_of_environment();
  KVOSLogRequest request = {
      .pattern = pattern,
      .byteLimit =
          kvos_byte_limit_of_environment(keepReasons ? KVOS_DEFAULT_FLIGHT_BYTE_LIMIT : KVOS_DEFAULT_BYTE_LIMIT),
      .runtime = kvos_semantics()->number,
      .isComplete = true,
      .keepReasons = keepReasons,
      .budget = kvos_budget_of_environment(),
  };
  KVOSLogFailure failure;
  int code = kvos_open_log(&request, &failure);
  kvos_isMeasured = code == 0 && kvos_is_budgeted();
  if (code == 0) return 0;
  say_failure(&failure);
  free(failure.path);
  return code;
}

void kvos_end_log(void) {
  kvos_close_log();
  uint32_t unhooked = kvos_unhooked_count();
  if (unhooked > 0) {
    kvos_say(
        "KVOSafety: %u methods of classes could not be watched: there are more overrides of key-value observing "
        "than the library has room for\n",
        unhooked);
  }
}
