// The stack of the calling thread, as an id.
//
// Runs inside other people's threads: nothing here calls back, and what it allocates is a new name.
//
// Unwinding costs about ten times what following the frame pointers does, and most stacks are taken
// again and again. So a stack is found by its frame pointers once it was seen that they tell all of
// it: the addresses that libunwind found begin with those of the frame pointers, and what follows is
// the start of the thread alone, in the C library and `_start`. That is a property of the code at
// those addresses, not of one moment: whether a function keeps a frame pointer is the same at each
// visit of one call. The distance of the last frame from the end of the stack is part of the key, so
// that what lies above it is the same too.

#include "recorder.h"

#include <dlfcn.h>
#include <link.h>
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
  return (address >= library.start && address < library.end) ||
         (address >= entry && address < entry + 64);
}

// MARK: - Stacks by frame pointers

// The stack that begins with these frames, under a hash that says that they tell all of it.
static uint32_t find_known(KVOSRecorder *recorder, uint64_t hash, const uintptr_t *frames,
                           size_t count) {
  return kvos_find_in(&recorder->knownStacks, &recorder->stacks, hash, (const uint8_t *)frames,
                      count * sizeof *frames, true);
}

static void remember(KVOSRecorder *recorder, uint64_t hash, uint32_t id, const uintptr_t *frames,
                     size_t count) {
  kvos_lock(recorder);
  if (find_known(recorder, hash, frames, count) == 0) {
    kvos_index_add(&recorder->knownStacks, hash, id);
  }
  kvos_unlock(recorder);
}

// Whether the frame pointers tell the whole stack.
static bool is_told(const uintptr_t *frames, size_t count, const uintptr_t *stack,
                    size_t stackCount) {
  if (count == 0 || count > stackCount || memcmp(frames, stack, count * sizeof *frames) != 0) {
    return false;
  }
  for (size_t at = count; at < stackCount; at++) {
    if (!starts_thread(stack[at])) return false;
  }
  return true;
}

__attribute__((noinline)) uint32_t kvos_capture_stack_id(bool isFull) {
  KVOSRecorder *recorder = kvos_recorder();
  uintptr_t frames[KVOS_FRAME_LIMIT];
  uintptr_t distance = 0;
  size_t limit = isFull ? KVOS_FRAME_LIMIT : 16;
  size_t count = (size_t)kvos_follow_frame_pointers((uintptr_t)__builtin_frame_address(0), frames,
                                                    (int)limit, &distance);
  if (!isFull) return kvos_intern_stack(frames, count);
  uint64_t hash = kvos_hash((const uint8_t *)frames, count * sizeof *frames);
  hash = (hash ^ distance) * 0xFF51AFD7ED558CCDu | 1;
  uint32_t id = find_known(recorder, hash, frames, count);
  if (KVOS_LIKELY(id != 0)) return id;

  // Behind the frames of this function and of what it calls.
  uintptr_t unwound[KVOS_FRAME_LIMIT + 4];
  size_t unwoundCount = (size_t)kvos_capture_stack(unwound, KVOS_FRAME_LIMIT + 4);
  size_t own = 0;
  uintptr_t caller = (uintptr_t)__builtin_return_address(0);
  while (own < unwoundCount && unwound[own] != caller) own++;
  if (own == unwoundCount) return kvos_intern_stack(frames, count);
  const uintptr_t *stack = unwound + own;
  unwoundCount -= own;
  if (unwoundCount > KVOS_FRAME_LIMIT) unwoundCount = KVOS_FRAME_LIMIT;
  id = kvos_intern_stack(stack, unwoundCount);
  if (id != 0 && is_told(frames, count, stack, unwoundCount)) {
    remember(recorder, hash, id, frames, count);
  }
  return id;
}
