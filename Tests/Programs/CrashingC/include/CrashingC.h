// Faults that Swift cannot spell, for the tests of the crash record.

#ifndef CRASHING_C_H
#define CRASHING_C_H

#include <stdbool.h>
#include <stdint.h>

/// The ways to fail. Each is one function; crashing_code() returns the address of its code.
typedef enum {
  CRASHING_NULL_WRITE,
  CRASHING_NULL_CALL,
  CRASHING_DIVISION,
  CRASHING_TRAP,
  CRASHING_RECURSION,
  CRASHING_ABORT,
  /// The same if the C library's previous message cannot be read.
  CRASHING_WILD_MESSAGE,
  CRASHING_RAISE,
  /// The allocator finds its memory damaged, and aborts with a lock of its own held.
  CRASHING_HEAP,
  /// The stack and frame pointers lead nowhere.
  CRASHING_SMASHED,
  /// Calls the body, which is expected to fail.
  CRASHING_BODY
} CrashingWay;

/// Fails.
void crashing_fail(CrashingWay way, void (*body)(void), int number);

/// The addresses of the function that fails in this way.
void crashing_code(CrashingWay way, uint64_t *start, uint64_t *end);

/// Installs a handler of SIGSEGV that jumps out.
void crashing_install_jump(void);

/// Installs a handler of SIGTRAP that returns, with these flags beside SA_SIGINFO.
void crashing_install_return(int flags);

/// Installs a handler of SIGSEGV that maps memory at the fault's address, and returns.
void crashing_install_repair(void);

/// Writes to address 0, and comes back by the handler. Returns whether it was called.
bool crashing_recover(void);

/// How often the handlers that return were called, with their own signal alone held back, and with a
/// signal that came from this thread.
int crashing_return_count(void);

/// Overflows the stack of a thread of its own.
void crashing_overflow_thread(void (*prepare)(void));

/// Makes another thread hold the loader's list of images forever.
void crashing_hold_images(void);

#endif
