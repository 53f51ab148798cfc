// The library that KVOCompression reads Zstandard with. Declarations only.
#ifndef KVOS_CZSTD_H
#define KVOS_CZSTD_H

#include <zstd.h>
#include <zstd_errors.h>

#endif
