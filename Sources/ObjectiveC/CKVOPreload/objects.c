// The objects that observe or are observed, by address.
//
// Every deallocation of the process checks whether its object is one of them. So a lookup takes no lock:
// - it reads the table's version, probes, and if it finds nothing, reads the version again; if that changed, or is odd,
//   entries were being moved, and it searches again under the lock;
// - an address is written after its object (release), and its mark after it (release); both are read in the reverse
//   order (acquire);
// - a larger table is stored (release) before it is used; the smaller one remains unchanged and is never freed: all of
//   them together are not larger than the last one.
// Callers that look up an object keep it alive, and got it from the code that registered it: so its entry was stored
// before.

#include "preload.h"

#include "CKVOUnwind.h"

#include <pthread.h>
#include <stdlib.h>

// Always free, so that lookups need not check whether there is a table.
static KVOSObjectTable noObjects = {.marks = {0}};
_Atomic(KVOSObjectTable *) kvos_objectTable = &noObjects;
_Atomic uint64_t kvos_objectVersion;
static uint64_t liveCount;
static uint64_t lastID;
static KVOSTracked *freeObjects;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t forkOnce = PTHREAD_ONCE_INIT;

// A child finds the registry consistent: no thread holds the lock while the process forks.
static void fork_begins(void) { pthread_mutex_lock(&lock); }
static void fork_ends(void) { pthread_mutex_unlock(&lock); }
static void follow_forks(void) { pthread_atfork(fork_begins, fork_ends, fork_ends); }

void kvos_lock_registry(void) {
  pthread_once(&forkOnce, follow_forks);
  pthread_mutex_lock(&lock);
}

void kvos_unlock_registry(void) { pthread_mutex_unlock(&lock); }

// Never 0. Objects that share a home slot or follow it differ in their low bits or in their kilobyte.
static uint8_t mark_of(uintptr_t address) { return (uint8_t)(0x80 | (address >> 4 ^ address >> 13)); }

// The object, or null if this table does not have it.
static KVOSTracked *probe(KVOSObjectTable *present, uintptr_t address) {
  uint8_t wanted = mark_of(address);
  for (uint64_t at = kvos_object_home(address, present->mask);; at = (at + 1) & present->mask) {
    // acquire: pairs with the release in fill().
    uint8_t mark = atomic_load_explicit(&present->marks[at], memory_order_acquire);
    if (KVOS_LIKELY(mark == 0)) return NULL;
    if (mark != wanted) continue;
    // acquire: pairs with the release in fill(), if the slot is being reused for another.
    uintptr_t found = atomic_load_explicit(&present->slots[at].address, memory_order_acquire);
    if (found == address) return present->slots[at].object;
  }
}

static KVOSTracked *find_locked(uintptr_t address) {
  kvos_lock_registry();
  KVOSTracked *found = probe(atomic_load_explicit(&kvos_objectTable, memory_order_relaxed), address);
  kvos_unlock_registry();
  return found;
}

KVOSTracked *kvos_find_object(const void *object) {
  uintptr_t address = (uintptr_t)object;
  // acquire: pairs with the releases in begin_moving() and end_moving().
  uint64_t before = atomic_load_explicit(&kvos_objectVersion, memory_order_acquire);
  KVOSTracked *found = probe(atomic_load_explicit(&kvos_objectTable, memory_order_acquire), address);
  if (found) return found->address == object ? found : find_locked(address);
  atomic_thread_fence(memory_order_acquire);
  uint64_t after = atomic_load_explicit(&kvos_objectVersion, memory_order_relaxed);
  if (KVOS_LIKELY(before == after && (before & 1) == 0)) return NULL;
  return find_locked(address);
}

// MARK: - With the lock held

static void begin_moving(void) {
  atomic_store_explicit(&kvos_objectVersion, atomic_load_explicit(&kvos_objectVersion, memory_order_relaxed) + 1,
                        memory_order_relaxed);
  // Moved entries are seen after the odd version.
  atomic_thread_fence(memory_order_release);
}

static void end_moving(void) {
  // release: moved entries are seen before the even version.
  atomic_store_explicit(&kvos_objectVersion, atomic_load_explicit(&kvos_objectVersion, memory_order_relaxed) + 1,
                        memory_order_release);
}

static void fill(KVOSObjectTable *into, uint64_t at, KVOSTracked *object, uintptr_t address) {
  into->slots[at].object = object;
  // release: a thread that sees the address sees the complete object.
  atomic_store_explicit(&into->slots[at].address, address, memory_order_release);
  // release: a thread that sees the mark sees the address.
  atomic_store_explicit(&into->marks[at], mark_of(address), memory_order_release);
}

static bool is_free(const KVOSObjectTable *present, uint64_t at) {
  return atomic_load_explicit(&present->marks[at], memory_order_relaxed) == 0;
}

static void insert(KVOSObjectTable *into, KVOSTracked *object) {
  uintptr_t address = (uintptr_t)object->address;
  uint64_t at = kvos_object_home(address, into->mask);
  while (!is_free(into, at)) at = (at + 1) & into->mask;
  fill(into, at, object, address);
}

static KVOSObjectTable *make_table(uint64_t size) {
  KVOSObjectTable *made = calloc(1, sizeof *made + size);
  KVOSObjectSlot *slots = made ? calloc(size, sizeof *slots) : NULL;
  if (slots == NULL) {
    free(made);
    return NULL;
  }
  made->mask = size - 1;
  made->slots = slots;
  return made;
}

