// Thunks: each is a separate method implementation, and knows which class's method it replaces.
//
// A class that overrides a method and calls super goes through two of them, so one function for all would not know
// which original to call. They are never freed: a hooked method may be running, or its function pointer may be stored
// elsewhere.
//
// Races: a thunk is taken with an atomic counter, its point is filled, and then its address is stored
// into the method with release.

#include "functions.h"

#include <stdatomic.h>

#define THUNK_COUNT 4096u
#define DEALLOC_COUNT 8u

static KVOSHookPoint points[THUNK_COUNT];
static KVOSHandler handlers[THUNK_COUNT];
static KVOSHookPoint deallocPoints[DEALLOC_COUNT];
static KVOSDeallocHandler deallocHandler;
static atomic_uint takenCount, deallocTakenCount;

// The rows are a table.
// clang-format off

// Reports cut frames with this prefix.
#define THUNK(number)                                                                             \
  static void kvos_thunk_##number(void *self, void *selector, uintptr_t first, uintptr_t second, \
                                  uintptr_t third, uintptr_t fourth) {                           \
    handlers[0x##number](&points[0x##number], self, selector, first, second, third, fourth);     \
  }
#define ADDRESS(number) kvos_thunk_##number,
#define SIXTEEN(do, high)                                                                         \
  do(high##0) do(high##1) do(high##2) do(high##3) do(high##4) do(high##5) do(high##6) do(high##7) \
  do(high##8) do(high##9) do(high##a) do(high##b) do(high##c) do(high##d) do(high##e) do(high##f)
#define ROW(do, high)                                                                          \
  SIXTEEN(do, high##0) SIXTEEN(do, high##1) SIXTEEN(do, high##2) SIXTEEN(do, high##3)         \
  SIXTEEN(do, high##4) SIXTEEN(do, high##5) SIXTEEN(do, high##6) SIXTEEN(do, high##7)         \
  SIXTEEN(do, high##8) SIXTEEN(do, high##9) SIXTEEN(do, high##a) SIXTEEN(do, high##b)         \
  SIXTEEN(do, high##c) SIXTEEN(do, high##d) SIXTEEN(do, high##e) SIXTEEN(do, high##f)
#define ALL(do)                                                                       \
  ROW(do, 0) ROW(do, 1) ROW(do, 2) ROW(do, 3) ROW(do, 4) ROW(do, 5) ROW(do, 6) ROW(do, 7) \
  ROW(do, 8) ROW(do, 9) ROW(do, a) ROW(do, b) ROW(do, c) ROW(do, d) ROW(do, e) ROW(do, f)

ALL(THUNK)

static const KVOSMethod thunks[THUNK_COUNT] = {ALL(ADDRESS)};

// Every object passes through here once.
#define DEALLOC_THUNK(number)                                              \
  static void kvos_dealloc_thunk_##number(void *self, void *selector) {    \
    deallocHandler(&deallocPoints[number], self, selector);                \
  }
DEALLOC_THUNK(0) DEALLOC_THUNK(1) DEALLOC_THUNK(2) DEALLOC_THUNK(3)
DEALLOC_THUNK(4) DEALLOC_THUNK(5) DEALLOC_THUNK(6) DEALLOC_THUNK(7)

// A generic function pointer, which may be cast to any type.
typedef void (*Function)(void);
#define DEALLOC_ADDRESS(number) (Function)kvos_dealloc_thunk_##number
static const Function deallocThunks[DEALLOC_COUNT] = {
    DEALLOC_ADDRESS(0), DEALLOC_ADDRESS(1), DEALLOC_ADDRESS(2), DEALLOC_ADDRESS(3),
    DEALLOC_ADDRESS(4), DEALLOC_ADDRESS(5), DEALLOC_ADDRESS(6), DEALLOC_ADDRESS(7),
};
// clang-format on

void kvos_handle_dealloc(KVOSDeallocHandler handler) { deallocHandler = handler; }

KVOSMethod kvos_take_thunk(KVOSHook hook, KVOSHandler handler, KVOSHookPoint **point) {
  bool isDealloc = hook == KVOS_DEALLOC;
  atomic_uint *count = isDealloc ? &deallocTakenCount : &takenCount;
  unsigned number = atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
  if (number >= (isDealloc ? DEALLOC_COUNT : THUNK_COUNT)) {
    atomic_fetch_sub_explicit(count, 1, memory_order_relaxed);
    return NULL;
  }
  if (isDealloc) {
    *point = &deallocPoints[number];
    return (KVOSMethod)deallocThunks[number];
  }
  handlers[number] = handler;
  *point = &points[number];
  return thunks[number];
}

static void extend(uintptr_t address, uintptr_t *first, uintptr_t *last) {
  if (address < *first) *first = address;
  if (address > *last) *last = address;
}

// The range of all thunks. Two threads find the same range; `last` is stored last and read first.
static void find_extent(_Atomic uintptr_t *first, _Atomic uintptr_t *last) {
  uintptr_t low = UINTPTR_MAX, high = 0;
  for (unsigned at = 0; at < THUNK_COUNT; at++) extend((uintptr_t)thunks[at], &low, &high);
  for (unsigned at = 0; at < DEALLOC_COUNT; at++) extend((uintptr_t)deallocThunks[at], &low, &high);
  atomic_store_explicit(first, low, memory_order_relaxed);
  atomic_store_explicit(last, high, memory_order_release);
}

// The start of the first thunk, and of the last. Few methods are thunks, and few callers: others are recognized by
// their address.
static bool is_within(uintptr_t address, uintptr_t room) {
  static _Atomic uintptr_t first, last;
  if (atomic_load_explicit(&last, memory_order_acquire) == 0) find_extent(&first, &last);
  return address >= atomic_load_explicit(&first, memory_order_relaxed) &&
         address <= atomic_load_explicit(&last, memory_order_relaxed) + room;
}

bool kvos_is_thunk_code(uintptr_t address) {
  enum {
    longestThunk = 128
  };
  return is_within(address, longestThunk);
}

const KVOSHookPoint *kvos_point_of(KVOSMethod implementation) {
  uintptr_t address = (uintptr_t)implementation;
  if (!is_within(address, 0)) return NULL;
  // The compiler places them consecutively, all of about the same size.
  uintptr_t start = (uintptr_t)thunks[0], end = (uintptr_t)thunks[THUNK_COUNT - 1];
  if (address >= start && address <= end) {
    uintptr_t guess = (address - start) * (THUNK_COUNT - 1) / (end - start);
    if (thunks[guess] == implementation) return &points[guess];
  }
  for (unsigned at = 0; at < THUNK_COUNT; at++) {
    if (thunks[at] == implementation) return &points[at];
  }
  for (unsigned at = 0; at < DEALLOC_COUNT; at++) {
    if ((KVOSMethod)deallocThunks[at] == implementation) return &deallocPoints[at];
  }
  return NULL;
}
