// How glibc's allocator marks allocated memory. Source: malloc/malloc.c and malloc/arena.c of glibc.
//
// An allocation begins KVOS_CHUNK_HEADER bytes after the start of its chunk. The first of the two words in this
// header is the size of the previous chunk if that is free, and otherwise the last word of the previous allocation.
// The second word is the size of the chunk, a multiple of 16, with flags.

#ifndef CKVORETENTION_CHUNKS_H
#define CKVORETENTION_CHUNKS_H

#include <stdint.h>

#define KVOS_CHUNK_HEADER ((uintptr_t)16)
/// The minimum size of an allocation's chunk.
#define KVOS_CHUNK_SMALLEST ((uintptr_t)32)

/// The previous chunk is in use.
#define KVOS_CHUNK_PREVIOUS_IN_USE ((uintptr_t)1)
/// The chunk has its own pages.
#define KVOS_CHUNK_PAGED ((uintptr_t)2)
/// A flag that glibc does not use.
#define KVOS_CHUNK_UNUSED_FLAG ((uintptr_t)8)

/// The number of addresses that glibc reserves for each heap of an arena other than the main one; such a heap begins
/// at a multiple of it.
#define KVOS_ARENA_HEAP ((uintptr_t)0x4000000)

static inline uintptr_t kvos_chunk_size(uintptr_t word) { return word & ~(uintptr_t)15; }

/// The size in bytes of the allocation in a chunk.
static inline uintptr_t kvos_chunk_byte_count(uintptr_t word) {
  return kvos_chunk_size(word) - (word & KVOS_CHUNK_PAGED ? KVOS_CHUNK_HEADER : 8);
}

#endif