static bool make_room(void) {
  KVOSObjectTable *present = atomic_load_explicit(&kvos_objectTable, memory_order_relaxed);
  if ((liveCount + 1) * 2 <= present->mask) return true;
  KVOSObjectTable *larger = make_table(present == &noObjects ? 1024 : (present->mask + 1) * 2);
  if (larger == NULL) return false;
  for (uint64_t at = 0; at <= present->mask; at++) {
    if (!is_free(present, at)) insert(larger, present->slots[at].object);
  }
  begin_moving();
  atomic_store_explicit(&kvos_objectTable, larger, memory_order_release);
  end_moving();
  return true;
}

static KVOSTracked *track(const void *address, bool isForwarder) {
  KVOSTracked *object = probe(atomic_load_explicit(&kvos_objectTable, memory_order_relaxed), (uintptr_t)address);
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
  atomic_store_explicit(&object->deallocatedCount, 0, memory_order_relaxed);
  atomic_store_explicit(&object->additionCount, 0, memory_order_relaxed);
  atomic_store_explicit(&object->isSilenced, false, memory_order_relaxed);
  atomic_store_explicit(&object->isForgotten, false, memory_order_relaxed);
  object->preparedClass = NULL;
  object->passesOn = object->isPassedOn = object->hasChangedClass = false;
  object->observed = NULL;
  object->observing = NULL;
  insert(atomic_load_explicit(&kvos_objectTable, memory_order_relaxed), object);
  liveCount++;
  return object;
}

KVOSTracked *kvos_track(const void *address) {
  KVOSTracked *dying = kvos_find_dying(address);
  return dying ? dying : track(address, false);
}

// MARK: - Deallocated observers

enum {
  deallocatedLimit = 64
};
static KVOSDeallocated deallocated[deallocatedLimit];
static unsigned deallocatedCount;

void kvos_remember_deallocated(const KVOSTracked *observer) {
  deallocated[deallocatedCount++ % deallocatedLimit] =
      (KVOSDeallocated){observer->address, observer->id, observer->className};
}

KVOSDeallocated kvos_find_deallocated(const void *address) {
  for (unsigned turn = 1; turn <= deallocatedLimit && turn <= deallocatedCount; turn++) {
    KVOSDeallocated each = deallocated[(deallocatedCount - turn) % deallocatedLimit];
    if (each.address == address) return each;
  }
  return (KVOSDeallocated){NULL, 0, 0};
}

// Whether memory is mapped at the address: that of a large object is unmapped when it is deallocated. Also true if the
// system does not say it, as under a filter of system calls, and for libobjc2's small objects, which have no memory.
static bool is_mapped(const void *address) {
  uintptr_t word = 0;
  if ((uintptr_t)address % sizeof word != 0) return true;
  return kvos_read_words((uintptr_t)address, &word, 1) || !kvos_read_words((uintptr_t)&word, &word, 1);
}

bool kvos_is_forwarder_at(const void *address) {
  return (kvos_find_object(address) || is_mapped(address)) && kvos_is_forwarder(address);
}

bool kvos_is_live(const void *subject, const void *observer) {
  if (kvos_find_known(observer)) return true;
  if (!is_mapped(observer)) return false;
  kvos_lock_registry();
  bool isDoubtful = kvos_find_deallocated(observer).id != 0 || kvos_is_left(kvos_find_object(subject), observer);
  kvos_unlock_registry();
  return kvos_is_object(observer, isDoubtful);
}

// MARK: - The Foundation's own observers

void kvos_track_forwarder(const void *address, const KVOSTracked *target, const KVOSTracked *root) {
  KVOSTracked *object = track(address, true);
  if (object == NULL) return;
  object->forwardsTo = target->address;
  object->forwardsToID = target->id;
  object->pathOf = root->address;
  object->pathOfID = root->id;
}

void kvos_untrack(KVOSTracked *object) {
  KVOSObjectTable *present = atomic_load_explicit(&kvos_objectTable, memory_order_relaxed);
  uint64_t gap = kvos_object_home((uintptr_t)object->address, present->mask);
  while (is_free(present, gap) || present->slots[gap].object != object) {
    gap = (gap + 1) & present->mask;
  }
  begin_moving();
  // Removal shifts back later entries whose probe sequence passes the gap.
  for (uint64_t at = (gap + 1) & present->mask;; at = (at + 1) & present->mask) {
    if (is_free(present, at)) break;
    uintptr_t address = atomic_load_explicit(&present->slots[at].address, memory_order_relaxed);
    uint64_t wanted = kvos_object_home(address, present->mask);
    if (((at - wanted) & present->mask) < ((at - gap) & present->mask)) continue;
    atomic_store_explicit(&present->slots[gap].address, 1, memory_order_relaxed);
    fill(present, gap, present->slots[at].object, address);
    gap = at;
  }
  atomic_store_explicit(&present->slots[gap].address, 0, memory_order_relaxed);
  atomic_store_explicit(&present->marks[gap], 0, memory_order_release);
  end_moving();
  liveCount--;
}

void kvos_recycle(KVOSTracked *object) {
  object->address = NULL;
  object->nextFree = freeObjects;
  freeObjects = object;
}
