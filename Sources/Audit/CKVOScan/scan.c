// memmem
#define _GNU_SOURCE

#include "CKVOScan.h"

#include <string.h>

// Vectors of the compiler: SSE2 on x86-64, NEON on arm64, and words where there is neither. A comparison gives 0xff in
// each lane that holds, 0 in the others.
typedef uint8_t Lanes __attribute__((vector_size(16)));

static inline Lanes load(const uint8_t *bytes) {
  Lanes lanes;
  memcpy(&lanes, bytes, sizeof lanes);
  return lanes;
}

static inline bool any(Lanes lanes) {
  uint64_t halves[2];
  memcpy(halves, &lanes, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

/// 0xff in each lane where a pair begins, of letters and those that follow them.
static inline Lanes pairs(Lanes first, Lanes second) {
  Lanes bs = ((first | 0x20) == 'b') & ((second | 0x20) == 's');
  Lanes vo = (first == 'V') & (second == 'O');
  // V and P, and K and N, differ in bits that are masked out; another letter may pass, and is checked by the caller.
  Lanes y = (first == 'y') & ((second & 0xf9) == 'P');
  Lanes d = (first == 'd') & ((second & 0xfa) == 'J');
  return bs | vo | y | d;
}

static inline bool is_pair(uint8_t first, uint8_t second) {
  return ((first | 0x20) == 'b' && (second | 0x20) == 's') || (first == 'V' && second == 'O') ||
         (first == 'y' && (second & 0xf9) == 'P') || (first == 'd' && (second & 0xfa) == 'J');
}

size_t kvos_scan_pair(const uint8_t *bytes, size_t start, size_t end, size_t count) {
  if (end > count) end = count;
  size_t at = start;
  // 64 bytes and the next one are readable.
  while (at + 64 <= end && at + 65 <= count) {
    Lanes found = pairs(load(bytes + at), load(bytes + at + 1)) | pairs(load(bytes + at + 16), load(bytes + at + 17)) |
                  pairs(load(bytes + at + 32), load(bytes + at + 33)) |
                  pairs(load(bytes + at + 48), load(bytes + at + 49));
    if (any(found)) break;
    at += 64;
  }
  for (; at < end && at + 1 < count; at++) {
    if (is_pair(bytes[at], bytes[at + 1])) return at;
  }
  return end;
}

size_t kvos_scan_line_ends(const uint8_t *bytes, size_t count) {
  size_t found = 0, at = 0;
  while (at + 16 <= count) {
    // As many rounds as a lane can count.
    size_t rounds = (count - at) / 16;
    if (rounds > 255) rounds = 255;
    Lanes sums = {0};
    for (size_t round = 0; round < rounds; round++, at += 16) sums -= load(bytes + at) == '\n';
    for (size_t lane = 0; lane < 16; lane++) found += sums[lane];
  }
  for (; at < count; at++) found += bytes[at] == '\n';
  return found;
}

bool kvos_scan_has_word(const uint8_t *bytes, size_t count, const uint8_t *word, size_t length) {
  return memmem(bytes, count, word, length) != NULL;
}
