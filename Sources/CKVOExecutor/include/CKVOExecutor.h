// Asks the Swift runtime where the calling code runs. Swift has no call for it that answers; those that
// it has end the process where the answer is no.

#ifndef CKVOEXECUTOR_H
#define CKVOEXECUTOR_H

#include <stdbool.h>
#include <stdint.h>

/// Whether the calling code runs on a serial executor, which is given as the two words that an
/// UnownedSerialExecutor is made of. Any thread; the executor's actor must be alive.
///
/// False also where the runtime cannot say.
bool kvos_is_current_executor(uintptr_t identity, uintptr_t implementation);

#endif
