// The stack of the calling thread, as an id.
//
// Runs on threads of the program: nothing here calls back, and the only allocation is that of a new name.
//
// Unwinding costs about ten times what following the frame pointers does, and most stacks are taken again and again. So
// a stack is found by its frame pointers once it was seen that they cover all of it: the addresses that libunwind found
// begin with those of the frame pointers, and what follows is the start of the thread alone, in the C library and
// `_start`. That is a property of the code at those addresses, not of one moment: whether a function keeps a frame
// pointer is the same at each execution of one call. The distance of the last frame from the end of the stack is part
// of the key, so that the frames above it are the same as well.
//
// If functions keep no frame pointers, as in optimized C and Objective-C, a stack is found by the locations of
// its return addresses: a thread that captured the same one twice from the same call site gets their locations
// from libunwind, and from then on checks whether all of them are there. Where a frame begins follows from
// where the one below it ends and from the code at its return address, except for functions that allocate on
// the stack dynamically: those would have to leave every one of the old addresses at its old location, up to
// the start of the thread.

#include "recorder.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "CKVOUnwind.h"

// MARK: - The start of a thread

typedef struct {
  uintptr_t inside, start, end;
} Image;

static int find_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  Image *image = context;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    if (image->inside < start || image->inside >= start + header->p_memsz) continue;
    image->start = start;
    image->end = start + header->p_memsz;
    return 1;
  }
  return 0;
}

static Image library;
static pthread_once_t libraryOnce = PTHREAD_ONCE_INIT;

static void find_library(void) {
  library.inside = (uintptr_t)dlsym(RTLD_DEFAULT, "__libc_start_main");
  if (library.inside != 0) dl_iterate_phdr(find_image, &library);
}

static bool starts_thread(uintptr_t address) {
  pthread_once(&libraryOnce, find_library);
  uintptr_t entry = getauxval(AT_ENTRY);
  return (address >= library.start && address < library.end) || (address >= entry && address < entry + 64);
}

// MARK: - Stacks by frame pointers

// The stack that begins with these frames, under a hash which says that they cover all of it.
static uint32_t find_known(KVOSRecorder *recorder, uint64_t hash, const uintptr_t *frames, size_t count) {
  return kvos_find_in(&recorder->knownStacks, &recorder->stacks, hash, (const uint8_t *)frames, count * sizeof *frames,
                      true);
}

static void remember(KVOSRecorder *recorder, uint64_t hash, uint32_t id, const uintptr_t *frames, size_t count) {
  kvos_lock(recorder);
  if (find_known(recorder, hash, frames, count) == 0) {
    kvos_index_add(&recorder->knownStacks, hash, id);
  }
  kvos_unlock(recorder);
}

// Whether `frames`, from the frame pointers, cover all of `stack` but the functions that start a thread.
static bool is_covered(const uintptr_t *frames, size_t count, const uintptr_t *stack, size_t stackCount) {
  if (count == 0 || count > stackCount || memcmp(frames, stack, count * sizeof *frames) != 0) {
    return false;
  }
  for (size_t at = count; at < stackCount; at++) {
    if (!starts_thread(stack[at])) return false;
  }
  return true;
}

// MARK: - Stacks by the stack slots of their return addresses

// Two alternating calls must not evict each other: each can be in one of four slots.
#define SET_COUNT 8u
#define WAY_COUNT 4u
#define SLOT_LIMIT 32u
#define FAILURE_LIMIT 8u

// The frame and the caller at which a stack was captured.
typedef struct {
  uintptr_t frame;
  uintptr_t caller;
} Spot;

// A stack, keyed by the spot at which it was captured.
typedef struct {
  uint32_t id;
  /// 0: the locations are not known.
  uint16_t count;
  /// How often another stack was found there; if too often, the locations are not requested again.
  uint16_t failureCount;
  /// The distance from the frame.
  uint32_t slots[SLOT_LIMIT];
  /// Of a shallow stack, the two words of each frame.
  uintptr_t addresses[SLOT_LIMIT];
} Recent;

/// Belongs to one thread. A signal handler of the thread that captures a stack while an entry is being written does not
/// use them.
typedef struct KVOSRecentStacks {
  volatile bool isBeingWritten;
  /// The slot of a set that is replaced next.
  uint8_t oldest[SET_COUNT];
  /// Apart from the stacks: those of a set lie in one line of the processor's cache.
  _Alignas(64) Spot spots[SET_COUNT][WAY_COUNT];
  Recent all[SET_COUNT][WAY_COUNT];
} RecentStacks;

static RecentStacks *recent_stacks(void) {
  KVOSWriter *writer = kvos_writer();
  if (writer == NULL) return NULL;
  if (KVOS_UNLIKELY(writer->recentStacks == NULL)) {
    void *memory = aligned_alloc(_Alignof(RecentStacks), sizeof(RecentStacks));
    if (memory) memset(memory, 0, sizeof(RecentStacks));
    writer->recentStacks = memory;
  }
  RecentStacks *recent = writer->recentStacks;
  return recent && !recent->isBeingWritten ? recent : NULL;
}

