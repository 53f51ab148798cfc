// Searches text sixteen bytes at a time, for which Swift's standard library has no type that the compiler makes
// one instruction of.

#ifndef CKVOSCAN_H
#define CKVOSCAN_H

#include <stddef.h>
#include <stdint.h>

/// Where the first of these pairs of letters begins in `bytes`, from `start` on and before `end`: `bs` in any case,
/// `VO`, `yV`, `yP`, `dK`, `dN`; `end` if there is none.
///
/// The second letter may stand at `end`, where `count` is greater. Reads nothing beyond `count`. From any thread.
size_t kvos_scan_pair(const uint8_t *_Nonnull bytes, size_t start, size_t end, size_t count);

/// How many of the `count` bytes are line ends. From any thread.
size_t kvos_scan_line_ends(const uint8_t *_Nonnull bytes, size_t count);

#endif
