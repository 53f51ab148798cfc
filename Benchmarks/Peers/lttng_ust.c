// Peer: an LTTng-UST tracepoint of 24 bytes; LTTng adds the time and the event's number.
//
// Needs a session in which kvo_bench:notify is enabled: a disabled tracepoint costs nothing and would not be a peer, so
// the program fails without a session.

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_ust_provider.h"

#include "driver.h"

int main(int count, char **arguments) {
  uint64_t operations = bench_operations(count, arguments);
  if (!lttng_ust_tracepoint_enabled(kvo_bench, notify)) {
    fputs("no LTTng session has kvo_bench:notify enabled\n", stderr);
    return 1;
  }
  bench_begin();
  for (uint64_t i = 0; i < operations; i++) {
    lttng_ust_tracepoint(kvo_bench, notify, i, i & 63, i);
  }
  bench_end(operations);
  return 0;
}
