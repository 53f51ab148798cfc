// Strings and stacks, each stored once, found without a lock.
//
// Races that this survives, and how:
// - two threads add the same name: a thread adds under the lock, and checks again first;
// - a thread looks up a name while another adds one: an entry is written whole, then its pointer is stored (release),
//   then its slot's id, then the slot's hash (release). A thread that reads the hash (acquire) reads the rest;
// - a thread searches an index that another replaces by a larger one: the old one remains unchanged and is never freed.
//   Names that it lacks are looked up again under the lock.
// - a fork while another thread adds: the child may or may not find the entry, at worst a slot without an id, which it
//   treats as no match.

#ifndef NAMES_H
#define NAMES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  _Atomic uint64_t hash;  // 0: free
  _Atomic uint32_t id;
} KVOSSlot;

typedef struct {
  uint64_t mask;
  KVOSSlot slots[];
} KVOSSlots;

/// Ids by hash. Open addressing, at most half full unless there was no memory for a larger one.
typedef struct {
  _Atomic(KVOSSlots *) slots;
  uint64_t count;
} KVOSIndex;

/// The bytes that an id refers to.
typedef struct {
  uint64_t hash;
  uint64_t byteCount;
  uint8_t bytes[];
} KVOSName;

#define KVOS_NAME_CHUNK 1024u
#define KVOS_NAME_LIMIT (4096u * KVOS_NAME_CHUNK)

/// Names by id, in chunks that stay where they are.
typedef struct {
  KVOSIndex index;
  _Atomic(_Atomic(KVOSName *) *) chunks[KVOS_NAME_LIMIT / KVOS_NAME_CHUNK];
  /// Ids run from 1 to this. release: a reader of the count may read the names.
  _Atomic uint32_t count;
  /// Sum over all names. Under the lock, like the rest.
  uint64_t byteCount;
  uint8_t *free;
  uint64_t freeByteCount;
} KVOSPool;

/// A hash that is never 0.
uint64_t kvos_hash(const uint8_t *bytes, size_t byteCount);

/// The id in `index` under `hash` whose name in `pool` has these bytes, or begins with them; 0: none.
uint32_t kvos_find_in(const KVOSIndex *index, const KVOSPool *pool, uint64_t hash, const uint8_t *bytes,
                      size_t byteCount, bool isBeginning);

/// The id of these bytes, or 0 if they are not in the pool.
static inline uint32_t kvos_find(const KVOSPool *pool, uint64_t hash, const uint8_t *bytes, size_t byteCount) {
  return kvos_find_in(&pool->index, pool, hash, bytes, byteCount, false);
}

/// Adds the bytes, which kvos_find() did not find, under the names' lock; it finds them when their id
/// is in the pool's index. 0: no memory, no id left.
uint32_t kvos_add(KVOSPool *pool, uint64_t hash, const uint8_t *bytes, size_t byteCount);

/// The name of `id`, or null.
const KVOSName *kvos_name(const KVOSPool *pool, uint32_t id);

/// Puts an id under a hash, under the names' lock. False: no memory.
bool kvos_index_add(KVOSIndex *index, uint64_t hash, uint32_t id);

#endif
