// The crash record: what a crashing process still writes.
//
// Runs in a signal handler, in a process of which nothing is certain. It may not allocate, lock, wait
// for a thread, call a hook or print; its memory is static, and one thread at a time has it. Into the
// log it writes separate segments: what the thread had committed stays as it is.
//
// The order is that of importance:
// 1. the event, with the reason and with the stack by frame pointers;
// 2. the live registrations;
// 3. the stack through libunwind, which may fault or hang. Both stacks are defined; the event names one of two ids that
//    differ in one bit, so that one byte changes and the log is whole all along;
// 4. lengths and checksums.
// A fault in a step leads to the next one. A timer ends a step that hangs.

#include "crash.h"

#include <setjmp.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "CKVOUnwind.h"

// Ids of names that are in no table of the process.
#define FIRST_ID 0x80000000u

// 0: none; -1: the process ends; else the kernel's id of the thread that records its crash.
static _Atomic int32_t owner;
static sigjmp_buf guard;
static volatile uint32_t nextStep;

// State of the owner.
static struct {
  int number;
  const siginfo_t *info;
  const void *context;
  bool isNowhere;
  KVOSRecorder *recorder;
  KVOSPart *part;
  /// Whether the log knows the thread's name.
  bool isNamed;
  KVOSWriter tables;
  KVOSWriter events;
  /// The writer in the state in which it left its first segment.
  KVOSWriter first;
  KVOSCrashReason reason;
  uintptr_t followed[KVOS_FRAME_LIMIT];
  uint32_t followedCount;
  uintptr_t unwound[KVOS_FRAME_LIMIT];
  uint32_t stack;
  _Atomic uint8_t *stackInEvent;
} crash;

static uint32_t lastString = FIRST_ID - 1;
static uint32_t nextStack = FIRST_ID;

// MARK: - Segments

static bool open_segment(KVOSWriter *writer, uint64_t byteCount) {
  kvos_begin_crash_opening(crash.part);
  uint64_t offset = kvos_take(crash.part, byteCount, 0);
  if (offset != 0) kvos_open_segment(writer, crash.part, offset, byteCount);
  kvos_end_crash_opening(crash.part);
  return offset != 0;
}

static void seal_segment(KVOSWriter *writer) {
  KVOSSegment *segment = writer->segment;
  if (segment == NULL) return;
  kvos_note_used(writer);
  writer->segment = NULL;
  kvos_seal_segment(segment, atomic_load_explicit(&segment->used, memory_order_relaxed));
}

static bool make_room(KVOSWriter *writer) {
  // The first one holds the event, which may still change.
  if (crash.first.segment == NULL) {
    crash.first = *writer;
  } else {
    seal_segment(writer);
  }
  return open_segment(writer, 64 << 10) || open_segment(writer, KVOS_PAGE);
}

// MARK: - Names

// The tables' segment has space for everything that is written here.
static uint32_t define_string(const char *bytes, uint32_t byteCount) {
  if (byteCount == 0 || crash.tables.segment == NULL) return 0;
  uint8_t *start = crash.tables.cursor;
  uint8_t *at = kvos_put(kvos_put(start + 1, ++lastString), byteCount);
  memcpy(at, bytes, byteCount);
  crash.tables.cursor = at + byteCount;
  kvos_commit(start, KVOS_KIND_STRING);
  return lastString;
}

static void define_stack(uint32_t id, const uintptr_t *frames, uint32_t count) {
  uint8_t *start = crash.tables.cursor;
  crash.tables.cursor = kvos_put_stack(start + 1, id, frames, count);
  kvos_commit(start, KVOS_KIND_STACK);
}

static const char *name_of(int number) {
  switch (number) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGABRT: return "SIGABRT";
    case SIGFPE: return "SIGFPE";
    default: return "SIGSYS";
  }
}

// MARK: - Steps

static void find_reason(void) { kvos_find_reason(&crash.reason, crash.number, crash.info, crash.isNowhere); }

static void write_thread_name(void) {
  char name[32];
  kvos_thread_name(name, sizeof name);
  uint32_t id = define_string(name, (uint32_t)strlen(name));
  if (id == 0) return;
  uint8_t *start = crash.events.cursor;
  crash.events.cursor = kvos_put(kvos_put_time(&crash.events, start + 1), id);
  kvos_commit(start, KVOS_KIND_THREAD_NAME);
}

