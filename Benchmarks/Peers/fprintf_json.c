// Peer: what a program without a recorder does, a line of JSON with fprintf.
//
// `fprintf_json <operations> <scratch> <buffered|flushed>`: flushed after every line, as required for a log that
// survives `kill -9`, or when the buffer is full.

#include <string.h>

#include "driver.h"

int main(int count, char **arguments) {
  uint64_t operations = bench_operations(count, arguments);
  int is_flushed = count > 3 && strcmp(arguments[3], "flushed") == 0;
  char path[4096];
  snprintf(path, sizeof path, "%s/peer.jsonl", arguments[2]);
  FILE *file = fopen(path, "w");
  if (!file) bench_fail(path);
  bench_begin();
  for (uint64_t i = 0; i < operations; i++) {
    fprintf(file,
            "{\"event\":\"notify\",\"t\":%llu,\"thread\":1,\"order\":%llu,"
            "\"registration\":%llu,\"change\":%llu,\"phase\":\"after\"}\n",
            (unsigned long long)bench_nanoseconds(CLOCK_MONOTONIC), (unsigned long long)i,
            (unsigned long long)(i & 63), (unsigned long long)i);
    if (is_flushed && fflush(file) != 0) bench_fail("fflush");
  }
  if (fflush(file) != 0) bench_fail("fflush");
  bench_end(operations);
  return 0;
}
