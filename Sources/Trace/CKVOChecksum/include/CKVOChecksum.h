// The checksum of binary logs, for the code that writes them and the code that reads them.

#ifndef CKVOCHECKSUM_H
#define CKVOCHECKSUM_H

#include <stdint.h>

/// XXH64 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md) of `byteCount` bytes; a log's have the
/// seed 0.
///
/// It finds accidental damage; it is no protection against an attacker. Reads nothing beyond `byteCount`. From any
/// thread, and from a signal handler.
uint64_t kvos_checksum(const void *_Nullable bytes, uint64_t byteCount, uint64_t seed);

#endif
