// Finds the words of this process that lead to some addresses, and the registers of a thread.

#define _GNU_SOURCE
#include "CKVORetention.h"

#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

static size_t slot(uintptr_t granule, uint32_t bits) { return (granule * 0x9e3779b97f4a7c15u) >> (64 - bits); }

void kvos_add_word_target(KVOSWordTable *table, uintptr_t address, uint32_t target) {
  uintptr_t granule = address >> 4;
  size_t bit = slot(granule, KVOS_WORD_FILTER_BITS);
  table->filter[bit >> 6] |= (uint64_t)1 << (bit & 63);
  size_t mask = ((size_t)1 << table->bits) - 1;
  size_t index = slot(granule, table->bits);
  while (table->entries[index].granule != 0) index = (index + 1) & mask;
  table->entries[index].granule = ~granule;
  table->entries[index].target = target;
}

size_t kvos_next_word_target(const KVOSWordTable *table, const void *copy, size_t count, size_t offset,
                             uint32_t *target) {
  const uintptr_t *words = copy;
  size_t mask = ((size_t)1 << table->bits) - 1;
  for (size_t number = offset / 8; number < count / 8; number++) {
    // Enums use bits that references leave free.
    uintptr_t granule = (words[number] & 0x00fffffffffffff8) >> 4;
    size_t bit = slot(granule, KVOS_WORD_FILTER_BITS);
    if (!(table->filter[bit >> 6] >> (bit & 63) & 1)) continue;
    for (size_t index = slot(granule, table->bits); table->entries[index].granule != 0; index = (index + 1) & mask) {
      if (table->entries[index].granule == ~granule) {
        *target = table->entries[index].target;
        return number * 8;
      }
    }
  }
  return count;
}

ptrdiff_t kvos_chunk_before(const uintptr_t *words, ptrdiff_t first, ptrdiff_t last, uintptr_t distance) {
  const uintptr_t flags = KVOS_CHUNK_UNUSED_FLAG | KVOS_CHUNK_PAGED;
  for (ptrdiff_t index = first; index >= last; index -= 2, distance += 16) {
    uintptr_t word = words[index];
    if ((word & flags) == 0 && word >= KVOS_CHUNK_SMALLEST && kvos_chunk_byte_count(word) > distance) return index;
  }
  return -1;
}

ptrdiff_t kvos_word_before(const uintptr_t *words, ptrdiff_t first, ptrdiff_t last, uintptr_t word) {
  for (ptrdiff_t index = first; index >= last; index -= 2) {
    if (words[index] == word) return index;
  }
  return -1;
}

__attribute__((noinline)) int kvos_note_entry(KVOSEntry *entry) {
  entry->stack = (uintptr_t)__builtin_frame_address(0);
#if defined(__x86_64__)
  __asm__ volatile(
      "movq %%rbx, 0(%0)\n\tmovq %%r12, 8(%0)\n\tmovq %%r13, 16(%0)\n\t"
      "movq %%r14, 24(%0)\n\tmovq %%r15, 32(%0)"
      :
      : "r"(entry->registers)
      : "memory");
  entry->registerCount = 5;
  return 1;
#elif defined(__aarch64__)
  __asm__ volatile(
      "stp x19, x20, [%0]\n\tstp x21, x22, [%0, #16]\n\tstp x23, x24, [%0, #32]\n\t"
      "stp x25, x26, [%0, #48]\n\tstp x27, x28, [%0, #64]"
      :
      : "r"(entry->registers)
      : "memory");
  entry->registerCount = 10;
  return 1;
#else
  entry->registerCount = 0;
  return 0;
#endif
}

size_t kvos_next_address(const void *words, size_t count, size_t offset, uintptr_t low, uintptr_t high) {
  for (; offset + 8 <= count; offset += 8) {
    uintptr_t word = *(const uintptr_t *)((const char *)words + offset) & 0x00ffffffffffffff;
    if (word - low < high - low) return offset;
  }
  return count;
}

size_t kvos_next_nonzero(const uint8_t *bytes, size_t count, size_t index) {
  for (; index + 8 <= count; index += 8) {
    uint64_t word;
    memcpy(&word, bytes + index, sizeof word);
    if (word != 0) break;
  }
  while (index < count && bytes[index] == 0) index++;
  return index;
}

