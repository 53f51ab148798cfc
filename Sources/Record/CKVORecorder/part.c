// One file of the log: its mapping and its growth.

#include "recorder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <fcntl.h>
#include <unistd.h>

#include "CKVOChecksum.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

const uint8_t kvos_file_magic[8] = {0x89, 'K', 'V', 'O', 'L', '\r', '\n', 0x1A};

// How much a part grows by: little for a small log, and for a large one not often.
static const uint64_t leastGrowth = 64 << 10;
static const uint64_t mostGrowth = 1 << 20;

// MARK: - Descriptors

int kvos_move_high(int descriptor) {
  // Above the descriptors that programs rely on: one that closes its first ten, or expects its own to begin at 3,
  // behaves as without a log.
  struct rlimit limit;
  if (descriptor < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return descriptor;
  rlim_t highest = limit.rlim_cur < 1024 ? limit.rlim_cur : 1024;
  int moved = -1;
  for (rlim_t least = highest - highest / 8; moved < 0 && least > 16; least /= 2) {
    moved = fcntl(descriptor, F_DUPFD_CLOEXEC, (int)least);
  }
  if (moved < 0) return descriptor;
  close(descriptor);
  return moved;
}

// MARK: - Growing

// Writes zeros. Returns an errno.
static int write_zeros(int descriptor, uint64_t offset, uint64_t byteCount) {
  // Never written to: all its pages are the kernel's zero page.
  static uint8_t zeros[64 << 10];
  for (uint64_t done = 0; done < byteCount;) {
    uint64_t left = byteCount - done;
    size_t step = left < sizeof zeros ? (size_t)left : sizeof zeros;
    ssize_t count = pwrite(descriptor, zeros, step, (off_t)(offset + done));
    if (count <= 0) return count < 0 ? errno : ENOSPC;
    done += (uint64_t)count;
  }
  return 0;
}

// Reserves the bytes on disk. Exceeding a limit on the size of files raises a signal that ends the process, so the
// limit is checked first, and the signal is blocked in case the limit was lowered since.
static int reserve(int descriptor, uint64_t offset, uint64_t byteCount) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && offset + byteCount > limit.rlim_cur) {
    return EFBIG;
  }
  sigset_t sizeSignal, previous;
  sigemptyset(&sizeSignal);
  sigaddset(&sizeSignal, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &sizeSignal, &previous);
  int code;
  do {
    code = fallocate(descriptor, 0, (off_t)offset, (off_t)byteCount) == 0 ? 0 : errno;
  } while (code == EINTR);
  if (code == EOPNOTSUPP || code == ENOSYS) {
    // The file system cannot reserve space: written zeros are equivalent.
    code = write_zeros(descriptor, offset, byteCount);
  } else if (code == 0) {
    // A written page is present; one that is only reserved is faulted in on first access, at six times the cost. None
    // of these bytes is allocated yet. If this fails, they are faulted in later. Not the last page: if the file were
    // truncated in the meantime, this would restore its length, and the truncation would go unnoticed.
    if (byteCount > KVOS_PAGE) (void)write_zeros(descriptor, offset, byteCount - KVOS_PAGE);
  }
  if (code == EFBIG) {
    struct timespec atOnce = {0, 0};
    sigtimedwait(&sizeSignal, NULL, &atOnce);
  }
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  return code;
}

bool kvos_has_descriptor(const KVOSPart *part) {
  struct stat status;
  if (part->descriptor < 0) return false;
  if (fstat(part->descriptor, &status) != 0) return errno != EBADF;
  if (!S_ISREG(status.st_mode)) return false;
  // A file that was cut may lack its head: kvos_check_damage() finds that.
  if ((uint64_t)status.st_size < atomic_load_explicit(&part->allocated, memory_order_relaxed)) return true;
  KVOSHead head;
  ssize_t count = pread(part->descriptor, &head, offsetof(KVOSHead, zero), 0);
  if (count < (ssize_t)offsetof(KVOSHead, zero)) return count < 0;
  return memcmp(head.magic, kvos_file_magic, sizeof head.magic) == 0 && head.part == part->number &&
         memcmp(head.session, part->session, sizeof head.session) == 0;
}

