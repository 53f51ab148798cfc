// The library that KVOCompression reads and measures gzip with. Declarations only.
#ifndef KVOS_CZLIB_H
#define KVOS_CZLIB_H

#include <zlib.h>

#endif
