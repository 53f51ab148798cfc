// The library that KVOCompression reads xz with. Declarations only.
#ifndef KVOS_CLZMA_H
#define KVOS_CLZMA_H

#include <lzma.h>

// A macro with a cast, which Swift does not import.
static const unsigned kvos_lzma_concatenated = LZMA_CONCATENATED;

#endif
