// The minimum cost of recording: a time stamp, and 32 bytes in a file that is already mapped.

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver.h"

enum { RECORD_BYTES = 32, MAPPING_BYTES = 128 << 20 };

typedef struct {
  uint64_t time, kind, subject, change;
} record_t;

/// Maps a file, with its pages present and writable.
static char *map_file(const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/bound.log", folder);
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, MAPPING_BYTES) != 0) bench_fail(path);
  char *base =
      mmap(NULL, MAPPING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (base == MAP_FAILED) bench_fail("mmap");
  // Populating maps the pages for reading; the first store would still fault.
  for (size_t at = 0; at < MAPPING_BYTES; at += 4096) ((volatile char *)base)[at] = 1;
  return base;
}

#define RECORD_BOUND_MAIN(TIME_STAMP)                                        \
  int main(int count, char **arguments) {                                    \
    uint64_t operations = bench_operations(count, arguments);                \
    char *base = map_file(arguments[2]);                                     \
    size_t at = 0;                                                           \
    bench_begin();                                                           \
    for (uint64_t i = 0; i < operations; i++) {                              \
      record_t record = {(TIME_STAMP), 1, i, 7};                             \
      memcpy(base + at, &record, RECORD_BYTES);                              \
      /* As in a recorder, the record must be there before the next one. */  \
      __asm__ volatile("" : : : "memory");                                   \
      at = (at + RECORD_BYTES) & (MAPPING_BYTES - 1);                        \
    }                                                                        \
    bench_end(operations);                                                   \
    return 0;                                                                \
  }
