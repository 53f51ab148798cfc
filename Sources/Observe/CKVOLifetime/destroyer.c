// The races that this file must survive, and the answer to each:
//
// 1. Two threads patch one class: `patching` is held while the slot is read and replaced.
// 2. An instance is deallocated while its class is being patched: the slot is one aligned word,
//    stored with release after the original is in the table; the deallocating thread sees the old
//    entry or the new one, and through the new one finds the original (acquire in `original_of`).
// 3. An instance is deallocated before its watch began: impossible, the caller holds it.
// 4. A subclass's destroyer runs its superclass's: it calls the destroying deinit, which is not the
//    patched entry, so one deallocation is one call.
// 5. The memory is reused while the end of the deallocation is being handled: the object is held by an unowned
//    reference from before deinit until after the callback, and the runtime frees the memory with the last of those.
// 6. The process is torn down while objects are deallocated: nothing is ever unpatched or freed.
// 7. The counter of one object is shared with others of the same hash: it means "perhaps"; the callback decides.
// 8. An isolated deinit on a thread that is not its actor's: the destroyer only hands the object to the actor. The
//    runtime releases the unowned reference that an object has to itself when its deinit is done; while it exists the
//    end is deferred (`pending`), with our own unowned reference, so that the memory is not reused before the end is
//    reported.

#define _GNU_SOURCE
#include "CKVOLifetime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// A destroyer receives the object in the register of Swift's `self`.
#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))
typedef SWIFT_CALL void (*Destroyer)(SWIFT_SELF void *object);

// Swift's runtime (runtime/HeapObject.h), with what the header declares.
extern size_t swift_unownedRetainCount(void *object);

enum {
  classCapacity = 16384,
  counterCount = 65536,
  destroyerWord = -2,
  // How many deferred ends a watch or a deallocation looks at: those of a busy actor may be many.
  settledAtOnce = 8
};

typedef struct {
  _Atomic(const void *) metadata;
  Destroyer original;  // written before `metadata` is, never again
} PatchedClass;

static PatchedClass classes[classCapacity];
static size_t classCount;  // under `patching`
static pthread_mutex_t patching = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint counters[counterCount];
static _Atomic(KVOSDeallocationBegins) deallocationBegins;
static _Atomic(KVOSDeallocationEnded) deallocationEnded;

typedef struct Pending {
  struct Pending *next;
  void *object;
  void *token;
  size_t countBefore;
} Pending;

// Oldest first, and where the next one goes; under `pendingLock`, which is never held while calling out.
static Pending *pending;
static Pending **pendingEnd = &pending;
static pthread_mutex_t pendingLock = PTHREAD_MUTEX_INITIALIZER;
// How many there are, changed under the lock. relaxed: a thread that misses the newest will find it the next time.
static atomic_size_t pendingCount;

static inline size_t hash(const void *pointer) {
  return (size_t)(((uintptr_t)pointer >> 4) * 0x9E3779B97F4A7C15u >> 40);
}

static inline atomic_uint *counter_of(const void *object) { return &counters[hash(object) % counterCount]; }

// The slot of `metadata`, or the free one where it would be.
static PatchedClass *slot_of(const void *metadata) {
  for (size_t index = hash(metadata) % classCapacity;; index = (index + 1) % classCapacity) {
    // acquire: pairs with the release in patch(), so that `original` is there.
    const void *found = atomic_load_explicit(&classes[index].metadata, memory_order_acquire);
    if (found == metadata || found == NULL) return &classes[index];
  }
}

void kvos_set_deallocation_callbacks(KVOSDeallocationBegins begins, KVOSDeallocationEnded ended) {
  KVOSDeallocationEnded noneEnded = NULL;
  KVOSDeallocationBegins noneBegins = NULL;
  // `ended` first: a thread that sees `begins` (acquire in the destroyer) sees it as well.
  atomic_compare_exchange_strong_explicit(&deallocationEnded, &noneEnded, ended, memory_order_relaxed,
                                          memory_order_relaxed);
  atomic_compare_exchange_strong_explicit(&deallocationBegins, &noneBegins, begins, memory_order_release,
                                          memory_order_relaxed);
}

// Whether the deinit of an object that had `countBefore` unowned references is done. Unowned references that are added
// or released at this moment can make the result late, or early.
static int is_over(void *object, size_t countBefore) { return swift_unownedRetainCount(object) < countBefore; }

static void kvos_report_end(void *object, void *token) {
  atomic_load_explicit(&deallocationEnded, memory_order_relaxed)(token);
  swift_unownedRelease(object);
}

