// Declarations that the files of the preloaded library share. Nothing outside this target includes it.
//
// Locks: `kvos_lock_registry()` guards objects, triples and the structures that they own. No method is called with it
// held, and no original. Names are interned inside, which may take the recorder's lock; nothing of this library's is
// taken inside that.
//
// Code on the program's threads must not disturb it: nothing here raises, ends the process or waits for anything except
// these locks, and errno is preserved (kvos_enter(), kvos_leave()).

#ifndef PRELOAD_H
#define PRELOAD_H

#define _GNU_SOURCE
#include "events.h"
#include "hooks.h"
#include "objects.h"
#include "registrations.h"
#include "threads.h"

/// Opens the log that the environment names. 0, or an errno; the error has then been reported.
int kvos_begin_log(const char *pattern);

/// Ends the log, and reports on standard error what it lost.
void kvos_end_log(void);

#endif
