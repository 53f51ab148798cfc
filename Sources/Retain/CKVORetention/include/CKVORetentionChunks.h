// How glibc's allocator marks the memory that it gives out. Source: malloc/malloc.c and malloc/arena.c of glibc.
//
// An allocation begins KVOS_CHUNK_HEADER bytes behind the start of its chunk. The first of the two words there is the
// size of the previous chunk if that is free, and else the last word of the previous allocation. The second word is
// the size of the chunk, a multiple of 16, and flags.

#ifndef CKVORETENTION_CHUNKS_H
#define CKVORETENTION_CHUNKS_H

#include <stdint.h>

#define KVOS_CHUNK_HEADER ((uintptr_t)16)
/// No allocation has a smaller chunk.
#define KVOS_CHUNK_SMALLEST ((uintptr_t)32)

/// The previous chunk is in use.
#define KVOS_CHUNK_PREVIOUS_IN_USE ((uintptr_t)1)
/// The chunk has pages of its own.
#define KVOS_CHUNK_PAGED ((uintptr_t)2)
/// A flag that glibc does not use.
#define KVOS_CHUNK_UNUSED_FLAG ((uintptr_t)8)

/// How many addresses glibc reserves for each heap of an arena other than the main one; the heap begins at a multiple
/// of that.
#define KVOS_ARENA_HEAP ((uintptr_t)0x4000000)

static inline uintptr_t kvos_chunk_size(uintptr_t word) { return word & ~(uintptr_t)15; }

/// How many bytes the allocation in a chunk has.
static inline uintptr_t kvos_chunk_byte_count(uintptr_t word) {
  return kvos_chunk_size(word) - (word & KVOS_CHUNK_PAGED ? KVOS_CHUNK_HEADER : 8);
}

#endif