static uint32_t set_of(uintptr_t frame, uintptr_t caller) {
  return (uint32_t)(((frame >> 4) * 31 + caller) * 0x9E3779B97F4A7C15u >> 61);
}

static Recent *find_spot(RecentStacks *recent, uintptr_t frame, uintptr_t caller) {
  uint32_t set = set_of(frame, caller);
  for (uint32_t way = 0; way < WAY_COUNT; way++) {
    const Spot *spot = &recent->spots[set][way];
    if (spot->frame == frame && spot->caller == caller) return &recent->all[set][way];
  }
  return NULL;
}

// The same; if there is none, one that belonged to another spot.
static Recent *take_spot(RecentStacks *recent, uintptr_t frame, uintptr_t caller) {
  Recent *known = find_spot(recent, frame, caller);
  if (known) return known;
  uint32_t set = set_of(frame, caller);
  uint32_t way = recent->oldest[set]++ % WAY_COUNT;
  recent->spots[set][way] = (Spot){frame, caller};
  return &recent->all[set][way];
}

// The id of the stack, if it is the one that was there before. Reads only the thread's own stack.
__attribute__((no_sanitize("address", "thread"))) static uint32_t find_recent(const Recent *known, uintptr_t frame) {
  if (known == NULL || known->count == 0) return 0;
  for (uint32_t at = 0; at < known->count; at++) {
    if (*(const uintptr_t *)(frame + known->slots[at]) != known->addresses[at]) return 0;
  }
  return known->id;
}

// Finds the locations of the stack's return addresses. Returns false if they are unknown.
__attribute__((noinline)) static bool find_slots(Recent *known, uintptr_t frame, uintptr_t caller, uintptr_t distance) {
  uintptr_t frames[SLOT_LIMIT + 8], slots[SLOT_LIMIT + 8];
  int found = kvos_capture_slots(frames, slots, SLOT_LIMIT + 8);
  int own = 0;
  while (own < found && frames[own] != caller) own++;
  size_t stackCount = 0;
  const uintptr_t *stack = kvos_stack(known->id, &stackCount);
  size_t count = (size_t)(found - own);
  if (count == 0 || count > SLOT_LIMIT || count != stackCount ||
      memcmp(frames + own, stack, count * sizeof *stack) != 0) {
    return false;
  }
  for (size_t at = 0; at < count; at++) {
    uintptr_t offset = slots[own + (int)at] - frame;
    if (offset + sizeof(uintptr_t) > distance) return false;
    known->slots[at] = (uint32_t)offset;
    known->addresses[at] = stack[at];
  }
  known->count = (uint16_t)count;
  return true;
}

// Stores a stack that was captured in another way. Not inlined, as the next: a thread may have little stack.
__attribute__((noinline)) static void note_recent(RecentStacks *recent, uintptr_t frame, uintptr_t caller,
                                                  uint32_t id) {
  uintptr_t distance = kvos_distance_from_stack_end(frame);
  if (distance == 0 || distance > UINT32_MAX || id == 0) return;
  recent->isBeingWritten = true;
  atomic_signal_fence(memory_order_seq_cst);
  bool isSame = find_spot(recent, frame, caller) != NULL;
  Recent *known = take_spot(recent, frame, caller);
  bool isRepeated = isSame && known->id == id && known->count == 0;
  uint16_t failureCount = isSame ? known->failureCount : 0;
  if (isSame && !isRepeated && failureCount < FAILURE_LIMIT) failureCount++;
  known->id = id;
  known->count = 0;
  known->failureCount = failureCount;
  if (isRepeated && failureCount < FAILURE_LIMIT && !find_slots(known, frame, caller, distance)) {
    known->failureCount = FAILURE_LIMIT;
  }
  atomic_signal_fence(memory_order_seq_cst);
  recent->isBeingWritten = false;
}

// MARK: - Shallow stacks that are captured again

#define SHALLOW_LIMIT 16u

// Shallow stacks share the slots with full ones, under an impossible frame address.
static uintptr_t shallow(uintptr_t frame) { return frame | 1; }

// The id of the stack, if each frame is the one that was there before: its pointer to the next one, and its return
// address. Stops at the first frame that differs: nothing is read that was not there before.
__attribute__((no_sanitize("address", "thread"))) static uint32_t find_shallow(const Recent *known, uintptr_t frame) {
  if (known == NULL || known->count == 0) return 0;
  uintptr_t at = frame;
  const uintptr_t *words = known->addresses;
  const uintptr_t *end = words + 2 * known->count;
  do {
    if (((const uintptr_t *)at)[0] != words[0] || ((const uintptr_t *)at)[1] != words[1]) return 0;
    at = words[0] & ~KVOS_ASYNC_FRAME_BIT;
    words += 2;
  } while (words < end);
  return known->id;
}

