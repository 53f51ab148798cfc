// The demangler of the Swift runtime. Declarations only.
//
// Both functions are exported by libswiftCore, which declares them in no header that it ships
// (swift/Demangling/Demangle.h, stdlib/public/runtime). They take a name of `length` bytes, need no terminating NUL,
// and return text that the caller frees, or NULL if it is not a mangled name. `buffer` and `bufferSize` are NULL here.
// They keep no state and may be called on any thread.
#ifndef KVOS_CSWIFTDEMANGLE_H
#define KVOS_CSWIFTDEMANGLE_H

#include <stddef.h>
#include <stdint.h>

/// The full text of a Swift name: modules, argument types, results. `flags` is 0.
char *_Nullable swift_demangle(const char *_Nonnull name, size_t length, char *_Nullable buffer,
                               size_t *_Nullable bufferSize, uint32_t flags);

/// The text that the runtime's own backtraces print: for a Swift name without modules and types, for a C++ name (`_Z…`)
/// the result of the C++ runtime.
char *_Nullable _swift_backtrace_demangle(const char *_Nonnull name, size_t length, char *_Nullable buffer,
                                          size_t *_Nullable bufferSize);

#endif