static void write_event(void) {
  crash.followedCount =
      (uint32_t)kvos_follow_interrupted(crash.context, crash.isNowhere, crash.followed, KVOS_FRAME_LIMIT);
  uint64_t live = kvos_hold_live_in_crash();
  if (!open_segment(&crash.tables, KVOS_PAGE)) return;
  uint32_t number = define_string(name_of(crash.number), (uint32_t)strlen(name_of(crash.number)));
  uint32_t reason = define_string(crash.reason.text, crash.reason.byteCount);
  crash.stack = nextStack;
  nextStack += 2;
  define_stack(crash.stack, crash.followed, crash.followedCount);
  if (!open_segment(&crash.events, KVOS_PAGE)) return;
  if (!crash.isNamed) write_thread_name();
  uint8_t *start = crash.events.cursor;
  start[1] = 1;  // a stack
  uint8_t *at = kvos_put_time(&crash.events, start + 2);
  crash.stackInEvent = (_Atomic uint8_t *)at;
  at = kvos_put(at, crash.stack);
  uint64_t fields[KVOS_FIELD_LIMIT];
  const uint64_t *last =
      kvos_put_crash(fields, &(KVOSCrashFields){.signal = number, .reason = reason, .hasLive = true, .live = live});
  for (const uint64_t *field = fields; field < last; field++) at = kvos_put(at, *field);
  crash.events.cursor = at;
  kvos_commit(start, KVOS_KIND_CRASH | 0x80);
}

static void write_live(void) {
  if (crash.events.segment) kvos_write_live_in_crash(&crash.events, make_room);
}

static void unwind(void) {
  if (crash.events.segment == NULL) return;
  // A stack that the program gave its handlers may be too small.
  const stack_t *stack = &((const ucontext_t *)crash.context)->uc_stack;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  uintptr_t room = here - (uintptr_t)stack->ss_sp;
  if (here > (uintptr_t)stack->ss_sp && room < stack->ss_size && room < 16 << 10) return;
  uint32_t count = (uint32_t)kvos_unwind_interrupted(crash.context, crash.isNowhere, crash.unwound, KVOS_FRAME_LIMIT);
  if (count < crash.followedCount) return;
  define_stack(crash.stack | 1, crash.unwound, count);
  // The lowest bits of the id come first.
  uint8_t first = atomic_load_explicit(crash.stackInEvent, memory_order_relaxed);
  // release: the stack is there before the event names it.
  atomic_store_explicit(crash.stackInEvent, first | 1, memory_order_release);
}

static void seal(void) {
  seal_segment(&crash.tables);
  seal_segment(&crash.first);
  seal_segment(&crash.events);
  if (atomic_load_explicit(&crash.part->damage, memory_order_relaxed) != KVOS_WHOLE) return;
  // release: a reader of the flag finds the record.
  atomic_store_explicit(&kvos_head(crash.part)->end, KVOS_CRASHED, memory_order_release);
}

static void (*const steps[])(void) = {find_reason, write_event, write_live, unwind, seal};
enum {
  stepCount = sizeof steps / sizeof steps[0],
  notBegun
};

// MARK: - Threads without a writer

typedef struct {
  _Atomic uint64_t thread;
  const KVOSPart *part;
  uint32_t count;
} UntrackedThread;

// That many threads may crash, continue, and be recorded later.
static UntrackedThread untrackedThreads[16];

static UntrackedThread *untracked_thread(const KVOSPart *part, uint64_t thread) {
  for (uint32_t index = 0; index < sizeof untrackedThreads / sizeof untrackedThreads[0]; index++) {
    // acquire: pairs with the release in finish().
    uint64_t known = atomic_load_explicit(&untrackedThreads[index].thread, memory_order_acquire);
    if (known == 0 || (known == thread && untrackedThreads[index].part == part)) return &untrackedThreads[index];
  }
  return NULL;
}

uint32_t kvos_crash_segment_count(const KVOSPart *part, uint64_t thread) {
  const UntrackedThread *found = untracked_thread(part, thread);
  return found && atomic_load_explicit(&found->thread, memory_order_relaxed) ? found->count : 0;
}

// MARK: - One record

static bool begin(void) {
  KVOSRecorder *recorder = kvos_recorder();
  if (!atomic_load_explicit(&recorder->isOn, memory_order_relaxed)) return false;
  kvos_hold_parts(recorder);
  KVOSPart *part = atomic_load_explicit(&recorder->part, memory_order_acquire);
  if (!atomic_load_explicit(&recorder->isOn, memory_order_relaxed) || part == NULL ||
      atomic_load_explicit(recorder->epoch, memory_order_relaxed) == 0 || part->process != getpid() ||
      atomic_load_explicit(&part->damage, memory_order_relaxed)) {
    return false;
  }
  crash.recorder = recorder;
  crash.part = part;
  crash.reason.byteCount = crash.followedCount = 0;
  crash.tables = (KVOSWriter){.type = KVOS_TABLES};
  crash.first = (KVOSWriter){.type = KVOS_EVENTS};
  KVOSWriter *own = recorder->knownWriterOfThread();
  crash.isNamed = own && own->namedIn == part;
  if (own && own->partOfIndex != part) {
    own->partOfIndex = part;
    own->nextIndex = kvos_crash_segment_count(part, own->thread);
    own->nextByteCount = KVOS_FIRST_SEGMENT;
  } else if (own) {
    kvos_complete_opening(own);
  }
  kvos_complete_opening(&recorder->tables);
  uint64_t thread = own ? own->thread : (kvos_thread_number() << 2) + 1;
  if (own == NULL && untracked_thread(part, thread) == NULL) return false;
  uint32_t known = kvos_crash_segment_count(part, thread), ended = kvos_ended_segment_count(part);
  uint32_t index = own ? own->nextIndex : known > ended ? known : ended;
  crash.events = (KVOSWriter){.type = KVOS_EVENTS, .thread = thread, .nextIndex = index};
  return true;
}

