// Where a change is made: the program's call of a setter, or of a method that announces a change.
//
// A setter that the Foundation generated is between the program's call and the change. It begins the change at one call
// site, where its frame always has the same size, and its own return address follows that frame. libunwind measures the
// frame once, and confirms each caller once: a word that is not a confirmed caller of that setter is never logged.
//
// Races: the tables below only grow and take no lock. A thread that fills a row takes it by its value, and publishes
// the key after that (release); reads use the reverse order (acquire).

#include "preload.h"

#include "CKVOUnwind.h"

// The Foundation's code: the location where it begins a change is not reported, because it also ends it.
typedef struct {
  uintptr_t address, start, end;
} Extent;

static void note_extent(const KVOSImage *image, void *context) {
  Extent *extent = context;
  if (extent->address < image->textStart || extent->address >= image->textEnd) return;
  extent->start = image->textStart;
  extent->end = image->textEnd;
}

// Two threads that search for it concurrently find the same.
bool kvos_is_in_foundation(uintptr_t address) {
  static _Atomic uintptr_t start, end;
  // acquire: pairs with the release below.
  uintptr_t last = atomic_load_explicit(&end, memory_order_acquire);
  if (KVOS_UNLIKELY(last == 0)) {
    uintptr_t first = 0, other = 0;
    kvos_find_methods(kvos_semantics()->knownByClass, &first, &other);
    Extent extent = {first, 0, UINTPTR_MAX};
    kvos_visit_images(note_extent, &extent);
    atomic_store_explicit(&start, extent.start, memory_order_relaxed);
    // release: a thread that sees the end sees the start.
    atomic_store_explicit(&end, extent.end, memory_order_release);
    last = extent.end;
  }
  return address >= atomic_load_explicit(&start, memory_order_relaxed) && address < last;
}

// The table below has examined return addresses; a bit above all address bits marks those in a setter. It only grows
// and takes no lock; an address that does not fit is examined each time.
#define KNOWN_CALLER_COUNT 1024u
#define IS_SETTER ((uint64_t)1 << 63)

// Whether the address is in a method of the class that the Foundation created for the object; its setters are
// consecutive functions.
static bool is_in_made_class(uintptr_t address, const void *subject) {
  static _Atomic uint64_t known[KNOWN_CALLER_COUNT];
  enum {
    longestSetter = 1024,
    farthest = 8
  };
  _Atomic uint64_t *slot = NULL;
  uint64_t home = (uint64_t)address * 0x9E3779B97F4A7C15u >> 54;
  for (unsigned turn = 0; turn < farthest && slot == NULL; turn++) {
    _Atomic uint64_t *each = &known[(home + turn) % KNOWN_CALLER_COUNT];
    // relaxed: only the word is published, and two threads that fill it write the same.
    uint64_t found = atomic_load_explicit(each, memory_order_relaxed);
    if ((found & ~IS_SETTER) == address) return (found & IS_SETTER) != 0;
    if (found == 0) slot = each;
  }
  bool isSetter = kvos_is_near_made_method(subject, address, longestSetter);
  if (slot) atomic_store_explicit(slot, address | (isSetter ? IS_SETTER : 0), memory_order_relaxed);
  return isSetter;
}

// Whether the address is in a setter that the Foundation generated: it begins a change when a program sets a value, and
// always ends it.
static bool is_setter(uintptr_t address, const void *subject) {
  static _Atomic uintptr_t start, end;
  const char *class = kvos_semantics()->setterClass;
  if (class == NULL) return is_in_made_class(address, subject);
  // acquire: pairs with the release below.
  uintptr_t last = atomic_load_explicit(&end, memory_order_acquire);
  if (KVOS_UNLIKELY(last == 0)) {
    enum {
      longestSetter = 1024
    };
    uintptr_t first = 0;
    last = kvos_find_methods(class, &first, &last) ? last + longestSetter : 1;
    atomic_store_explicit(&start, first, memory_order_relaxed);
    // release: a thread that sees the end sees the start.
    atomic_store_explicit(&end, last, memory_order_release);
  }
  return address >= atomic_load_explicit(&start, memory_order_relaxed) && address < last;
}

// MARK: - The call of a hooked method

// The location of the call's return address on the stack. `frame`: the frame of the method that replaces the original;
// between it and the call is the thunk, unless the compiler made it a jump.
static void *const *slot_of_caller(void *const *frame) {
  return kvos_is_thunk_code((uintptr_t)frame[1]) ? (void *const *)frame[0] + 1 : frame + 1;
}

bool kvos_is_of_foundation(const KVOSHookPoint *point) { return kvos_is_in_foundation((uintptr_t)point->original); }

bool kvos_is_foundation_root(const KVOSHookPoint *point) { return point->isRoot && kvos_is_of_foundation(point); }

bool kvos_is_called_by_foundation(void *const *frame) {
  return kvos_is_in_foundation((uintptr_t)*slot_of_caller(frame));
}

bool kvos_is_called_by_foundation_but_setter(const void *subject, void *const *frame) {
  uintptr_t address = (uintptr_t)*slot_of_caller(frame);
  return kvos_is_in_foundation(address) && !is_setter(address, subject);
}

bool kvos_is_fixed_key(const void *keyObject, const void *subject, void *const *frame) {
  size_t byteCount = 0;
  return kvos_literal_text(keyObject, &byteCount) || is_setter((uintptr_t)*slot_of_caller(frame), subject);
}

// MARK: - The call of a setter

#define FARTHEST 8u

