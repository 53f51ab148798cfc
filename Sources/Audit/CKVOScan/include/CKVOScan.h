// Searches text sixteen bytes at a time, because no type of Swift's standard library compiles to the single
// instruction, and for words as the C library does, whose function for that Swift does not import.

#ifndef CKVOSCAN_H
#define CKVOSCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The position of the first of these pairs of letters in `bytes`, from `start` on and before `end`: `bs` in any case,
/// `VO`, `yV`, `yP`, `dK`, `dN`; `end` if there is none.
///
/// The second letter may be at `end`, if `count` is greater. Reads nothing beyond `count`. From any thread.
size_t kvos_scan_pair(const uint8_t *_Nonnull bytes, size_t start, size_t end, size_t count);

/// How many of the `count` bytes are line ends. From any thread.
size_t kvos_scan_line_ends(const uint8_t *_Nonnull bytes, size_t count);

/// Whether `word`, of `length` bytes, is in `bytes`. From any thread.
bool kvos_scan_has_word(const uint8_t *_Nonnull bytes, size_t count, const uint8_t *_Nonnull word, size_t length);

#endif
