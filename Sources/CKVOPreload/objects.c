// The objects that observe or are observed, by address.
//
// Every deallocation of the process asks whether its object is one of them. So a look takes no lock:
// - it reads the table's version, probes, and where it finds nothing reads the version again; where
//   that changed, or is odd, something was being moved, and it looks again under the lock;
// - an address is written after what it leads to (release), and read before it (acquire);
// - a larger table is stored (release) before it is used; the smaller one stays as it is and is never
//   freed: all of them together are not larger than the last.
// Whoever asks for an object keeps it alive, and was told of it by whoever registered it: so what it
// asks for was stored before.

#include "preload.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct {
  _Atomic uintptr_t address;
  KVOSTracked *object;
} Slot;

typedef struct {
  uint64_t mask;
  Slot slots[];
} Table;

static _Atomic(Table *) table;
static _Atomic uint64_t version;
static uint64_t liveCount;
static uint64_t lastID;
static KVOSTracked *freeObjects;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t forkOnce = PTHREAD_ONCE_INIT;

// A child finds the registry whole: nobody holds the lock while the process forks.
static void fork_begins(void) { pthread_mutex_lock(&lock); }
static void fork_ends(void) { pthread_mutex_unlock(&lock); }
static void follow_forks(void) { pthread_atfork(fork_begins, fork_ends, fork_ends); }

void kvos_lock_registry(void) {
  pthread_once(&forkOnce, follow_forks);
  pthread_mutex_lock(&lock);
}

void kvos_unlock_registry(void) { pthread_mutex_unlock(&lock); }

// Objects of one kilobyte are neighbours in the table, and kilobytes are scattered: what a program allocates
// and deallocates one behind the other is then asked for in few lines of the processor's cache, whatever
// number of objects there are.
static uint64_t home(uintptr_t address, uint64_t mask) {
  uint64_t region = (address >> 10) * 0x9E3779B97F4A7C15u >> 32;
  return (region << 6 | (address >> 4 & 63)) & mask;
}

// The object, or null where this table does not have it.
static KVOSTracked *probe(Table *present, uintptr_t address) {
  if (present == NULL) return NULL;
  for (uint64_t at = home(address, present->mask);; at = (at + 1) & present->mask) {
    // acquire: pairs with the release in place().
    uintptr_t found = atomic_load_explicit(&present->slots[at].address, memory_order_acquire);
    if (found == address) return present->slots[at].object;
    if (found == 0) return NULL;
  }
}

static KVOSTracked *find_locked(uintptr_t address) {
  kvos_lock_registry();
  KVOSTracked *found = probe(atomic_load_explicit(&table, memory_order_relaxed), address);
  kvos_unlock_registry();
  return found;
}

KVOSTracked *kvos_find_object(const void *object) {
  uintptr_t address = (uintptr_t)object;
  // acquire: pairs with the releases in begin_moving() and end_moving().
  uint64_t before = atomic_load_explicit(&version, memory_order_acquire);
  KVOSTracked *found = probe(atomic_load_explicit(&table, memory_order_acquire), address);
  if (found) return found->address == object ? found : find_locked(address);
  atomic_thread_fence(memory_order_acquire);
  uint64_t after = atomic_load_explicit(&version, memory_order_relaxed);
  if (KVOS_LIKELY(before == after && (before & 1) == 0)) return NULL;
  return find_locked(address);
}

// MARK: - With the lock held

static void begin_moving(void) {
  atomic_store_explicit(&version, atomic_load_explicit(&version, memory_order_relaxed) + 1,
                        memory_order_relaxed);
  // What is moved is seen after the odd version.
  atomic_thread_fence(memory_order_release);
}

static void end_moving(void) {
  // release: what was moved is seen before the even version.
  atomic_store_explicit(&version, atomic_load_explicit(&version, memory_order_relaxed) + 1,
                        memory_order_release);
}

