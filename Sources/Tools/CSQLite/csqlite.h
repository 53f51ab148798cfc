// What KVOExport writes databases with. Declarations only.
#ifndef KVOS_CSQLITE_H
#define KVOS_CSQLITE_H

#include <sqlite3.h>

#endif
