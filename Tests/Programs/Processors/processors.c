// What the C half does on a processor: checksums, stacks, registers, and a log written by several threads and ended by a
// crash, which the caller audits. `Scripts/processors` runs it on this machine's processor, and on others under emulation.
//   processors LOG

#define _GNU_SOURCE
#include <CKVOChecksum.h>
#include <CKVORecorder.h>
#include <CKVORetentionWords.h>
#include <CKVOUnwind.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

enum {
  frameCapacity = 64,
  threadCount = 4,
  eventCount = 2000
};

/// The text of this program.
static uintptr_t textStart, textEnd;

static void noteProgram(const KVOSImage *image, void *_Nullable context) {
  (void)context;
  uintptr_t here = (uintptr_t)&noteProgram;
  if (image->textStart <= here && here < image->textEnd) {
    textStart = (uintptr_t)image->textStart;
    textEnd = (uintptr_t)image->textEnd;
  }
}

static int ownFrameCount(const uintptr_t *frames, int count) {
  int own = 0;
  while (own < count && frames[own] >= textStart && frames[own] < textEnd) own++;
  return own;
}

/// Calls itself, and captures its stack at the end: each level is a frame.
static __attribute__((noinline)) int captureAt(int depth, uintptr_t *frames) {
  if (depth == 0) return kvos_capture_frame_pointers(frames, frameCapacity);
  int count = captureAt(depth - 1, frames);
  // What follows the call keeps it from being a jump.
  __asm__ volatile("" : : "r"(count) : "memory");
  return count;
}

static void checkStacks(void) {
  kvos_visit_images(noteProgram, NULL);
  EXPECT(textStart < textEnd);
  uintptr_t shallow[frameCapacity], deep[frameCapacity];
  int shallowCount = captureAt(1, shallow), deepCount = captureAt(11, deep);
  EXPECT(shallowCount >= 3);
  EXPECT(deepCount == shallowCount + 10);
  EXPECT(ownFrameCount(deep, deepCount) >= 12);
  // The ten calls in the middle return to the same instruction.
  for (int index = 2; index < 10; index++) EXPECT(deep[index] == deep[1]);
  EXPECT(kvos_distance_from_stack_end((uintptr_t)&shallowCount) > 0);
  EXPECT(kvos_distance_from_stack_end((uintptr_t)&textStart) == 0);
}

static uintptr_t interruptedFrames[frameCapacity];
static int interruptedCount;
static uintptr_t interruptedPC;

static void interrupt(int number, siginfo_t *information, void *context) {
  (void)number;
  (void)information;
  interruptedPC = kvos_interrupted_pc(context);
  interruptedCount = kvos_follow_interrupted(context, 0, interruptedFrames, frameCapacity);
}

/// Interrupts itself by an instruction of its own, so that the interrupted function is known.
static __attribute__((noinline)) void beInterrupted(void) { __builtin_trap(); }

static sigjmp_buf afterTrap;
static void leave(int number, siginfo_t *information, void *context) {
  interrupt(number, information, context);
  siglongjmp(afterTrap, 1);
}

static void checkInterruption(void) {
  struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO}, old[3];
  const int signals[] = {SIGILL, SIGTRAP, SIGABRT};
  for (int index = 0; index < 3; index++) sigaction(signals[index], &action, &old[index]);
  if (sigsetjmp(afterTrap, 1) == 0) beInterrupted();
  for (int index = 0; index < 3; index++) sigaction(signals[index], &old[index], NULL);
  uintptr_t function = (uintptr_t)&beInterrupted;
  EXPECT(interruptedPC >= function && interruptedPC < function + 64);
  EXPECT(interruptedCount >= 1);
  EXPECT(interruptedFrames[0] == interruptedPC + 1);
  // An emulator may lack the system call by which memory is read that may not be there.
  uintptr_t word = 7, copy = 0;
  struct iovec here = {&copy, sizeof copy}, there = {&word, sizeof word};
  if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0) {
    EXPECT(errno == ENOSYS);
    puts("not tried: the callers of an interrupted function (no process_vm_readv)");
    return;
  }
  EXPECT(copy == 7);
  EXPECT(interruptedCount >= 2);
  EXPECT(ownFrameCount(interruptedFrames, interruptedCount) >= 2);
}

static void checkChecksums(void) {
  // Of the specification's own implementation.
  EXPECT(kvos_checksum("", 0, 0) == 0xef46db3751d8e999);
  EXPECT(kvos_checksum("abc", 3, 0) == 0x44bc2cf5ad770999);
}

static __attribute__((noinline)) int noteEntry(KVOSEntry *entry) { return kvos_note_entry(entry); }

static void checkRegisters(void) {
  KVOSEntry entry;
  memset(&entry, 0, sizeof entry);
  EXPECT(noteEntry(&entry) == 1);
  EXPECT(entry.registerCount > 0);
  uintptr_t words[] = {1, 0x5000, 7, 0x6000, 0};
  EXPECT(kvos_next_address(words, sizeof words, 0, 0x5000, 0x7000) == 8);
  EXPECT(kvos_next_address(words, sizeof words, 16, 0x5000, 0x7000) == 24);
  EXPECT(kvos_next_address(words, sizeof words, 32, 0x5000, 0x7000) == sizeof words);
}

static uint64_t name(const char *text) { return kvos_intern_string((const uint8_t *)text, strlen(text)); }

/// Records additions, each with its stack, and that they ended.
static void *_Nullable record(void *_Nullable argument) {
  uint64_t thread = (uint64_t)(uintptr_t)argument;
  char object[32];
  for (uint64_t index = 0; index < eventCount; index++) {
    uint64_t number = thread * eventCount + index + 1;
    snprintf(object, sizeof object, "%llu", (unsigned long long)number);
    const uint64_t fields[] = {1, name(object) << 2 | 1, name("Account") << 2, name("balance"), number << 2};
    kvos_record(5, number * 2, kvos_capture_stack_id(true), 0, fields, 5);
    const uint64_t end[] = {number << 2};
    kvos_record(6, UINT64_MAX, 0, 0, end, 1);
  }
  return NULL;
}

int main(int argumentCount, char **arguments) {
  EXPECT(argumentCount == 2);
  checkChecksums();
  checkStacks();
  checkInterruption();
  checkRegisters();

  KVOSLogFailure failure;
  KVOSLogRequest request = {
      .pattern = arguments[1], .byteLimit = KVOS_DEFAULT_BYTE_LIMIT, .runtime = 0, .isComplete = true};
  EXPECT(kvos_open_log(&request, &failure) == 0);
  kvos_install_crash_record();
  pthread_t threads[threadCount];
  for (uintptr_t index = 0; index < threadCount; index++) {
    EXPECT(pthread_create(&threads[index], NULL, record, (void *)index) == 0);
  }
  for (int index = 0; index < threadCount; index++) pthread_join(threads[index], NULL);
  puts("crashes now");
  fflush(stdout);
  *(volatile int *)16 = 1;
  return 0;
}
