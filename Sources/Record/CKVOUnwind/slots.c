// Captures a stack together with the locations of its return addresses.
//
// Several microseconds: for stacks that are seen again and again, so that the next time only those slots are looked at.
// libunwind says where a frame begins; it is called through the binary interface that interrupted.c describes.

#define _GNU_SOURCE
#include "CKVOUnwind.h"

#if defined(__x86_64__)

#include <dlfcn.h>
#include <pthread.h>
#include <ucontext.h>

enum {
  instructionPointer = 16,
  stackPointer = 7,
  cursorWordCount = 127
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int (*initialize)(void *cursor, void *context);
static int (*step)(void *cursor);
static int (*get_register)(void *cursor, int number, uintptr_t *value);

static void look_up(void) {
  void *library = kvos_open_unwinder() ? dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) return;
  step = (int (*)(void *))dlsym(library, "_ULx86_64_step");
  get_register = (int (*)(void *, int, uintptr_t *))dlsym(library, "_ULx86_64_get_reg");
  void *found = dlsym(library, "_ULx86_64_init_local");
  if (step && get_register) initialize = (int (*)(void *, void *))found;
}

int kvos_capture_slots(uintptr_t *frames, uintptr_t *slots, int capacity) {
  pthread_once(&once, look_up);
  ucontext_t here;
  uintptr_t cursor[cursorWordCount * 2];
  if (initialize == NULL || getcontext(&here) != 0 || initialize(cursor, &here) != 0) return 0;
  int count = 0;
  while (count < capacity && step(cursor) > 0) {
    uintptr_t address = 0, top = 0;
    if (get_register(cursor, instructionPointer, &address) != 0 || address == 0) break;
    if (get_register(cursor, stackPointer, &top) != 0) break;
    // A call put the return address right below what its caller had on the stack.
    slots[count] = top - sizeof(uintptr_t);
    frames[count++] = address;
  }
  return count;
}

#else

int kvos_capture_slots(uintptr_t *frames, uintptr_t *slots, int capacity) {
  (void)frames, (void)slots, (void)capacity;
  return 0;
}

#endif
