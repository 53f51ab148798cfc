#include "names.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t multiplier = 0xFF51AFD7ED558CCDu;

uint64_t kvos_hash(const uint8_t *bytes, size_t byteCount) {
  uint64_t hash = 0x9E3779B97F4A7C15u ^ byteCount;
  for (; byteCount >= 8; bytes += 8, byteCount -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    hash = (hash ^ word) * multiplier;
    hash ^= hash >> 32;
  }
  if (byteCount > 0) {
    uint64_t word = 0;
    memcpy(&word, bytes, byteCount);
    hash = (hash ^ word) * multiplier;
    hash ^= hash >> 32;
  }
  return hash | 1;
}

const KVOSName *kvos_name(const KVOSPool *pool, uint32_t id) {
  if (id == 0 || id > atomic_load_explicit(&pool->count, memory_order_acquire)) return NULL;
  _Atomic(KVOSName *) *chunk = atomic_load_explicit(&pool->chunks[id / KVOS_NAME_CHUNK], memory_order_acquire);
  return atomic_load_explicit(&chunk[id % KVOS_NAME_CHUNK], memory_order_acquire);
}

uint32_t kvos_find_in(const KVOSIndex *index, const KVOSPool *pool, uint64_t hash, const uint8_t *bytes,
                      size_t byteCount, bool isBeginning) {
  const KVOSSlots *slots = atomic_load_explicit(&index->slots, memory_order_acquire);
  if (slots == NULL) return 0;
  for (uint64_t at = hash >> 1 & slots->mask;; at = (at + 1) & slots->mask) {
    uint64_t found = atomic_load_explicit(&slots->slots[at].hash, memory_order_acquire);
    if (found == 0) return 0;
    if (found != hash) continue;
    uint32_t id = atomic_load_explicit(&slots->slots[at].id, memory_order_relaxed);
    const KVOSName *name = kvos_name(pool, id);
    if (name == NULL || name->byteCount < byteCount) continue;
    if (name->byteCount > byteCount && !isBeginning) continue;
    if (memcmp(name->bytes, bytes, byteCount) == 0) return id;
  }
}

static void put(KVOSSlots *slots, uint64_t hash, uint32_t id) {
  uint64_t at = hash >> 1 & slots->mask;
  while (atomic_load_explicit(&slots->slots[at].hash, memory_order_relaxed) != 0) {
    at = (at + 1) & slots->mask;
  }
  atomic_store_explicit(&slots->slots[at].id, id, memory_order_relaxed);
  // release: pairs with the acquire in kvos_find_in().
  atomic_store_explicit(&slots->slots[at].hash, hash, memory_order_release);
}

// Memory for names when there is no other, so that a program which runs on still has its names: one that got another id
// at its removal would look like a fault of the program. Guarded by the recorder's lock; never freed.
static _Alignas(16) uint8_t reserve[128 << 10];
static size_t usedOfReserve;

// Zeroed memory, or null.
static void *room(size_t byteCount) {
  void *memory = calloc(1, byteCount);
  if (memory != NULL) return memory;
  byteCount = (byteCount + 15) & ~(size_t)15;
  if (byteCount > sizeof reserve - usedOfReserve) return NULL;
  memory = reserve + usedOfReserve;
  usedOfReserve += byteCount;
  return memory;
}

static KVOSSlots *slots_of(uint64_t count) {
  KVOSSlots *slots = room(sizeof(KVOSSlots) + count * sizeof(KVOSSlot));
  if (slots) slots->mask = count - 1;
  return slots;
}

bool kvos_index_add(KVOSIndex *index, uint64_t hash, uint32_t id) {
  KVOSSlots *slots = atomic_load_explicit(&index->slots, memory_order_relaxed);
  if (slots == NULL || index->count * 2 > slots->mask) {
    KVOSSlots *larger = slots_of(slots ? (slots->mask + 1) * 4 : 1024);
    if (larger == NULL) {
      // A search ends at an empty slot.
      if (slots == NULL || index->count + 1 > slots->mask) return false;
      put(slots, hash, id);
      index->count++;
      return true;
    }
    for (uint64_t at = 0; slots && at <= slots->mask; at++) {
      uint64_t known = atomic_load_explicit(&slots->slots[at].hash, memory_order_relaxed);
      if (known == 0) continue;
      put(larger, known, atomic_load_explicit(&slots->slots[at].id, memory_order_relaxed));
    }
    // release: pairs with the acquire of readers. The previous index stays for current readers.
    atomic_store_explicit(&index->slots, larger, memory_order_release);
    slots = larger;
  }
  put(slots, hash, id);
  index->count++;
  return true;
}

static KVOSName *room_for(KVOSPool *pool, size_t byteCount) {
  size_t needed = (sizeof(KVOSName) + byteCount + 7) & ~(size_t)7;
  if (needed > pool->freeByteCount) {
    size_t chunk = needed > 64 << 10 ? needed : 64 << 10;
    uint8_t *memory = malloc(chunk);
    if (memory == NULL) memory = room(chunk = needed);
    if (memory == NULL) return NULL;
    pool->free = memory;
    pool->freeByteCount = chunk;
  }
  KVOSName *name = (KVOSName *)(void *)pool->free;
  pool->free += needed;
  pool->freeByteCount -= needed;
  return name;
}

uint32_t kvos_add(KVOSPool *pool, uint64_t hash, const uint8_t *bytes, size_t byteCount) {
  uint32_t id = atomic_load_explicit(&pool->count, memory_order_relaxed) + 1;
  if (id >= KVOS_NAME_LIMIT) return 0;
  _Atomic(KVOSName *) *chunk = atomic_load_explicit(&pool->chunks[id / KVOS_NAME_CHUNK], memory_order_relaxed);
  if (chunk == NULL) {
    chunk = room(KVOS_NAME_CHUNK * sizeof *chunk);
    if (chunk == NULL) return 0;
    // release: pairs with the acquire in kvos_name().
    atomic_store_explicit(&pool->chunks[id / KVOS_NAME_CHUNK], chunk, memory_order_release);
  }
  KVOSName *name = room_for(pool, byteCount);
  if (name == NULL) return 0;
  name->hash = hash;
  name->byteCount = byteCount;
  memcpy(name->bytes, bytes, byteCount);
  pool->byteCount += byteCount;
  // release: pairs with the acquire in kvos_name().
  atomic_store_explicit(&chunk[id % KVOS_NAME_CHUNK], name, memory_order_release);
  atomic_store_explicit(&pool->count, id, memory_order_release);
  return id;
}