size_t kvos_last_nonzero(const uint8_t *bytes, size_t index, size_t first) {
  while (index >= first + 8) {
    uint64_t word;
    memcpy(&word, bytes + index - 7, sizeof word);
    if (word != 0) break;
    index -= 8;
  }
  while (index > first && bytes[index] == 0) index--;
  return index;
}

typedef struct {
  KVOSEntry *entry;
  int frameNumber;
  int isFound;
} CallerSearch;

static _Unwind_Reason_Code noteFrame(struct _Unwind_Context *context, void *argument) {
  CallerSearch *search = argument;
  // The first three frames are kvos_note_caller(), its caller, and the caller of that.
  if (++search->frameNumber < 3) return _URC_NO_REASON;
#if defined(__x86_64__)
  static const int numbers[] = {3, 6, 12, 13, 14, 15};
#elif defined(__aarch64__)
  static const int numbers[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28};
#else
  static const int numbers[] = {};
#endif
  search->entry->registerCount = sizeof numbers / sizeof numbers[0];
  for (uint32_t index = 0; index < search->entry->registerCount; index++) {
    search->entry->registers[index] = _Unwind_GetGR(context, numbers[index]);
  }
  search->entry->stack = _Unwind_GetCFA(context);
  search->isFound = search->entry->registerCount > 0 && search->entry->stack != 0;
  return _URC_END_OF_STACK;
}

__attribute__((noinline)) int kvos_note_caller(KVOSEntry *entry) {
  CallerSearch search = {entry, 0, 0};
  _Unwind_Backtrace(noteFrame, &search);
  return search.isFound;
}

uintptr_t kvos_allocator_variables(void) {
#ifdef __GLIBC__
  // In the same mapping as the arena.
  return (uintptr_t)stdout;
#else
  return 0;
#endif
}

// Reads freed memory on purpose, into which only the allocator has written.
__attribute__((no_sanitize("address"), noinline)) uintptr_t kvos_free_mark(size_t byteCount) {
#ifdef __GLIBC__
  uintptr_t *volatile memory = malloc(byteCount);
  if (memory == NULL) return 0;
  memory[1] = 0;
  uintptr_t address = (uintptr_t)memory;
  free(memory);
  uintptr_t words[2] = {0, 0};
  return kvos_copy_memory(address, words, sizeof words) == sizeof words ? words[1] : 0;
#else
  return 0;
#endif
}

// A symbol of the Swift runtime: the first word of a task's slab of memory for frames. A program without tasks has
// none.
extern const void *const _swift_concurrency_debug_asyncTaskSlabMetadata __attribute__((weak));

uintptr_t kvos_task_slab_mark(void) {
  return &_swift_concurrency_debug_asyncTaskSlabMetadata == NULL
             ? 0
             : (uintptr_t)_swift_concurrency_debug_asyncTaskSlabMetadata;
}

// A symbol of the Swift runtime: the metadata of tasks.
extern const void *const _swift_concurrency_debug_asyncTaskMetadata __attribute__((weak));

uintptr_t kvos_task_metadata(void) {
  return &_swift_concurrency_debug_asyncTaskMetadata == NULL ? 0
                                                             : (uintptr_t)_swift_concurrency_debug_asyncTaskMetadata;
}

// Symbols of libdispatch: the main queue, which is in static memory.
extern const uintptr_t _dispatch_main_q[] __attribute__((weak));
extern const char *dispatch_queue_get_label(const void *queue) __attribute__((weak));

int kvos_note_queue_layout(KVOSQueueLayout *layout) {
  if (&_dispatch_main_q[0] == NULL || &dispatch_queue_get_label == NULL) return 0;
  const uintptr_t *functions = (const uintptr_t *)_dispatch_main_q[0];
  layout->dispose = functions[0];
  layout->group = functions[KVOS_QUEUE_TYPE / 8] & KVOS_QUEUE_GROUP;
  uintptr_t label = (uintptr_t)dispatch_queue_get_label(_dispatch_main_q);
  // No queue is smaller than this.
  for (size_t index = 1; index < 12; index++) {
    if (_dispatch_main_q[index] == label) {
      layout->labelOffset = index * 8;
      return 1;
    }
  }
  return 0;
}
