// As fast as memory, without special instructions, so that readers in any language can compute the same.

#include "CKVOChecksum.h"

#include <string.h>

static const uint64_t prime1 = 0x9E3779B185EBCA87u;
static const uint64_t prime2 = 0xC2B2AE3D27D4EB4Fu;
static const uint64_t prime3 = 0x165667B19E3779F9u;
static const uint64_t prime4 = 0x85EBCA77C2B2AE63u;
static const uint64_t prime5 = 0x27D4EB2F165667C5u;

static inline uint64_t rotate(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }

static inline uint64_t word(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static inline uint64_t mix(uint64_t lane, uint64_t input) { return rotate(lane + input * prime2, 31) * prime1; }

static inline uint64_t merge(uint64_t hash, uint64_t lane) { return (hash ^ mix(0, lane)) * prime1 + prime4; }

uint64_t kvos_checksum(const void *start, uint64_t byteCount, uint64_t seed) {
  const uint8_t *bytes = start;
  const uint8_t *end = bytes + byteCount;
  uint64_t hash = seed + prime5;
  if (byteCount >= 32) {
    uint64_t lanes[4] = {seed + prime1 + prime2, seed + prime2, seed, seed - prime1};
    for (; end - bytes >= 32; bytes += 32) {
      for (int lane = 0; lane < 4; lane++) lanes[lane] = mix(lanes[lane], word(bytes + 8 * lane));
    }
    hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
    for (int lane = 0; lane < 4; lane++) hash = merge(hash, lanes[lane]);
  }
  hash += byteCount;
  for (; end - bytes >= 8; bytes += 8) {
    hash = rotate(hash ^ mix(0, word(bytes)), 27) * prime1 + prime4;
  }
  if (end - bytes >= 4) {
    uint32_t half;
    memcpy(&half, bytes, sizeof half);
    hash = rotate(hash ^ half * prime1, 23) * prime2 + prime3;
    bytes += 4;
  }
  for (; bytes < end; bytes++) hash = rotate(hash ^ *bytes * prime5, 11) * prime1;
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}