bool kvos_check_damage(KVOSPart *part) {
  if (atomic_load_explicit(&part->damage, memory_order_relaxed) != KVOS_WHOLE) return true;
  struct stat status;
  if (!kvos_has_descriptor(part) || fstat(part->descriptor, &status) != 0) return false;
  uint64_t allocated = atomic_load_explicit(&part->allocated, memory_order_relaxed);
  uint32_t damage = (uint64_t)status.st_size < allocated ? KVOS_CUT : status.st_nlink == 0 ? KVOS_DELETED : KVOS_WHOLE;
  if (damage != KVOS_WHOLE) atomic_store_explicit(&part->damage, damage, memory_order_relaxed);
  return damage != KVOS_WHOLE;
}

int kvos_allocate(KVOSPart *part, uint64_t byteCount) {
  uint64_t allocated = atomic_load_explicit(&part->allocated, memory_order_relaxed);
  if (allocated > 0 && !kvos_has_descriptor(part)) {
    part->descriptor = -1;
    part->isFull = true;
    return EBADF;
  }
  // Growing a file that another program truncated would fill it with zeros, and hide the truncation.
  if (kvos_check_damage(part)) return ESTALE;
  uint64_t growth = allocated / 2 & ~(uint64_t)(KVOS_PAGE - 1);
  if (growth < leastGrowth) growth = leastGrowth;
  if (growth > mostGrowth) growth = mostGrowth;
  if (growth < byteCount) growth = (byteCount + KVOS_PAGE - 1) & ~(uint64_t)(KVOS_PAGE - 1);
  uint64_t room = atomic_load_explicit(&part->byteCount, memory_order_relaxed) - allocated;
  if (growth > room) growth = room;
  if (growth < byteCount) return ENOBUFS;
  if (!kvos_begin_asking_for_room(part)) return part->refusal;
  int code = reserve(part->descriptor, allocated, growth);
  if (code != 0 && growth > byteCount) {
    growth = (byteCount + KVOS_PAGE - 1) & ~(uint64_t)(KVOS_PAGE - 1);
    code = reserve(part->descriptor, allocated, growth);
  }
  if (code != 0) {
    kvos_note_refusal(part, code);
    return code;
  }
  part->refusal = 0;
  kvos_refuse(part, 0, 0);
  // The mapping past the end of the file stays unreadable: a tool that reads all memory of a process, as
  // valgrind does when it looks for leaks, would be signaled at each page.
  if (mprotect(part->base + allocated, growth, PROT_READ | PROT_WRITE) != 0) return errno;
  // release: a thread that takes bytes below it may write them.
  atomic_store_explicit(&part->allocated, allocated + growth, memory_order_release);
  return 0;
}

uint64_t kvos_take(KVOSPart *part, uint64_t byteCount, uint64_t reserve) {
  uint64_t claimed = atomic_load_explicit(&part->claimed, memory_order_relaxed);
  do {
    // acquire: pairs with the release in kvos_allocate().
    uint64_t allocated = atomic_load_explicit(&part->allocated, memory_order_acquire);
    if (claimed + byteCount + reserve > allocated) return 0;
  } while (!atomic_compare_exchange_weak_explicit(&part->claimed, &claimed, claimed + byteCount, memory_order_relaxed,
                                                  memory_order_relaxed));
  return claimed;
}

// MARK: - The file

// A second reading of both clocks, a little later, so that a log that ends at once has a rate too.
static void read_clocks(KVOSHead *head) {
  head->firstNanoseconds = kvos_nanoseconds();
  head->firstTick = kvos_tick();
  do {
    head->secondNanoseconds = kvos_nanoseconds();
    head->secondTick = kvos_tick();
  } while (head->secondNanoseconds - head->firstNanoseconds < 50000);
}

// Undoes a file that could not be begun.
static void discard(KVOSPart *part) {
  munmap(part->base, atomic_load_explicit(&part->byteCount, memory_order_relaxed));
  free((void *)part->closed);
  free(part);
}

