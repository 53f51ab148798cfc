// Lower bound of replaying and of reading: sums up every word, or every byte, of a file.
//
// `sum_file <operations> <scratch> <words|bytes> <file> <events in it>`: an operation is one event, and the file is
// read as often as that requires, at least once. Its pages are in memory before the clock starts.

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "driver.h"

static uint64_t sum_words(const char *base, size_t size) {
  const uint64_t *words = (const uint64_t *)base;
  uint64_t sum = 0;
  for (size_t i = 0; i < size / 8; i++) sum += words[i];
  return sum;
}

static uint64_t sum_bytes(const char *base, size_t size) {
  const unsigned char *bytes = (const unsigned char *)base;
  uint64_t sum = 0;
  size_t i = 0;
#if defined(__SSE2__)
  // The instruction that adds eight bytes to a word, which compilers do not select by themselves.
  __m128i sums[4] = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128(),
                     _mm_setzero_si128()};
  for (; i + 64 <= size; i += 64) {
    for (int lane = 0; lane < 4; lane++) {
      __m128i chunk = _mm_loadu_si128((const __m128i *)(bytes + i + 16 * lane));
      sums[lane] = _mm_add_epi64(sums[lane], _mm_sad_epu8(chunk, _mm_setzero_si128()));
    }
  }
  uint64_t words[8];
  memcpy(words, sums, sizeof words);
  for (int lane = 0; lane < 8; lane++) sum += words[lane];
#endif
  for (; i < size; i++) sum += bytes[i];
  return sum;
}

int main(int count, char **arguments) {
  uint64_t operations = bench_operations(count, arguments);
  if (count < 6) return 64;
  int file = open(arguments[4], O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) bench_fail(arguments[4]);
  size_t size = (size_t)status.st_size;
  const char *base = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  if (base == MAP_FAILED) bench_fail("mmap");
  uint64_t events = strtoull(arguments[5], NULL, 10), passes = operations / events;
  if (passes == 0) passes = 1;
  int by_words = strcmp(arguments[3], "words") == 0;
  bench_keep(by_words ? sum_words(base, size) : sum_bytes(base, size));
  bench_begin();
  for (uint64_t pass = 0; pass < passes; pass++) {
    bench_keep(by_words ? sum_words(base, size) : sum_bytes(base, size));
  }
  bench_end(passes * events);
  return 0;
}