static void place(Table *into, KVOSTracked *object) {
  uint64_t at = home((uintptr_t)object->address, into->mask);
  while (atomic_load_explicit(&into->slots[at].address, memory_order_relaxed) != 0) {
    at = (at + 1) & into->mask;
  }
  into->slots[at].object = object;
  // release: whoever sees the address sees the object whole.
  atomic_store_explicit(&into->slots[at].address, (uintptr_t)object->address, memory_order_release);
}

static bool make_room(void) {
  Table *present = atomic_load_explicit(&table, memory_order_relaxed);
  if (present && (liveCount + 1) * 2 <= present->mask) return true;
  uint64_t size = present ? (present->mask + 1) * 2 : 1024;
  Table *larger = calloc(1, sizeof *larger + size * sizeof(Slot));
  if (larger == NULL) return false;
  larger->mask = size - 1;
  for (uint64_t at = 0; present && at <= present->mask; at++) {
    uintptr_t address = atomic_load_explicit(&present->slots[at].address, memory_order_relaxed);
    if (address != 0) place(larger, present->slots[at].object);
  }
  begin_moving();
  atomic_store_explicit(&table, larger, memory_order_release);
  end_moving();
  return true;
}

static KVOSTracked *track(const void *address, bool isForwarder) {
  KVOSTracked *object = probe(atomic_load_explicit(&table, memory_order_relaxed), (uintptr_t)address);
  if (object) return object;
  if (!make_room()) return NULL;
  object = freeObjects;
  if (object) {
    freeObjects = object->nextFree;
  } else if ((object = calloc(1, sizeof *object)) == NULL) {
    return NULL;
  }
  object->address = address;
  object->id = isForwarder ? 0 : ++lastID;
  object->class = kvos_visible_class(address);
  object->className = isForwarder ? 0 : kvos_intern_text(kvos_class_name(object->class));
  object->forwardsTo = NULL;
  atomic_store_explicit(&object->order, 0, memory_order_relaxed);
  atomic_store_explicit(&object->deadCount, 0, memory_order_relaxed);
  object->isPrepared = object->passesOn = object->isPassedOn = false;
  object->observed = NULL;
  object->observing = NULL;
  place(atomic_load_explicit(&table, memory_order_relaxed), object);
  liveCount++;
  return object;
}

KVOSTracked *kvos_track(const void *address) { return track(address, false); }

void kvos_track_forwarder(const void *address, const KVOSTracked *target) {
  KVOSTracked *object = track(address, true);
  if (object == NULL) return;
  object->forwardsTo = target->address;
  object->forwardsToID = target->id;
}

void kvos_untrack(KVOSTracked *object) {
  Table *present = atomic_load_explicit(&table, memory_order_relaxed);
  uint64_t gap = home((uintptr_t)object->address, present->mask);
  while (present->slots[gap].object != object ||
         atomic_load_explicit(&present->slots[gap].address, memory_order_relaxed) == 0) {
    gap = (gap + 1) & present->mask;
  }
  begin_moving();
  // What follows without a gap moves up where the gap is on its way.
  for (uint64_t at = (gap + 1) & present->mask;; at = (at + 1) & present->mask) {
    uintptr_t address = atomic_load_explicit(&present->slots[at].address, memory_order_relaxed);
    if (address == 0) break;
    uint64_t wanted = home(address, present->mask);
    if (((at - wanted) & present->mask) < ((at - gap) & present->mask)) continue;
    atomic_store_explicit(&present->slots[gap].address, 1, memory_order_relaxed);
    present->slots[gap].object = present->slots[at].object;
    atomic_store_explicit(&present->slots[gap].address, address, memory_order_release);
    gap = at;
  }
  atomic_store_explicit(&present->slots[gap].address, 0, memory_order_release);
  end_moving();
  liveCount--;
}

void kvos_recycle(KVOSTracked *object) {
  object->address = NULL;
  object->nextFree = freeObjects;
  freeObjects = object;
}
