// What the recorder may use, and what it does. Included by the files of the recorder.

#ifndef KVOS_BUDGET_H
#define KVOS_BUDGET_H

#include "CKVORecorder.h"

/// Begins to keep within `budget`, for the log that begins. The lock is held.
void kvos_begin_budget(const KVOSBudget *budget);

/// The number of bytes that people write as digits, and K, M or G after them; 0 if the text is not such a number.
uint64_t kvos_byte_count_of(const char *text);

/// How many bytes of memory the live registrations take. The lock is held.
uint64_t kvos_live_byte_count(void);

#endif
