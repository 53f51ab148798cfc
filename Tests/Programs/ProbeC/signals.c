#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#include "CKVORecorder.h"
#include "ProbeC.h"

enum { REGISTER = 5, REGISTER_END = 6, CANCEL = 10 };

static _Atomic uint64_t handled;

static void record(uint64_t number) {
  uint64_t field = number << 2;
  kvos_record(REGISTER_END, KVOS_NO_ORDER, 0, 0, &field, 1);
}

static void handle(int number) {
  (void)number;
  int code = errno;
  uint64_t count = atomic_fetch_add(&handled, 1) + 1;
  record((1ull << 32) + count);
  errno = code;
}

// A registration of a token, or its cancellation, of which only the number counts here.
static void change_registrations(uint64_t number, uint32_t name) {
  if (number & 32) {
    uint64_t fields[] = {1, 7 << 2, (uint64_t)name << 2, name, number << 2};
    kvos_live_add(number << 2, 0, fields, 5);
    kvos_record(REGISTER, KVOS_NO_ORDER, 0, 0, fields, 5);
  } else if (number > 32) {
    uint64_t fields[] = {(number - 32) << 2, 1};
    kvos_live_remove((number - 32) << 2);
    kvos_record(CANCEL, KVOS_NO_ORDER, 0, 0, fields, 2);
  }
}

ProbeCounts probe_record_under_signals(uint64_t handlerCount, uint64_t threadCount) {
  uint32_t name = kvos_intern_string((const uint8_t *)"balance", 7);
  struct sigaction action = {.sa_flags = SA_RESTART};
  action.sa_handler = handle;
  sigaction(SIGALRM, &action, NULL);
  // The helper lets none of them through, so that they come to this thread.
  struct itimerval often = {.it_interval = {.tv_usec = 50}, .it_value = {.tv_usec = 50}};
  setitimer(ITIMER_REAL, &often, NULL);
  uint64_t number = 0;
  while (atomic_load(&handled) < handlerCount || number < threadCount) {
    record(++number);
    if (number % 32 == 0) change_registrations(number, name);
  }
  signal(SIGALRM, SIG_IGN);
  return (ProbeCounts){.thread = number, .handler = atomic_load(&handled)};
}