// Notes the frames, which were found by following their pointers.
__attribute__((noinline, no_sanitize("address", "thread"))) static void note_shallow(RecentStacks *recent,
                                                                                     uintptr_t frame, uintptr_t caller,
                                                                                     uint32_t id, uint32_t count) {
  // On another stack the frames may lead anywhere.
  if (id == 0 || count == 0 || kvos_distance_from_stack_end(frame) == 0) return;
  recent->isBeingWritten = true;
  atomic_signal_fence(memory_order_seq_cst);
  Recent *known = take_spot(recent, shallow(frame), caller);
  uintptr_t at = frame, last = frame;
  for (uint32_t index = 0; index < count; index++) {
    last = at;
    known->addresses[2 * index] = ((const uintptr_t *)at)[0];
    known->addresses[2 * index + 1] = ((const uintptr_t *)at)[1];
    at = ((const uintptr_t *)at)[0] & ~KVOS_ASYNC_FRAME_BIT;
  }
  // The last pointer shows that there are no more frames, except for one without a return address.
  bool isEnd = count == SHALLOW_LIMIT || at <= last || at % sizeof(uintptr_t) != 0 ||
               kvos_distance_from_stack_end(at) < 2 * sizeof(uintptr_t);
  known->id = id;
  known->count = isEnd ? (uint16_t)count : 0;
  known->failureCount = 0;
  atomic_signal_fence(memory_order_seq_cst);
  recent->isBeingWritten = false;
}

__attribute__((noinline)) static uint32_t capture_shallow(RecentStacks *recent, uintptr_t frame, uintptr_t caller) {
  uintptr_t frames[SHALLOW_LIMIT];
  uintptr_t distance = 0;
  int count = kvos_follow_frame_pointers(frame, frames, SHALLOW_LIMIT, &distance);
  uint32_t id = kvos_intern_stack(frames, (size_t)count);
  if (recent) note_shallow(recent, frame, caller, id, (uint32_t)count);
  return id;
}

// MARK: - Capturing

// A full stack that begins at the caller of a function with this frame.
__attribute__((noinline)) static uint32_t capture_full(KVOSRecorder *recorder, uintptr_t frame, uintptr_t caller) {
  uintptr_t frames[KVOS_FRAME_LIMIT];
  uintptr_t distance = 0;
  size_t count = (size_t)kvos_follow_frame_pointers(frame, frames, KVOS_FRAME_LIMIT, &distance);
  uint64_t hash = kvos_hash((const uint8_t *)frames, count * sizeof *frames);
  hash = (hash ^ distance) * 0xFF51AFD7ED558CCDu | 1;
  uint32_t id = find_known(recorder, hash, frames, count);
  if (KVOS_LIKELY(id != 0)) return id;

  // After the frames of the recorder's own functions. libunwind has locks that a fork does not release: a lock that
  // another thread holds at that time stays locked in the child. So no thread calls it without the recorder's lock,
  // which a fork takes. Opened before: a library's constructor may record with the loader's lock held.
  uintptr_t unwound[KVOS_FRAME_LIMIT + 4];
  kvos_open_unwinder();
  kvos_lock(recorder);
  size_t unwoundCount = (size_t)kvos_capture_stack(unwound, KVOS_FRAME_LIMIT + 4);
  kvos_unlock(recorder);
  size_t own = 0;
  while (own < unwoundCount && unwound[own] != caller) own++;
  if (own == unwoundCount) return kvos_intern_stack(frames, count);
  const uintptr_t *stack = unwound + own;
  unwoundCount -= own;
  if (unwoundCount > KVOS_FRAME_LIMIT) unwoundCount = KVOS_FRAME_LIMIT;
  id = kvos_intern_stack(stack, unwoundCount);
  if (id != 0 && is_covered(frames, count, stack, unwoundCount)) {
    remember(recorder, hash, id, frames, count);
  }
  return id;
}

__attribute__((noinline)) uint32_t kvos_capture_stack_id(bool isFull) {
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  uintptr_t caller = (uintptr_t)__builtin_return_address(0);
  RecentStacks *recent = recent_stacks();
  if (!isFull) {
    uint32_t id = recent ? find_shallow(find_spot(recent, shallow(frame), caller), frame) : 0;
    return KVOS_LIKELY(id != 0) ? id : capture_shallow(recent, frame, caller);
  }
  uint32_t id = recent ? find_recent(find_spot(recent, frame, caller), frame) : 0;
  if (KVOS_LIKELY(id != 0)) return id;
  id = capture_full(kvos_recorder(), frame, caller);
  if (recent) note_recent(recent, frame, caller, id);
  return id;
}