KVOSPart *kvos_map_part(int descriptor, uint32_t number, uint64_t byteCount, const uint32_t session[2]) {
  KVOSPart *part = calloc(1, sizeof *part);
  if (part == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  void *base = mmap(NULL, byteCount, PROT_NONE, MAP_SHARED, descriptor, 0);
  if (base == MAP_FAILED) {
    int code = errno;
    free(part);
    errno = code;
    return NULL;
  }
  part->closed = calloc(byteCount / KVOS_PAGE, 1);
  if (part->closed == NULL) {
    munmap(base, byteCount);
    free(part);
    errno = ENOMEM;
    return NULL;
  }
  // The child of a fork does not write here.
  madvise(base, byteCount, MADV_DONTFORK);
  part->base = base;
  part->descriptor = descriptor;
  part->number = number;
  part->session[0] = session[0];
  part->session[1] = session[1];
  part->process = getpid();
  part->beginNanoseconds = kvos_nanoseconds();
  part->beginTick = kvos_tick();
  atomic_init(&part->byteCount, byteCount);
  int code = kvos_allocate(part, KVOS_PAGE);
  if (code != 0) {
    discard(part);
    errno = code;
    return NULL;
  }
  // Not through the mapping: another program may truncate the file at any time, and no handler knows this file yet.
  KVOSHead head = {
      .version = 1, .flags = KVOS_ACCOUNTED, .session = {session[0], session[1]}, .part = number, .length = KVOS_PAGE};
  memcpy(head.magic, kvos_file_magic, sizeof head.magic);
  read_clocks(&head);
  head.checksum = kvos_checksum(&head, offsetof(KVOSHead, checksum), 0);
  if (pwrite(descriptor, &head, sizeof head, 0) != (ssize_t)sizeof head) {
    code = errno != 0 ? errno : EIO;
    discard(part);
    errno = code;
    return NULL;
  }
  atomic_store_explicit(&part->claimed, KVOS_PAGE, memory_order_relaxed);
  return part;
}

void kvos_end_part(KVOSPart *part, KVOSEnd end) {
  bool hasDescriptor = kvos_has_descriptor(part);
  uint64_t claimed = atomic_load_explicit(&part->claimed, memory_order_relaxed);
  atomic_store_explicit(&part->allocated, claimed, memory_order_release);
  if (atomic_load_explicit(&part->damage, memory_order_relaxed) == KVOS_WHOLE) {
    atomic_store_explicit(&kvos_head(part)->end, end, memory_order_release);
    uint64_t rest = (claimed + KVOS_PAGE - 1) & ~(uint64_t)(KVOS_PAGE - 1);
    uint64_t byteCount = atomic_load_explicit(&part->byteCount, memory_order_relaxed);
    if (byteCount > rest) (void)!mprotect(part->base + rest, byteCount - rest, PROT_NONE);
    if (hasDescriptor) (void)!ftruncate(part->descriptor, (off_t)claimed);
  }
  if (hasDescriptor) close(part->descriptor);
  part->descriptor = -1;
}

bool kvos_cover_part(KVOSPart *part) {
  uint64_t byteCount = atomic_load_explicit(&part->byteCount, memory_order_relaxed);
  return mmap(part->base, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
              -1, 0) != MAP_FAILED;
}

void kvos_drop_part(KVOSRecorder *recorder, KVOSPart *part) {
  uint64_t byteCount = atomic_load_explicit(&part->byteCount, memory_order_relaxed);
  if (byteCount == 0) return;
  bool isUsed = !part->isCovered || recorder->helper.part == part;
  for (KVOSWriter *writer = recorder->writers; writer && !isUsed; writer = writer->next) {
    isUsed = writer->part == part;
  }
  if (isUsed) {
    // A thread may be in the middle of a record, or not run for hours; or have looked up the part just now, to count a
    // loss. So it is unmapped with a later one at the earliest.
    if (!part->isCovered) part->isCovered = kvos_cover_part(part);
    return;
  }
  atomic_store_explicit(&part->byteCount, 0, memory_order_relaxed);
  munmap(part->base, byteCount);
  free((void *)part->closed);
  part->closed = NULL;
}

KVOSPart *kvos_part_containing(const void *address) {
  KVOSRecorder *recorder = kvos_recorder();
  // acquire: pairs with the release of the thread that began the part.
  KVOSPart *part = atomic_load_explicit(&recorder->parts, memory_order_acquire);
  for (; part; part = part->previous) {
    uint64_t byteCount = atomic_load_explicit(&part->byteCount, memory_order_relaxed);
    if ((const uint8_t *)address >= part->base && (const uint8_t *)address < part->base + byteCount) {
      return part;
    }
  }
  return NULL;
}
