// What KVOSymbols reads debug information with: libelf, libdw and the demangler of the Swift
// runtime. Declarations only.
#ifndef KVOS_CELFUTILS_H
#define KVOS_CELFUTILS_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

// Both are exported by libswiftCore, which declares them in no header that it ships.
// They take a name of `length` bytes, need not find a NUL behind it, and answer with text that the
// caller frees, or NULL where it is not a mangled name. `buffer` and `bufferSize` are NULL here.
// They keep no state and may be called on any thread.

/// The full text of a Swift name: modules, argument types, results. `flags` is 0.
char *_Nullable swift_demangle(
    const char *_Nonnull name, size_t length, char *_Nullable buffer,
    size_t *_Nullable bufferSize, uint32_t flags);

/// The text that the runtime's own backtraces print: for a Swift name without modules and types,
/// for a C++ name (`_Z…`) what the C++ runtime says.
char *_Nullable _swift_backtrace_demangle(
    const char *_Nonnull name, size_t length, char *_Nullable buffer,
    size_t *_Nullable bufferSize);

#endif