static void append(Pending *entry) {
  entry->next = NULL;
  *pendingEnd = entry;
  pendingEnd = &entry->next;
}

// Reports those that are over among the `limit` that were looked at longest ago.
static void settle(size_t limit) {
  if (atomic_load_explicit(&pendingCount, memory_order_relaxed) == 0) return;
  Pending *over = NULL;
  Pending **overEnd = &over;
  pthread_mutex_lock(&pendingLock);
  size_t count = atomic_load_explicit(&pendingCount, memory_order_relaxed);
  for (count = count < limit ? count : limit; count > 0; count--) {
    Pending *entry = pending;
    pending = entry->next;
    if (pending == NULL) pendingEnd = &pending;
    if (is_over(entry->object, entry->countBefore)) {
      entry->next = NULL;
      *overEnd = entry;
      overEnd = &entry->next;
      atomic_fetch_sub_explicit(&pendingCount, 1, memory_order_relaxed);
    } else {
      append(entry);
    }
  }
  pthread_mutex_unlock(&pendingLock);
  while (over != NULL) {
    Pending *entry = over;
    over = entry->next;
    kvos_report_end(entry->object, entry->token);
    free(entry);
  }
}

void kvos_settle_deallocations(void) { settle(SIZE_MAX); }

// False if there is no memory to store the object.
static int kvos_put_aside(void *object, void *token, size_t countBefore) {
  Pending *entry = malloc(sizeof *entry);
  if (entry == NULL) return 0;
  entry->object = object;
  entry->token = token;
  entry->countBefore = countBefore;
  pthread_mutex_lock(&pendingLock);
  append(entry);
  atomic_fetch_add_explicit(&pendingCount, 1, memory_order_relaxed);
  pthread_mutex_unlock(&pendingLock);
  return 1;
}

static SWIFT_CALL void kvos_destroyer(SWIFT_SELF void *object) {
  Destroyer original = slot_of(*(const void *const *)object)->original;
  // relaxed: the watch of this object happened before its last release, and so before this.
  if (atomic_load_explicit(counter_of(object), memory_order_relaxed) == 0) {
    original(object);
    return;
  }
  KVOSDeallocationBegins begins = atomic_load_explicit(&deallocationBegins, memory_order_acquire);
  void *token = begins ? begins(object) : NULL;
  if (token == NULL) {
    original(object);
    return;
  }
  swift_unownedRetain(object);
  size_t countBefore = swift_unownedRetainCount(object);
  original(object);
  if (is_over(object, countBefore) || !kvos_put_aside(object, token, countBefore)) {
    kvos_report_end(object, token);
  }
  settle(settledAtOnce);
}

// Replaces the destroyer of a class. Called with `patching` held.
static int patch(PatchedClass *patched, const void *metadata, _Atomic(Destroyer) *slot) {
  if (classCount >= classCapacity / 2) return -1;
  uintptr_t pageSize = (uintptr_t)sysconf(_SC_PAGESIZE);
  void *page = (void *)((uintptr_t)slot & ~(pageSize - 1));
  // Metadata of some classes is read-only after relocation. The page stays writable: other words of
  // it may be written by the runtime, and the previous protection cannot be queried.
  if (mprotect(page, pageSize, PROT_READ | PROT_WRITE) != 0) return -1;
  patched->original = atomic_load_explicit(slot, memory_order_relaxed);
  atomic_store_explicit(&patched->metadata, metadata, memory_order_release);
  atomic_store_explicit(slot, kvos_destroyer, memory_order_release);
  classCount++;
  return 0;
}

int kvos_watch_deallocation(const void *object) {
  settle(settledAtOnce);
  const void *metadata = *(const void *const *)object;
  _Atomic(Destroyer) *slot = (_Atomic(Destroyer) *)metadata + destroyerWord;
  if (atomic_load_explicit(slot, memory_order_acquire) != kvos_destroyer) {
    int status = 0;
    pthread_mutex_lock(&patching);
    PatchedClass *patched = slot_of(metadata);
    if (atomic_load_explicit(&patched->metadata, memory_order_relaxed) == NULL) {
      status = patch(patched, metadata, slot);
    }
    pthread_mutex_unlock(&patching);
    if (status != 0) return status;
  }
  atomic_fetch_add_explicit(counter_of(object), 1, memory_order_relaxed);
  return 0;
}

void kvos_unwatch_deallocation(const void *object) {
  atomic_fetch_sub_explicit(counter_of(object), 1, memory_order_relaxed);
}
