// Memory for lists that grow to many megabytes.
//
// Most of the cost of small pages is the page fault for each of them. So lists use large pages if the kernel has
// some, and begin at multiples of their size. Growing moves page tables and copies nothing.

#define _GNU_SOURCE
#include "CKVORetention.h"

#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)

void *kvos_reserve_pages(size_t byteCount) {
  void *pages = mmap(NULL, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

void kvos_free_pages(void *pages, size_t byteCount) { munmap(pages, byteCount); }

void *kvos_grow_pages(void *pages, size_t byteCount, size_t newByteCount) {
  char *room = kvos_reserve_pages(newByteCount + LARGE_PAGE);
  if (room == NULL) return NULL;
  // Unmaps the memory before the first large page, and the rest after the last.
  size_t front = -(uintptr_t)room & (LARGE_PAGE - 1);
  if (front > 0) munmap(room, front);
  char *grown = room + front;
  munmap(grown + newByteCount, LARGE_PAGE - front);
  if (pages != NULL) {
    void *moved = mremap(pages, byteCount, newByteCount, MREMAP_MAYMOVE | MREMAP_FIXED, grown);
    if (moved == MAP_FAILED) {
      munmap(grown, newByteCount);
      return NULL;
    }
  }
#ifdef MADV_HUGEPAGE
  // Fails on a kernel without large pages.
  madvise(grown, newByteCount, MADV_HUGEPAGE);
#endif
  return grown;
}

void kvos_use_large_pages(void *pages, size_t byteCount, size_t offset, size_t count) {
#ifdef MADV_HUGEPAGE
  // The kernel uses large pages only as a whole: the first and the last may include adjacent bytes.
  uintptr_t start = ((uintptr_t)pages + offset) & ~(LARGE_PAGE - 1);
  uintptr_t end = ((uintptr_t)pages + offset + count + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
  if (start < (uintptr_t)pages) start = (uintptr_t)pages;
  if (end > (uintptr_t)pages + byteCount) end = (uintptr_t)pages + byteCount;
  madvise((void *)start, end - start, MADV_HUGEPAGE);
#endif
}
