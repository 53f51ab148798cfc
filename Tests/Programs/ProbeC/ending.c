// Ends a child at an instruction that another run of it was seen to store at.
//
// Its addresses are the same in each run. A breakpoint counts how often the instruction is executed, which takes
// milliseconds where steps take seconds.

#define _GNU_SOURCE
#include "ProbeC.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t probe_start_traced(char *const *arguments) {
  pid_t child = fork();
  if (child == 0) {
    personality(ADDR_NO_RANDOMIZE);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execv(arguments[0], arguments);
    _exit(127);
  }
  // The first stop is that of exec, the second one that of the child.
  for (int stops = 0; stops < 2;) {
    int status;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return -1;
    int number = WSTOPSIG(status);
    bool isOwn = number == SIGTRAP || number == SIGSTOP;
    stops += isOwn;
    if (stops < 2) ptrace(PTRACE_CONT, child, NULL, (void *)(intptr_t)(isOwn ? 0 : number));
  }
  return child;
}

uint64_t probe_instruction(pid_t child) {
#if defined(__x86_64__)
  struct user_regs_struct registers;
  return ptrace(PTRACE_GETREGS, child, NULL, &registers) == 0 ? registers.rip : 0;
#else
  (void)child;
  return 0;
#endif
}

static void set_instruction(pid_t child, uint64_t address, bool isCall) {
#if defined(__x86_64__)
  struct user_regs_struct registers;
  ptrace(PTRACE_GETREGS, child, NULL, &registers);
  registers.rip = address;
  if (isCall) {
    registers.rsp = (registers.rsp - 1024) & ~15ull;
    registers.rsp -= 8;
    // Not in a system call that would be restarted.
    registers.orig_rax = (unsigned long long)-1;
  }
  ptrace(PTRACE_SETREGS, child, NULL, &registers);
#else
  (void)child, (void)address, (void)isCall;
#endif
}

// Continues, or executes one instruction; returns the signal that the child stops at, or -1 when it has ended.
static int proceed(pid_t child, bool isStep, int number, int *status) {
  // Fails for a child that is being killed.
  (void)ptrace(isStep ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, (void *)(intptr_t)number);
  if (waitpid(child, status, 0) != child || !WIFSTOPPED(*status)) return -1;
  return WSTOPSIG(*status);
}

static int finish(pid_t child, ProbeEnd end, uint64_t exitFunction) {
  int status = 0;
  int number = 0;
  if (end == PROBE_END_KILL) kill(child, SIGKILL);
  if (end == PROBE_END_FAULT) number = SIGSEGV;
  if (end == PROBE_END_ABORT) number = SIGABRT;
  if (end == PROBE_END_EXIT) set_instruction(child, exitFunction, true);
  while ((number = proceed(child, false, number, &status)) >= 0) {
  }
  return status;
}

int probe_end(char *const *arguments, const char *page, ProbeEnd end, uint64_t address, uint64_t execution,
              int *status) {
  pid_t child = probe_start_traced(arguments);
  int descriptor = open(page, O_RDONLY | O_CLOEXEC);
  const uint64_t *words = mmap(NULL, 4096, PROT_READ, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (child < 0 || words == MAP_FAILED) return -1;
  long word = ptrace(PTRACE_PEEKTEXT, child, (void *)address, NULL);
  long breakpoint = (word & ~0xFFl) | 0xCC;
  // The instruction at which it stopped is the first that counts.
  uint64_t count = probe_instruction(child) == address;
  int number = 0;
  while (true) {
    if (count > 0) {
      number = proceed(child, true, number, status);
      if (number < 0) return -1;
      if (count == execution) break;
      if (number == SIGTRAP) number = 0;
    }
    ptrace(PTRACE_POKETEXT, child, (void *)address, (void *)breakpoint);
    number = proceed(child, false, number, status);
    if (number < 0 || number == SIGSTOP) return -1;
    // A signal for the child, on its way to the instruction.
    if (number != SIGTRAP) continue;
    ptrace(PTRACE_POKETEXT, child, (void *)address, (void *)word);
    set_instruction(child, address, false);
    number = 0;
    count++;
  }
  *status = finish(child, end, words[PROBE_EXIT_WORD]);
  return 0;
}

void probe_exit_now(void) { _exit(3); }

uint64_t probe_exit_function(void) { return (uint64_t)(uintptr_t)probe_exit_now; }