// The size of a setter's frame at the point where it begins a change; `notMeasured`: unknown.
typedef struct {
  _Atomic uintptr_t address;
  _Atomic uint32_t byteCount;
} FrameSize;

// A setter and its caller, both mixed into one word, and the stack of only that call.
typedef struct {
  _Atomic uint64_t key;
  _Atomic uint32_t site;
} KnownCall;

enum {
  frameSizeCount = 256,
  knownCallCount = 4096,
  notMeasured = 1
};
/// Used instead of a stack: the Foundation called the setter.
static const uint32_t ofFoundation = UINT32_MAX;

static FrameSize frameSizes[frameSizeCount];
static KnownCall knownCalls[knownCallCount];

static uint64_t mix(uintptr_t first, uintptr_t second) {
  uint64_t mixed = (first ^ second << 17 ^ second >> 47) * 0x9E3779B97F4A7C15u;
  return (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93u | 1;
}

// Not inlined, as the next: a thread may have little stack.
__attribute__((noinline)) static uint32_t measure_frame(void *const *slot) {
  enum {
    capacity = 16
  };
  uintptr_t frames[capacity], slots[capacity];
  int count = kvos_capture_slots(frames, slots, capacity);
  for (int at = 0; at + 1 < count; at++) {
    if (slots[at] != (uintptr_t)slot || frames[at] != (uintptr_t)*slot) continue;
    uintptr_t byteCount = slots[at + 1] - slots[at];
    return byteCount <= UINT16_MAX && byteCount >= sizeof(uintptr_t) ? (uint32_t)byteCount : notMeasured;
  }
  return notMeasured;
}

static uint32_t frame_size(void *const *slot) {
  uintptr_t address = (uintptr_t)*slot;
  FrameSize *row = NULL;
  for (unsigned turn = 0; turn < FARTHEST && row == NULL; turn++) {
    FrameSize *each = &frameSizes[(mix(address, 0) >> 40) + turn & (frameSizeCount - 1)];
    // acquire: pairs with the release below.
    uintptr_t found = atomic_load_explicit(&each->address, memory_order_acquire);
    if (KVOS_LIKELY(found == address)) return atomic_load_explicit(&each->byteCount, memory_order_relaxed);
    if (found == 0) row = each;
  }
  if (row == NULL) return notMeasured;
  uint32_t byteCount = measure_frame(slot), none = 0;
  // Two threads may have chosen one row for different setters: the first one keeps it.
  if (atomic_compare_exchange_strong_explicit(&row->byteCount, &none, byteCount, memory_order_relaxed,
                                              memory_order_relaxed)) {
    // release: a thread that sees the address sees the size.
    atomic_store_explicit(&row->address, address, memory_order_release);
  }
  return byteCount;
}

// Whether libunwind finds this caller after the setter.
static bool is_called_by(uintptr_t setter, uintptr_t caller) {
  size_t count = 0;
  const uintptr_t *frames = kvos_stack(kvos_stack_id(), &count);
  for (size_t at = 0; frames && at + 1 < count; at++) {
    if (frames[at] == setter) return frames[at + 1] == caller;
  }
  return false;
}

// The stack of the call, or 0: not seen there before, and libunwind finds something else.
static uint32_t site_of_call(uintptr_t setter, uintptr_t caller) {
  uint64_t key = mix(setter, caller);
  KnownCall *row = NULL;
  for (unsigned turn = 0; turn < FARTHEST && row == NULL; turn++) {
    KnownCall *each = &knownCalls[(key >> 40) + turn & (knownCallCount - 1)];
    // acquire: pairs with the release below.
    uint64_t found = atomic_load_explicit(&each->key, memory_order_acquire);
    if (KVOS_LIKELY(found == key)) return atomic_load_explicit(&each->site, memory_order_relaxed);
    if (found == 0) row = each;
  }
  if (!is_called_by(setter, caller)) return 0;
  uint32_t site = kvos_is_in_foundation(caller) ? ofFoundation : kvos_site_id(caller);
  uint32_t none = 0;
  // As above: another thread may concurrently write the entry of another call.
  if (row && site != 0 &&
      atomic_compare_exchange_strong_explicit(&row->site, &none, site, memory_order_relaxed, memory_order_relaxed)) {
    // release: a thread that sees the key sees the stack.
    atomic_store_explicit(&row->key, key, memory_order_release);
  }
  return site;
}

// The stack of the program's call of the setter that begins a change, or 0. Reads only the thread's own stack.
__attribute__((no_sanitize("address", "thread"))) static uint32_t find_call_of_setter(void *const *slot) {
  uint32_t byteCount = frame_size(slot);
  if (byteCount == notMeasured) return 0;
  uintptr_t other = (uintptr_t)slot + byteCount;
  if (kvos_distance_from_stack_end(other) < sizeof(uintptr_t)) return 0;
  uint32_t site = site_of_call((uintptr_t)*slot, *(const uintptr_t *)other);
  return site == ofFoundation ? kvos_stack_id() : site;
}

uint32_t kvos_find_site(const KVOSHookPoint *point, const void *subject, void *const *frame) {
  void *const *slot = slot_of_caller(frame);
  uintptr_t address = (uintptr_t)*slot;
  if (is_setter(address, subject)) {
    // The end of a setter's change is captured only if it may be a fault, and with its whole stack.
    bool isBeginning = point->hook == KVOS_WILL || point->hook == KVOS_WILL_INDEXES || point->hook == KVOS_WILL_SET;
    return isBeginning ? find_call_of_setter(slot) : 0;
  }
  return kvos_is_in_foundation(address) ? kvos_stack_id() : kvos_site_id(address);
}