static void finish(void) {
  kvos_note_crash_record(crash.recorder, true);
  atomic_store_explicit(&crash.recorder->hasSeenCrash, true, memory_order_relaxed);
  KVOSWriter *own = crash.recorder->knownWriterOfThread();
  if (own) {
    own->nextIndex = crash.events.nextIndex;
    // If the thread continues, its next event comes after the crash.
    own->limit = own->cursor;
    return;
  }
  UntrackedThread *untracked = untracked_thread(crash.part, crash.events.thread);
  untracked->part = crash.part;
  untracked->count = crash.events.nextIndex;
  // release: pairs with the acquire in untracked_thread().
  atomic_store_explicit(&untracked->thread, crash.events.thread, memory_order_release);
}

// MARK: - The timer

// The first signal goes to the thread itself. It may be waiting with all signals blocked, as libunwind does while it
// holds the loader's lock: the second goes to whatever thread takes it.
static const time_t secondsToHalt[] = {1, 2};
static int timers[2] = {-1, -1};

static void set_timers(int32_t thread) {
  for (int index = 0; index < 2; index++) {
    struct sigevent event = {.sigev_signo = SIGSEGV,
                             .sigev_value.sival_ptr = &owner,
                             .sigev_notify = index == 0 ? SIGEV_THREAD_ID : SIGEV_SIGNAL};
    if (index == 0) event._sigev_un._tid = thread;
    // The C library's functions of this name may allocate.
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timers[index]) != 0) {
      timers[index] = -1;
      continue;
    }
    struct itimerspec when = {.it_value.tv_sec = secondsToHalt[index]};
    syscall(SYS_timer_settime, timers[index], 0, &when, NULL);
  }
}

static void clear_timers(void) {
  for (int index = 0; index < 2; index++) {
    if (timers[index] >= 0) syscall(SYS_timer_delete, timers[index]);
    timers[index] = -1;
  }
}

bool kvos_is_crash_timer(const siginfo_t *info) {
  if (info->si_code != SI_TIMER || info->si_value.sival_ptr != (void *)&owner) return false;
  int32_t present = atomic_load_explicit(&owner, memory_order_relaxed);
  if (present == kvos_own_id()) siglongjmp(guard, 1);
  // It waits for something that never happens, and was about to end the process.
  if (present > 0) kvos_end_process(crash.number);
  return true;
}

// MARK: - One thread at a time

static bool become_owner(int32_t self) {
  struct timespec aMoment = {.tv_nsec = 1000000};
  for (int turn = 0; turn < 1000; turn++) {
    int32_t none = 0;
    // acquire: pairs with the release below.
    if (atomic_compare_exchange_strong_explicit(&owner, &none, self, memory_order_acquire, memory_order_relaxed)) {
      return true;
    }
    nanosleep(&aMoment, NULL);
  }
  return false;
}

void kvos_record_crash(int number, const siginfo_t *info, const void *context, bool isLast) {
  int32_t self = kvos_own_id();
  if (atomic_load_explicit(&owner, memory_order_relaxed) == self) siglongjmp(guard, 1);
  if (!become_owner(self)) return;
  crash.number = number;
  crash.info = info;
  crash.context = context;
  crash.isNowhere = (number == SIGSEGV || number == SIGBUS) && info->si_code > 0 &&
                    (uintptr_t)info->si_addr == kvos_interrupted_pc(context);
  nextStep = notBegun;
  // A fault jumps back to here.
  if (sigsetjmp(guard, 1) == 0 && begin()) {
    set_timers(self);
    nextStep = 0;
  }
  while (nextStep < stepCount) steps[nextStep++]();
  if (nextStep == stepCount) {
    nextStep = notBegun;
    clear_timers();
    kvos_release_live_in_crash();
    finish();
  } else {
    kvos_note_crash_record(kvos_recorder(), false);
  }
  // release: the next one finds all of this done.
  atomic_store_explicit(&owner, isLast ? -1 : 0, memory_order_release);
}

void kvos_prepare_crash_record(void) {
  kvos_prepare_unwinding_interrupted();
  kvos_prepare_reason();
}
