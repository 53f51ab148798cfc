// Asks the processor for memory ahead of its use, for which Swift has no word.

#ifndef CKVOPREFETCH_H
#define CKVOPREFETCH_H

/// Has the cache line of `address` fetched, and does not wait for it. Any address will do, valid or
/// not. From any thread.
static inline void kvos_prefetch(const void *_Nullable address) { __builtin_prefetch(address); }

#endif
