#define _GNU_SOURCE
#include "CrashingC.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// A separate section shows where a function begins and ends.
#define FAILING(name)                              \
  extern const char __start_in_##name[], __stop_in_##name[]; \
  __attribute__((noinline, section("in_" #name))) static void name

static volatile uintptr_t zero;
static volatile int sink;

FAILING(crashing_null_write)(void) { *(volatile int *)zero = 1; }

FAILING(crashing_null_call)(void) {
  ((void (*)(void))zero)();
  sink = 1;
}

FAILING(crashing_division)(void) { sink = 1 / (int)zero; }

FAILING(crashing_trap)(void) { __builtin_debugtrap(); }

FAILING(crashing_recursion)(volatile char *below) {
  volatile char frame[512];
  frame[0] = below[0];
  crashing_recursion(frame);
  sink = frame[0];
}

FAILING(crashing_abort)(void) {
  abort();
}

FAILING(crashing_wild_message)(void) {
  const char **message = dlsym(RTLD_DEFAULT, "__abort_msg");
  if (message) *message = (const char *)(uintptr_t)16;
  abort();
}

FAILING(crashing_raise)(int number) {
  raise(number);
  sink = 1;
}

FAILING(crashing_heap)(void) {
  // The length of the remaining heap follows the last block, and it ends with a page.
  for (int turn = 0; turn < 1000; turn++) {
    uintptr_t *block = malloc(2008);
    uintptr_t rest = block[251] & ~(uintptr_t)7;
    if (rest < 4096 || (((uintptr_t)(block + 250) + rest) & 4095) != 0) continue;
    block[251] = 1;
    break;
  }
  sink = malloc(100000) != NULL;
}

FAILING(crashing_smashed)(void) {
#if defined(__x86_64__)
  __asm__ volatile("movq $16, %rbp; movq $0x7f0000000008, %rsp; movq $0, (%rbp)");
#else
  crashing_null_write();
#endif
}

FAILING(crashing_body)(void (*body)(void)) {
  body();
  sink = 1;
}

void crashing_fail(CrashingWay way, void (*body)(void), int number) {
  volatile char here = 0;
  switch (way) {
    case CRASHING_NULL_WRITE: crashing_null_write(); break;
    case CRASHING_NULL_CALL: crashing_null_call(); break;
    case CRASHING_DIVISION: crashing_division(); break;
    case CRASHING_TRAP: crashing_trap(); break;
    case CRASHING_RECURSION: crashing_recursion(&here); break;
    case CRASHING_ABORT: crashing_abort(); break;
    case CRASHING_WILD_MESSAGE: crashing_wild_message(); break;
    case CRASHING_RAISE: crashing_raise(number); break;
    case CRASHING_HEAP: crashing_heap(); break;
    case CRASHING_SMASHED: crashing_smashed(); break;
    case CRASHING_BODY: crashing_body(body); break;
  }
}

void crashing_code(CrashingWay way, uint64_t *start, uint64_t *end) {
#define CODE(name) (*start = (uintptr_t)__start_in_##name, *end = (uintptr_t)__stop_in_##name)
  switch (way) {
    case CRASHING_NULL_WRITE: CODE(crashing_null_write); break;
    case CRASHING_NULL_CALL: CODE(crashing_null_call); break;
    case CRASHING_DIVISION: CODE(crashing_division); break;
    case CRASHING_TRAP: CODE(crashing_trap); break;
    case CRASHING_RECURSION: CODE(crashing_recursion); break;
    case CRASHING_ABORT: CODE(crashing_abort); break;
    case CRASHING_WILD_MESSAGE: CODE(crashing_wild_message); break;
    case CRASHING_RAISE: CODE(crashing_raise); break;
    case CRASHING_HEAP: CODE(crashing_heap); break;
    case CRASHING_SMASHED: CODE(crashing_smashed); break;
    case CRASHING_BODY: CODE(crashing_body); break;
  }
}

// MARK: - Handlers

static sigjmp_buf back;
static volatile int returnCount;

static void jump(int number) {
  (void)number;
  siglongjmp(back, 1);
}

static bool is_as_it_should(int number, const siginfo_t *info) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  for (int other = 1; other < 32; other++) {
    if (sigismember(&mask, other) != (other == number)) return false;
  }
  return info->si_signo == number && (info->si_code > 0 || info->si_pid == getpid());
}

static void go_on(int number, siginfo_t *info, void *context) {
  (void)context;
  if (is_as_it_should(number, info)) returnCount++;
}

static void repair(int number, siginfo_t *info, void *context) {
  (void)context;
  zero = (uintptr_t)mmap((void *)((uintptr_t)info->si_addr & ~(uintptr_t)4095), 4096,
                         PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (is_as_it_should(number, info)) returnCount++;
}

void crashing_install_jump(void) {
  struct sigaction action = {.sa_handler = jump};
  sigaction(SIGSEGV, &action, NULL);
}

void crashing_install_return(int flags) {
  struct sigaction action = {.sa_sigaction = go_on, .sa_flags = SA_SIGINFO | flags};
  sigaction(SIGTRAP, &action, NULL);
}

void crashing_install_repair(void) {
  struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  // An unused page.
  void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  zero = (uintptr_t)page;
}

bool crashing_recover(void) {
  if (sigsetjmp(back, 1) != 0) return true;
  crashing_null_write();
  return false;
}

int crashing_return_count(void) { return returnCount; }

// MARK: - Threads

static void *overflow(void *prepare) {
  ((void (*)(void))prepare)();
  volatile char here = 0;
  crashing_recursion(&here);
  return NULL;
}

void crashing_overflow_thread(void (*prepare)(void)) {
  pthread_t thread;
  pthread_create(&thread, NULL, overflow, (void *)prepare);
  pthread_join(thread, NULL);
}

static sem_t isHeld;

static int hold(struct dl_phdr_info *info, size_t size, void *context) {
  (void)info, (void)size, (void)context;
  sem_post(&isHeld);
  while (true) pause();
  return 0;
}

static void *hold_images(void *context) {
  (void)context;
  dl_iterate_phdr(hold, NULL);
  return NULL;
}

void crashing_hold_images(void) {
  pthread_t thread;
  sem_init(&isHeld, 0, 0);
  pthread_create(&thread, NULL, hold_images, NULL);
  sem_wait(&isHeld);
}
