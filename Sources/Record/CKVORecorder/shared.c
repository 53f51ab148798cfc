// One recorder for a process, however many copies of this code it has loaded: a library that was preloaded and one that
// is linked in write one log.

#include "crash.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "CKVOUnwind.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

_Atomic(KVOSRecorder *) kvos_shared_recorder;

static KVOSRecorder own;
static pthread_once_t ownOnce = PTHREAD_ONCE_INIT;
static pthread_key_t writerKey;
__thread KVOSWriter *kvos_own_writer;

// MARK: - The writers of threads

// Writers whose threads have ended, for reuse. Guarded by the recorder's lock.
static KVOSWriter *idleWriters;

// Of a thread whose writer has ended: how many segments it has in which part. What ends with the thread after that may
// record, too, with another writer, which must not count from 0 again.
static __thread struct {
  KVOSPart *partOfIndex;
  KVOSPart *namedIn;
  uint32_t nextIndex;
} ended __attribute__((tls_model("initial-exec")));

static void thread_ends(void *object) {
  KVOSWriter *writer = object;
  kvos_own_writer = NULL;
  ended.partOfIndex = writer->partOfIndex;
  ended.namedIn = writer->namedIn;
  ended.nextIndex = writer->nextIndex;
  kvos_take_signal_stack(writer);
  kvos_lock(&own);
  writer->epoch = 0;
  kvos_close_segment(&own, writer);
  for (KVOSWriter **link = &own.writers; *link; link = &(*link)->next) {
    if (*link != writer) continue;
    *link = writer->next;
    writer->next = idleWriters;
    idleWriters = writer;
    break;
  }
  kvos_unlock(&own);
}

__attribute__((noinline)) static KVOSWriter *make_writer(void) {
  kvos_lock(&own);
  KVOSWriter *writer = idleWriters;
  if (writer) {
    idleWriters = writer->next;
    // The losses of its previous thread are already counted for the log, and the new thread reports them.
    uint64_t lost = atomic_load_explicit(&writer->lost, memory_order_relaxed);
    *writer = (KVOSWriter){.lost = lost, .signalStack = writer->signalStack, .recentStacks = writer->recentStacks};
  } else {
    writer = calloc(1, sizeof *writer);
  }
  if (writer) {
    writer->type = KVOS_EVENTS;
    writer->thread = (kvos_thread_number() << 2) + 1;
    writer->partOfIndex = ended.partOfIndex;
    writer->namedIn = ended.namedIn;
    writer->nextIndex = ended.nextIndex;
    writer->nextByteCount = KVOS_FIRST_SEGMENT;
    writer->next = own.writers;
    own.writers = writer;
  }
  kvos_unlock(&own);
  if (writer == NULL) return NULL;
  kvos_own_writer = writer;
  pthread_setspecific(writerKey, writer);
  return writer;
}

static KVOSWriter *own_writer(void) { return KVOS_LIKELY(kvos_own_writer != NULL) ? kvos_own_writer : make_writer(); }

static KVOSWriter *known_writer(void) { return kvos_own_writer; }

uint32_t kvos_ended_segment_count(const KVOSPart *part) { return ended.partOfIndex == part ? ended.nextIndex : 0; }

KVOSWriter *kvos_find_writer(void) {
  KVOSRecorder *recorder = kvos_recorder();
  return recorder == &own ? make_writer() : recorder->writerOfThread();
}

// MARK: - The recorder

static void make_own(void) {
  kvos_make_lock(&own);
  pthread_key_create(&writerKey, thread_ends);
  kvos_find_counter();
  void *page = mmap(NULL, KVOS_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Without the page or its wiping, pthread_atfork() does the same for every fork except a bare clone.
  static _Atomic uint64_t epoch;
  if (page != MAP_FAILED && madvise(page, KVOS_PAGE, MADV_WIPEONFORK) == 0) {
    own.epoch = page;
  } else {
    own.epoch = &epoch;
  }
  own.tables.type = KVOS_TABLES;
  own.shards = kvos_own_shards();
  own.writerOfThread = own_writer;
  pthread_atfork(kvos_fork_begins, kvos_fork_ends, kvos_fork_happened);
  own.knownWriterOfThread = known_writer;
  atomic_store_explicit(own.epoch, 1, memory_order_relaxed);
  own.lastEpoch = 1;
}

/// The symbol that copies find each other by. Its number is that of the layout of KVOSRecorder.
__attribute__((visibility("default"), used)) KVOSRecorder *kvos_recorder_v9(void) {
  pthread_once(&ownOnce, make_own);
  return &own;
}

KVOSRecorder *kvos_find_recorder(void) {
  KVOSRecorder *(*find)(void) = (KVOSRecorder * (*)(void)) dlsym(RTLD_DEFAULT, "kvos_recorder_v9");
  KVOSRecorder *found = find ? find() : kvos_recorder_v9();
  kvos_find_counter();
  // release: pairs with the acquire in kvos_recorder(). Two threads find the same one.
  atomic_store_explicit(&kvos_shared_recorder, found, memory_order_release);
  return found;
}
