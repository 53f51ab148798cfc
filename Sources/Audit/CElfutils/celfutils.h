// The libraries that KVOSymbols reads debug information with: libelf and libdw. Declarations only.
#ifndef KVOS_CELFUTILS_H
#define KVOS_CELFUTILS_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libelf.h>

#endif
