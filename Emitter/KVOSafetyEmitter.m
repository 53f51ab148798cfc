// KVOSafetyEmitter.m: records what an Objective-C program observes, for kvo-audit to judge.
//
// ADD IT. Put this one file into the target of your app or test bundle (Xcode: drag it in; no header, no
// library, ARC or not). Then specify a log file, in one of two ways:
//
//   1. the environment variable KVO_SAFETY_EMITTER_LOG (Xcode: Scheme > Run > Arguments), such as
//      /tmp/app-%p.jsonl, where %p is replaced by the process id; recording begins before main;
//   2. a call, as early as possible:
//
//        extern int KVOSafetyEmitterStart(const char *path);   // 0, or an errno
//        extern void KVOSafetyEmitterStop(void);
//        KVOSafetyEmitterStart([NSTemporaryDirectory()
//            stringByAppendingPathComponent: @"kvo-%p.jsonl"].fileSystemRepresentation);
//
// Copy the file from the device or simulator, and run `kvo-audit kvo-123.jsonl`. Do not ship this file with
// your program: Documentation/AppleEmitter.md explains why, and what kvo-audit reports.
//
// WHAT IT DOES. It hooks the public methods that add and remove observers, and -[NSObject dealloc]. Each
// hook writes one line in the grammar of Documentation/LogFormat.md and calls the original; nothing is
// delayed, refused or changed. Without a log file, no method is hooked.
//
// WHAT IT COSTS. For an addition or a removal: a stack, a lock and a write(2). For the deallocation of an
// object that observed or was observed: twice that; for the deallocation of any other object: one read of a
// counter.
//
// WHERE IT WAS TESTED. Only on Linux, with GNUstep 1.28 and gcc's runtime. The code under __APPLE__ below
// uses documented functions, and has not been run.
//
// It is a single file, and therefore longer than others here, so that it can be dropped into other
// projects.

#if !defined(__APPLE__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#import <Foundation/Foundation.h>
#import <objc/runtime.h>

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#if __APPLE__
#include <TargetConditionals.h>
#include <dlfcn.h>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <sys/sysctl.h>
#else
#include <link.h>
#include <sys/syscall.h>
#endif

int KVOSafetyEmitterStart(const char *path);
void KVOSafetyEmitterStop(void);

// Objects are `void *` throughout, so that ARC neither retains an object that is being deallocated nor
// requires a bridge cast in every line.
#if defined(__has_feature)
#if __has_feature(objc_arc)
#define KVOS_OBJECT(pointer) ((__bridge id)(pointer))
#define KVOS_POINTER(object) ((__bridge void *)(object))
#endif
#endif
#ifndef KVOS_OBJECT
#define KVOS_OBJECT(pointer) ((id)(pointer))
#define KVOS_POINTER(object) ((void *)(object))
#endif

// ---------------------------------------------------------------------------------------------------
// State
//
// `kvos_mutex` guards the log, the current line and the table of objects. Only functions of the C library
// are called while it is held: no messages, no originals, no functions that take the loader's lock. So it
// is the last lock that any thread takes.
//
// Read without it: `kvos_is_writing` and `kvos_bucket_counts`, as hints that are checked again under it;
// `kvos_originals`, which is complete before the first hook is called, and never changes.

static pthread_mutex_t kvos_mutex = PTHREAD_MUTEX_INITIALIZER;
static bool kvos_is_writing;

static struct {
  void (*add)(void *, SEL, void *, void *, NSUInteger, void *);
  void (*remove)(void *, SEL, void *, void *);
  void (*removeContext)(void *, SEL, void *, void *, void *);
  void (*dealloc)(void *, SEL);
} kvos_originals;

// The originals for the classes that refuse to be observed: NSArray, NSSet, NSOrderedSet.
#define KVOS_COLLECTION_COUNT 3
static void (*kvos_collection_adds[KVOS_COLLECTION_COUNT])(
    void *, SEL, void *, void *, NSUInteger, void *);

static struct {
  int descriptor;
  dev_t device;
  ino_t file;
  char path[1024];     // with %p
  uint64_t dropped;    // events that could not be written, not reported yet
  unsigned generation; // the number of logs: facts that one log has are repeated in the next
  bool isComplete;
  bool hasCrashed; // no orderly end follows, even if the handler calls exit
} kvos_log = {.descriptor = -1};

// The current line. A line that does not fit counts as an event that could not be written.
static struct {
  char bytes[1 << 16];
  size_t count;
  bool isTooLong;
} kvos_line;

// ---------------------------------------------------------------------------------------------------
// Composing lines, under the mutex

static void kvos_put_bytes(const char *bytes, size_t count) {
  if (count > sizeof kvos_line.bytes - kvos_line.count) {
    kvos_line.isTooLong = true;
    return;
  }
  memcpy(kvos_line.bytes + kvos_line.count, bytes, count);
  kvos_line.count += count;
}

static void kvos_put(const char *text) { kvos_put_bytes(text, strlen(text)); }

static void kvos_put_number(uint64_t number) {
  char digits[24];
  int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
  kvos_put_bytes(digits, (size_t)count);
}

static void kvos_put_address(uintptr_t address) {
  char digits[24];
  int count = snprintf(digits, sizeof digits, "\"0x%llx\"", (unsigned long long)address);
  kvos_put_bytes(digits, (size_t)count);
}

// The length in bytes of the UTF-8 sequence at `bytes`, or 0 if it is malformed: stray and missing bytes,
// overlong forms, surrogates, and code points above U+10FFFF (RFC 3629).
static size_t kvos_sequence_length(const unsigned char *bytes) {
  unsigned char first = bytes[0];
  if (first < 0x80) return 1;
  size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (bytes[1] < low || bytes[1] > high) return 0;
  for (size_t index = 2; index < length; index++)
    if ((bytes[index] & 0xC0) != 0x80) return 0;
  return length;
}

// `text` ends with a zero, and may have others before.
static void kvos_put_long_text(const char *text, size_t count) {
  const unsigned char *bytes = (const unsigned char *)text;
  const unsigned char *end = bytes + count;
  kvos_put("\"");
  while (bytes < end) {
    size_t length = kvos_sequence_length(bytes);
    if (length == 0) {
      kvos_put("\xEF\xBF\xBD"); // U+FFFD
      length = 1;
    } else if (*bytes < 0x20) {
      char escaped[8];
      snprintf(escaped, sizeof escaped, "\\u%04x", *bytes);
      kvos_put(escaped);
    } else {
      if (*bytes == '"' || *bytes == '\\') kvos_put("\\");
      kvos_put_bytes((const char *)bytes, length);
    }
    bytes += length;
  }
  kvos_put("\"");
}

static void kvos_put_text(const char *text) { kvos_put_long_text(text, strlen(text)); }

static uint64_t kvos_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t kvos_thread(void) {
  static __thread uint64_t number;
  static uint64_t last;
  if (number == 0) number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
  return number;
}

static bool kvos_is_main_thread(void) {
#if __APPLE__
  return pthread_main_np() != 0;
#else
  return syscall(SYS_gettid) == getpid();
#endif
}

static void kvos_begin(const char *event) {
  kvos_line.count = 0;
  kvos_line.isTooLong = false;
  kvos_put("{\"event\":\"");
  kvos_put(event);
  kvos_put("\"");
}

static void kvos_put_time_and_thread(void) {
  kvos_put(",\"t\":");
  kvos_put_number(kvos_time());
  kvos_put(",\"thread\":");
  kvos_put_number(kvos_thread());
}

// ---------------------------------------------------------------------------------------------------
// Writing lines, under the mutex

// Checks whether the descriptor is still the log's, and ends the log otherwise: a program may close
// descriptors that it did not open, and then open other files with the same number.
static bool kvos_has_descriptor(struct stat *status) {
  if (kvos_log.descriptor < 0) return false;
  if (fstat(kvos_log.descriptor, status) == 0 && status->st_dev == kvos_log.device &&
      status->st_ino == kvos_log.file)
    return true;
  kvos_log.descriptor = -1;
  __atomic_store_n(&kvos_is_writing, false, __ATOMIC_RELAXED);
  return false;
}

// Writes all bytes or none. First checks whether the write could end the process or modify a file of the
// program: a write beyond the size limit raises SIGXFSZ.
static bool kvos_write(const char *bytes, size_t count) {
  struct stat status;
  if (!kvos_has_descriptor(&status)) return false;
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      (rlim_t)status.st_size + count > limit.rlim_cur)
    return false;
  size_t written = 0;
  while (written < count) {
    ssize_t result = write(kvos_log.descriptor, bytes + written, count - written);
    if (result < 0 && errno == EINTR) continue;
    if (result <= 0) {
      // A partial line would be read as damage.
      if (written > 0 && ftruncate(kvos_log.descriptor, status.st_size) != 0) return false;
      return false;
    }
    written += (size_t)result;
  }
  return true;
}

static void kvos_report_dropped(void) {
  if (kvos_log.dropped == 0) return;
  char line[128];
  int count = snprintf(
      line, sizeof line, "{\"event\":\"dropped\",\"count\":%llu,\"why\":\"the log could not be written\"}\n",
      (unsigned long long)kvos_log.dropped);
  if (kvos_write(line, (size_t)count)) kvos_log.dropped = 0;
}

static void kvos_end(void) {
  kvos_put("}\n");
  kvos_report_dropped();
  if (kvos_line.isTooLong || kvos_log.dropped > 0 || !kvos_write(kvos_line.bytes, kvos_line.count))
    kvos_log.dropped++;
}

// The first line of the main thread names it.
static void kvos_name_thread(void) {
  static __thread unsigned named;
  if (named == kvos_log.generation) return;
  named = kvos_log.generation;
  if (!kvos_is_main_thread()) return;
  kvos_begin("threadName");
  kvos_put(",\"thread\":");
  kvos_put_number(kvos_thread());
  kvos_put(",\"name\":\"main\"");
  kvos_end();
}

// ---------------------------------------------------------------------------------------------------
// Stacks, and the images that contain them

#define KVOS_FRAME_LIMIT 64

typedef struct {
  void *addresses[KVOS_FRAME_LIMIT];
  int count;
#if __APPLE__
  // Taken before the mutex: dladdr takes the loader's lock.
  Dl_info infos[KVOS_FRAME_LIMIT];
#endif
} kvos_stack;

// The number of images that were listed last, under the mutex.
#if !__APPLE__
static unsigned long long kvos_seen_images;
#endif

static void kvos_put_module(
    const char *path, const unsigned char *identity, size_t identityCount, uintptr_t bias,
    uintptr_t start, uintptr_t end) {
  static const char digits[] = "0123456789abcdef";
  kvos_begin("module");
  kvos_put(",\"path\":");
  kvos_put_text(path);
  if (identityCount > 0) {
    kvos_put(",\"buildID\":\"");
    for (size_t index = 0; index < identityCount; index++) {
      kvos_put_bytes(&digits[identity[index] >> 4], 1);
      kvos_put_bytes(&digits[identity[index] & 15], 1);
    }
    kvos_put("\"");
  }
  kvos_put(",\"loadBias\":");
  kvos_put_address(bias);
  kvos_put(",\"textStart\":");
  kvos_put_address(start);
  kvos_put(",\"textEnd\":");
  kvos_put_address(end);
  kvos_end();
}

#if __APPLE__

#if __LP64__
typedef struct mach_header_64 kvos_header;
typedef struct segment_command_64 kvos_segment;
#define KVOS_SEGMENT LC_SEGMENT_64
#else
typedef struct mach_header kvos_header;
typedef struct segment_command kvos_segment;
#define KVOS_SEGMENT LC_SEGMENT
#endif

// Called by dyld for every existing image when it is registered, and later for each new one.
static void kvos_add_image(const struct mach_header *plain, intptr_t slide) {
  const kvos_header *header = (const kvos_header *)plain;
  const unsigned char *identity = NULL;
  uintptr_t start = 0, end = 0;
  const char *command = (const char *)(header + 1);
  for (uint32_t index = 0; index < header->ncmds; index++) {
    const struct load_command *load = (const struct load_command *)command;
    if (load->cmd == LC_UUID) identity = ((const struct uuid_command *)load)->uuid;
    if (load->cmd == KVOS_SEGMENT) {
      const kvos_segment *segment = (const kvos_segment *)load;
      if (strcmp(segment->segname, SEG_TEXT) == 0) {
        start = (uintptr_t)segment->vmaddr + (uintptr_t)slide;
        end = start + (uintptr_t)segment->vmsize;
      }
    }
    command += load->cmdsize;
  }
  Dl_info info;
  const char *path = dladdr(header, &info) && info.dli_fname ? info.dli_fname : "";
  if (end == start || !*path) return;
  int kept = errno;
  pthread_mutex_lock(&kvos_mutex);
  if (kvos_log.descriptor >= 0)
    kvos_put_module(path, identity, identity ? 16 : 0, (uintptr_t)slide, start, end);
  pthread_mutex_unlock(&kvos_mutex);
  errno = kept;
}

static void kvos_put_images(void) {
  static bool isRegistered;
  if (!isRegistered) {
    isRegistered = true;
    _dyld_register_func_for_add_image(kvos_add_image);
    return;
  }
  for (uint32_t index = 0; index < _dyld_image_count(); index++) {
    const struct mach_header *header = _dyld_get_image_header(index);
    if (header) kvos_add_image(header, _dyld_get_image_vmaddr_slide(index));
  }
}

#else

typedef struct {
  char path[4096];
  unsigned char identity[64];
  size_t identityCount;
  uintptr_t bias, start, end;
} kvos_image;

// Images are collected first and reported later, because the loader's lock is held during the iteration.
typedef struct {
  kvos_image *images;
  size_t count, capacity;
} kvos_image_list;

static void kvos_read_build_id(const char *notes, size_t size, kvos_image *image) {
  size_t offset = 0;
  while (offset + sizeof(ElfW(Nhdr)) <= size) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(notes + offset);
    size_t name = offset + sizeof *note;
    size_t bytes = name + ((note->n_namesz + 3u) & ~(size_t)3);
    if (bytes + note->n_descsz > size) return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
        memcmp(notes + name, "GNU", 4) == 0 && note->n_descsz <= sizeof image->identity) {
      memcpy(image->identity, notes + bytes, note->n_descsz);
      image->identityCount = note->n_descsz;
      return;
    }
    offset = bytes + ((note->n_descsz + 3u) & ~(size_t)3);
  }
}

static int kvos_gather_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  kvos_image_list *list = context;
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 32;
    kvos_image *images = realloc(list->images, capacity * sizeof *images);
    if (!images) return 1;
    list->images = images;
    list->capacity = capacity;
  }
  kvos_image *image = &list->images[list->count];
  memset(image, 0, sizeof *image);
  image->bias = info->dlpi_addr;
  if (info->dlpi_name && *info->dlpi_name) {
    snprintf(image->path, sizeof image->path, "%s", info->dlpi_name);
  } else if (list->count == 0) {
    ssize_t count = readlink("/proc/self/exe", image->path, sizeof image->path - 1);
    image->path[count > 0 ? count : 0] = 0;
  }
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
    uintptr_t start = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_NOTE) {
      kvos_read_build_id((const char *)start, segment->p_memsz, image);
    } else if (segment->p_type == PT_LOAD && segment->p_flags & PF_X) {
      if (image->end == 0 || start < image->start) image->start = start;
      if (start + segment->p_memsz > image->end) image->end = start + segment->p_memsz;
    }
  }
  if (image->path[0] && image->end) list->count++;
  return 0;
}

static int kvos_count_images(struct dl_phdr_info *info, size_t size, void *count) {
  (void)size;
  *(unsigned long long *)count = info->dlpi_adds;
  return 1;
}

// Reports the images, and all of them again if some were added: a reader ignores repeated ones.
static void kvos_put_images(void) {
  unsigned long long added = 0;
  dl_iterate_phdr(kvos_count_images, &added);
  if (added == __atomic_load_n(&kvos_seen_images, __ATOMIC_RELAXED)) return;
  kvos_image_list list = {0};
  dl_iterate_phdr(kvos_gather_image, &list);
  pthread_mutex_lock(&kvos_mutex);
  for (size_t index = 0; index < list.count; index++) {
    kvos_image *image = &list.images[index];
    kvos_put_module(
        image->path, image->identity, image->identityCount, image->bias, image->start, image->end);
  }
  __atomic_store_n(&kvos_seen_images, added, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&kvos_mutex);
  free(list.images);
}

#endif

// Captures the stack from `caller` on, which is the return address of a hook in the program's code.
static void kvos_take_stack(kvos_stack *stack, void *caller) {
  void *addresses[KVOS_FRAME_LIMIT + 8];
  int count = backtrace(addresses, KVOS_FRAME_LIMIT + 8);
  int first = 0;
  while (first < count && addresses[first] != caller) first++;
  if (first == count) first = 0;
  stack->count = count - first < KVOS_FRAME_LIMIT ? count - first : KVOS_FRAME_LIMIT;
  memcpy(stack->addresses, addresses + first, (size_t)stack->count * sizeof *addresses);
#if __APPLE__
  for (int index = 0; index < stack->count; index++)
    if (!dladdr((char *)stack->addresses[index] - 1, &stack->infos[index]))
      memset(&stack->infos[index], 0, sizeof stack->infos[index]);
#else
  kvos_put_images();
#endif
}

static void kvos_put_stack(const kvos_stack *stack) {
  if (stack->count == 0) return;
  kvos_put(",\"stack\":[");
  for (int index = 0; index < stack->count; index++) {
    if (index > 0) kvos_put(",");
    uintptr_t address = (uintptr_t)stack->addresses[index];
#if __APPLE__
    // The auditing machine cannot read Mach-O files, so the names are included.
    const char *symbol = stack->infos[index].dli_sname;
    if (symbol && strcmp(symbol, "<redacted>") != 0) {
      kvos_put("{\"address\":");
      kvos_put_address(address);
      kvos_put(",\"symbol\":");
      kvos_put_text(symbol);
      kvos_put(",\"module\":");
      kvos_put_text(stack->infos[index].dli_fname ? stack->infos[index].dli_fname : "");
      kvos_put("}");
      continue;
    }
#endif
    kvos_put_address(address);
  }
  kvos_put("]");
}

// ---------------------------------------------------------------------------------------------------
// Objects that observe or are observed, under the mutex
//
// An object is identified by a number, not by its address, which allocators use again. It leaves the table
// when its deallocation has returned. Its memory is free a moment earlier, so another thread may get the
// same address before that; for that thread, an object that is being deallocated is not in the table. For
// the deallocating thread it still is, because objects associated with it remove their observations then.

typedef struct kvos_node {
  struct kvos_node *next;
  void *address;
  const char *className;
  uint64_t number;
  uint64_t deallocatingOn; // the thread, or 0
  uint64_t additionCount;  // as an observer, without those that were removed
} kvos_node;

typedef struct {
  const char *className;
  uint64_t number; // 0: none
} kvos_object;

#define KVOS_BUCKET_COUNT (1u << 14)
static kvos_node *kvos_nodes[KVOS_BUCKET_COUNT];
// The number of nodes in each list, so that the deallocation of an object that is in none takes no lock.
static uint32_t kvos_bucket_counts[KVOS_BUCKET_COUNT];
static uint64_t kvos_last_number;

static unsigned kvos_bucket(void *address) {
  uint64_t mixed = ((uint64_t)(uintptr_t)address >> 4) * 0x9E3779B97F4A7C15u;
  return (unsigned)(mixed >> 50);
}

static kvos_node *kvos_find(void *address) {
  for (kvos_node *node = kvos_nodes[kvos_bucket(address)]; node; node = node->next)
    if (node->address == address && (node->deallocatingOn == 0 || node->deallocatingOn == kvos_thread()))
      return node;
  return NULL;
}

// The object at an address, which is added to the table if it is not there.
static kvos_object kvos_meet(void *address, const char *className) {
  kvos_node *node = kvos_find(address);
  if (!node) {
    node = calloc(1, sizeof *node);
    if (!node) return (kvos_object){0};
    unsigned bucket = kvos_bucket(address);
    node->address = address;
    node->className = className;
    node->number = ++kvos_last_number;
    node->next = kvos_nodes[bucket];
    kvos_nodes[bucket] = node;
    __atomic_fetch_add(&kvos_bucket_counts[bucket], 1, __ATOMIC_RELAXED);
  }
  return (kvos_object){node->className, node->number};
}

// Observers that were deallocated while they were registered, the last ones. Programs remove them later, and
// runtimes then compare only the address: nothing is left at it that may be read.
#define KVOS_DEAD_LIMIT 64
static struct {
  void *address;
  kvos_object object;
} kvos_dead[KVOS_DEAD_LIMIT];
static unsigned kvos_dead_count;

static void kvos_remember_dead(const kvos_node *node) {
  unsigned index = kvos_dead_count++ % KVOS_DEAD_LIMIT;
  kvos_dead[index].address = node->address;
  kvos_dead[index].object = (kvos_object){node->className, node->number};
}

// The number is 0 if there is none at the address, or an object that was met since.
static kvos_object kvos_find_dead(void *address) {
  if (kvos_find(address)) return (kvos_object){0};
  for (unsigned turn = 1; turn <= KVOS_DEAD_LIMIT && turn <= kvos_dead_count; turn++) {
    unsigned index = (kvos_dead_count - turn) % KVOS_DEAD_LIMIT;
    if (kvos_dead[index].address == address) return kvos_dead[index].object;
  }
  return (kvos_object){0};
}

static void kvos_count_addition(void *observer, bool isAddition) {
  kvos_node *node = kvos_find(observer);
  if (node && isAddition) node->additionCount++;
  if (node && !isAddition && node->additionCount > 0) node->additionCount--;
}

static void kvos_forget(void *address, uint64_t number) {
  unsigned bucket = kvos_bucket(address);
  for (kvos_node **link = &kvos_nodes[bucket]; *link; link = &(*link)->next) {
    kvos_node *node = *link;
    if (node->address != address || node->number != number) continue;
    *link = node->next;
    if (node->additionCount > 0) kvos_remember_dead(node);
    free(node);
    __atomic_fetch_sub(&kvos_bucket_counts[bucket], 1, __ATOMIC_RELAXED);
    return;
  }
}

static void kvos_put_object(const char *key, kvos_object object) {
  kvos_put(",\"");
  kvos_put(key);
  kvos_put("\":{\"class\":");
  kvos_put_text(object.className);
  kvos_put(",\"id\":\"");
  kvos_put_number(object.number);
  kvos_put("\"}");
}

// ---------------------------------------------------------------------------------------------------
// Querying objects, never under the mutex

// The class that the programmer wrote: runtimes replace the class of an observed object by a subclass.
static const char *kvos_class_name(void *object) {
  Class class = object_getClass(KVOS_OBJECT(object));
  while (class) {
    const char *name = class_getName(class);
    if (strncmp(name, "NSKVONotifying_", 15) != 0 && strncmp(name, "GSKVO", 5) != 0) return name;
    class = class_getSuperclass(class);
  }
  return "?";
}

// Observers that a runtime itself adds to objects in the middle of key paths.
static bool kvos_is_internal(void *observer) {
  const char *name = class_getName(object_getClass(KVOS_OBJECT(observer)));
  return strcmp(name, "NSKeyValueObservationForwarder") == 0 ||
         strcmp(name, "_NSKVOForwardingRelay") == 0;
}

#define KVOS_PATH_SIZE 1024

typedef struct {
  const char *text; // NULL: the object is nil, or has no text
  size_t count;
  char *allocated;
  char buffer[KVOS_PATH_SIZE];
} kvos_text;

// How many bytes the first `length` characters of UTF-16 have: the text may have zeros.
static size_t kvos_byte_count(const char *text, size_t capacity, NSUInteger length) {
  size_t count = 0;
  NSUInteger units = 0;
  for (; count < capacity; count++) {
    unsigned char byte = (unsigned char)text[count];
    bool isFirst = (byte & 0xC0) != 0x80;
    if (isFirst && units == length) break;
    units += isFirst + (byte >= 0xF0);
  }
  return count;
}

// Reads an NSString. Unlike UTF8String, its messages leave nothing in an autorelease pool.
static void kvos_read(void *string, kvos_text *text) {
  text->text = NULL;
  text->allocated = NULL;
  if (!string) return;
  Class class = object_getClass(KVOS_OBJECT(string));
  SEL getSelector = sel_registerName("getCString:maxLength:encoding:");
  SEL lengthSelector = sel_registerName("length");
  SEL sizeSelector = sel_registerName("maximumLengthOfBytesUsingEncoding:");
  BOOL (*get)(void *, SEL, char *, NSUInteger, NSStringEncoding) =
      (BOOL (*)(void *, SEL, char *, NSUInteger, NSStringEncoding))class_getMethodImplementation(
          class, getSelector);
  NSUInteger length = ((NSUInteger (*)(void *, SEL))class_getMethodImplementation(
      class, lengthSelector))(string, lengthSelector);
  memset(text->buffer, 0, KVOS_PATH_SIZE);
  if (get(string, getSelector, text->buffer, KVOS_PATH_SIZE, NSUTF8StringEncoding)) {
    text->text = text->buffer;
    text->count = kvos_byte_count(text->buffer, KVOS_PATH_SIZE - 1, length);
    return;
  }
  NSUInteger (*getSize)(void *, SEL, NSStringEncoding) =
      (NSUInteger (*)(void *, SEL, NSStringEncoding))class_getMethodImplementation(
          class, sizeSelector);
  NSUInteger size = getSize(string, sizeSelector, NSUTF8StringEncoding) + 1;
  text->allocated = calloc(1, size);
  if (!text->allocated) return;
  if (get(string, getSelector, text->allocated, size, NSUTF8StringEncoding)) {
    text->text = text->allocated;
    text->count = kvos_byte_count(text->allocated, size - 1, length);
  } else {
    text->text = "\xEF\xBF\xBD"; // a text that UTF-8 cannot represent
    text->count = 3;
  }
}

static void kvos_free_text(kvos_text *text) { free(text->allocated); }

// ---------------------------------------------------------------------------------------------------
// Events

static bool kvos_is_on(void) { return __atomic_load_n(&kvos_is_writing, __ATOMIC_RELAXED); }

typedef enum { kvos_no_context, kvos_with_context } kvos_context_form;

static void kvos_put_context(kvos_context_form form, void *context) {
  if (form == kvos_no_context) return;
  kvos_put(",\"context\":");
  if (context)
    kvos_put_address((uintptr_t)context);
  else
    kvos_put("null");
}

// An addition or removal that is in progress on this thread. A runtime may implement one by the other
// method (with and without context), which does not count as another call.
typedef struct kvos_call {
  struct kvos_call *outer;
  void *subject, *observer, *keyPath;
  bool isAddition, isReported, hasReturned;
  NSUInteger options;
  void *caller; // the return address of the program's call
  kvos_object subjectObject, observerObject;
  kvos_context_form contextForm;
  void *context;
  kvos_text *path;
} kvos_call;

static __thread kvos_call *kvos_innermost;

static bool kvos_is_repeated(const kvos_call *call) {
  for (kvos_call *outer = call->outer; outer; outer = outer->outer)
    if (outer->isAddition == call->isAddition && outer->subject == call->subject &&
        outer->observer == call->observer && outer->keyPath == call->keyPath)
      return true;
  return false;
}

static void kvos_put_call(const char *event, const kvos_call *call) {
  kvos_begin(event);
  kvos_put_time_and_thread();
  kvos_put_object("subject", call->subjectObject);
  kvos_put_object("observer", call->observerObject);
  if (call->path->text) {
    kvos_put(",\"keyPath\":");
    kvos_put_long_text(call->path->text, call->path->count);
  }
  kvos_put_context(call->contextForm, call->context);
}

static void kvos_put_options(NSUInteger options) {
  static const struct {
    NSUInteger option;
    const char *name;
  } names[] = {
      {NSKeyValueObservingOptionNew, "\"new\""},
      {NSKeyValueObservingOptionOld, "\"old\""},
      {NSKeyValueObservingOptionInitial, "\"initial\""},
      {NSKeyValueObservingOptionPrior, "\"prior\""},
  };
  bool isFirst = true;
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    if (!(options & names[index].option)) continue;
    kvos_put(isFirst ? ",\"options\":[" : ",");
    kvos_put(names[index].name);
    isFirst = false;
  }
  if (!isFirst) kvos_put("]");
}

// The reason why no runtime carries out an addition or removal, or NULL.
static const char *kvos_refusal(const kvos_text *path) {
  if (!path->text) return "nilKeyPath";
  return path->count ? NULL : "emptyKeyPath";
}

// Records a call before it is made. `refusal` is NULL if runtimes carry it out.
static void kvos_report_call(
    kvos_call *call, const char *event, const char *refusal, NSUInteger options, void *caller) {
  const char *subjectClass = kvos_class_name(call->subject);
  bool isDead = call->observerObject.number != 0;
  const char *observerClass = isDead ? NULL : kvos_class_name(call->observer);
  kvos_stack stack;
  kvos_take_stack(&stack, caller);
  pthread_mutex_lock(&kvos_mutex);
  if (kvos_log.descriptor >= 0) {
    call->subjectObject = kvos_meet(call->subject, subjectClass);
    if (!isDead) call->observerObject = kvos_meet(call->observer, observerClass);
    if (call->subjectObject.number && call->observerObject.number) {
      call->isReported = refusal == NULL;
      if (!refusal) kvos_count_addition(call->observer, call->isAddition);
      kvos_name_thread();
      kvos_put_call(refusal ? "refused" : event, call);
      kvos_put_options(options);
      if (refusal) {
        kvos_put(",\"reason\":\"");
        kvos_put(refusal);
        kvos_put("\"");
      }
      kvos_put_stack(&stack);
      kvos_end();
    } else {
      kvos_log.dropped++;
    }
  }
  pthread_mutex_unlock(&kvos_mutex);
}

// Whether an addition that ended with an exception was refused.
//
// Runtimes register an observation before they send its first value, and before that they look up only the
// objects of a path of several keys. So an addition for a single key remains registered if an observer
// raises in the callback that the option Initial requests.
static bool kvos_is_refused(const kvos_call *call) {
  return strchr(call->path->text, '.') || !(call->options & NSKeyValueObservingOptionInitial);
}

// Whether the key path is the only possible reason for the refusal: otherwise a callback may have raised,
// or an overriding method of the program.
static bool kvos_is_refused_for_path(const kvos_call *call) {
  return strchr(call->path->text, '.') && !(call->options & NSKeyValueObservingOptionInitial);
}

// Records that a recorded addition was refused.
static void kvos_report_refused(const kvos_call *call) {
  kvos_stack stack;
  kvos_take_stack(&stack, call->caller);
  pthread_mutex_lock(&kvos_mutex);
  kvos_count_addition(call->observer, false);
  if (kvos_log.descriptor >= 0) {
    kvos_put_call("remove", call);
    kvos_end();
    if (kvos_is_refused_for_path(call)) {
      kvos_put_call("refused", call);
      kvos_put(",\"reason\":\"unknownKey\"");
      kvos_put_stack(&stack);
      kvos_end();
    }
  }
  pthread_mutex_unlock(&kvos_mutex);
}

// Runs when a call has returned, and when an exception propagates out of it. It does not run for an
// uncaught exception: the process ends where it was thrown.
static void kvos_close(kvos_call *call) {
  int kept = errno;
  kvos_innermost = call->outer;
  if (call->isReported && !call->isAddition) {
    pthread_mutex_lock(&kvos_mutex);
    if (kvos_log.descriptor >= 0) {
      kvos_put_call("removeEnd", call);
      kvos_end();
    }
    pthread_mutex_unlock(&kvos_mutex);
  } else if (call->isReported && !call->hasReturned && kvos_is_refused(call)) {
    kvos_report_refused(call);
  }
  kvos_free_text(call->path);
  errno = kept;
}

#define KVOS_CLOSING __attribute__((cleanup(kvos_close)))

static void kvos_open(
    kvos_call *call, const char *event, const char *refusal, NSUInteger options, void *caller) {
  int kept = errno;
  call->options = options;
  call->caller = caller;
  bool isCounted = kvos_is_on() && call->observer && !kvos_is_repeated(call);
  if (isCounted && !call->isAddition) {
    pthread_mutex_lock(&kvos_mutex);
    call->observerObject = kvos_find_dead(call->observer);
    pthread_mutex_unlock(&kvos_mutex);
  }
  if (isCounted && (call->observerObject.number || !kvos_is_internal(call->observer))) {
    kvos_read(call->keyPath, call->path);
    kvos_report_call(call, event, refusal ? refusal : kvos_refusal(call->path), options, caller);
  }
  kvos_innermost = call;
  errno = kept;
}

#define KVOS_CALL(addition, form, givenContext)                                                      \
  kvos_text path = {0};                                                                              \
  kvos_call call KVOS_CLOSING = {                                                                    \
      .outer = kvos_innermost, .subject = self, .observer = observer, .keyPath = keyPath,            \
      .isAddition = addition, .contextForm = form, .context = givenContext, .path = &path}

static void kvos_add(
    void *self, SEL selector, void *observer, void *keyPath, NSUInteger options, void *context) {
  KVOS_CALL(true, kvos_with_context, context);
  kvos_open(&call, "register", NULL, options, __builtin_return_address(0));
  kvos_originals.add(self, selector, observer, keyPath, options, context);
  call.hasReturned = true;
}

static void kvos_add_to_collection(
    unsigned collection, void *caller, void *self, SEL selector, void *observer, void *keyPath,
    NSUInteger options, void *context) {
  KVOS_CALL(true, kvos_with_context, context);
  kvos_open(&call, "register", "notObservable", options, caller);
  kvos_collection_adds[collection](self, selector, observer, keyPath, options, context);
  call.hasReturned = true;
}

// There is one function for each class, because the selector and the object do not say which class's method
// was called.
#define KVOS_COLLECTION(number)                                                                      \
  static void kvos_add_to_collection_##number(                                                       \
      void *self, SEL selector, void *observer, void *keyPath, NSUInteger options, void *context) {   \
    kvos_add_to_collection(                                                                          \
        number, __builtin_return_address(0), self, selector, observer, keyPath, options, context);   \
  }
KVOS_COLLECTION(0)
KVOS_COLLECTION(1)
KVOS_COLLECTION(2)

static void kvos_remove(void *self, SEL selector, void *observer, void *keyPath) {
  KVOS_CALL(false, kvos_no_context, NULL);
  kvos_open(&call, "remove", NULL, 0, __builtin_return_address(0));
  kvos_originals.remove(self, selector, observer, keyPath);
  call.hasReturned = true;
}

static void kvos_remove_context(
    void *self, SEL selector, void *observer, void *keyPath, void *context) {
  KVOS_CALL(false, kvos_with_context, context);
  kvos_open(&call, "remove", NULL, 0, __builtin_return_address(0));
  kvos_originals.removeContext(self, selector, observer, keyPath, context);
  call.hasReturned = true;
}

static void kvos_put_dealloc(const char *event, kvos_object object, const kvos_stack *stack) {
  kvos_name_thread();
  kvos_begin(event);
  kvos_put_time_and_thread();
  kvos_put_object("object", object);
  if (stack) kvos_put_stack(stack);
  kvos_end();
}

// Records that the deallocation of an object in the table begins; returns the number 0 if it is not in the
// table.
static kvos_object kvos_begin_dealloc(void *self, void *caller) {
  kvos_object object = {0};
  int kept = errno;
  kvos_stack stack;
  kvos_take_stack(&stack, caller);
  pthread_mutex_lock(&kvos_mutex);
  kvos_node *node = kvos_find(self);
  if (node && node->deallocatingOn == 0) {
    node->deallocatingOn = kvos_thread();
    object = (kvos_object){node->className, node->number};
    if (kvos_log.descriptor >= 0) kvos_put_dealloc("deinit", object, &stack);
  }
  pthread_mutex_unlock(&kvos_mutex);
  errno = kept;
  return object;
}

static void kvos_end_dealloc(void *self, kvos_object object) {
  int kept = errno;
  pthread_mutex_lock(&kvos_mutex);
  if (kvos_log.descriptor >= 0) kvos_put_dealloc("deinitEnd", object, NULL);
  kvos_forget(self, object.number);
  pthread_mutex_unlock(&kvos_mutex);
  errno = kept;
}

static void kvos_dealloc(void *self, SEL selector) {
  kvos_object object = {0};
  if (__atomic_load_n(&kvos_bucket_counts[kvos_bucket(self)], __ATOMIC_RELAXED) > 0)
    object = kvos_begin_dealloc(self, __builtin_return_address(0));
  kvos_originals.dealloc(self, selector);
  if (object.number) kvos_end_dealloc(self, object);
}

// ---------------------------------------------------------------------------------------------------
// The end of the process

static NSUncaughtExceptionHandler *kvos_previous_handler;

static void kvos_take_exception(NSException *exception) {
  if (kvos_is_on()) {
    kvos_text name = {0}, reason = {0};
    Class class = object_getClass(exception);
    SEL nameSelector = sel_registerName("name"), reasonSelector = sel_registerName("reason");
    void *(*getName)(void *, SEL) =
        (void *(*)(void *, SEL))class_getMethodImplementation(class, nameSelector);
    void *(*getReason)(void *, SEL) =
        (void *(*)(void *, SEL))class_getMethodImplementation(class, reasonSelector);
    kvos_read(getName(KVOS_POINTER(exception), nameSelector), &name);
    kvos_read(getReason(KVOS_POINTER(exception), reasonSelector), &reason);
    kvos_stack stack;
    kvos_take_stack(&stack, __builtin_return_address(0));
    pthread_mutex_lock(&kvos_mutex);
    if (kvos_log.descriptor >= 0) {
      kvos_name_thread();
      kvos_log.hasCrashed = true;
      kvos_begin("crash");
      kvos_put_time_and_thread();
      if (name.text) {
        kvos_put(",\"exception\":");
        kvos_put_long_text(name.text, name.count);
      }
      if (reason.text) {
        kvos_put(",\"reason\":");
        kvos_put_long_text(reason.text, reason.count);
      }
      kvos_put_stack(&stack);
      kvos_end();
    }
    pthread_mutex_unlock(&kvos_mutex);
    kvos_free_text(&name);
    kvos_free_text(&reason);
  }
  if (kvos_previous_handler) kvos_previous_handler(exception);
}

#if !__APPLE__
// Apple's systems have no on_exit: a log without this line is that of a process that may still be running.
static void kvos_take_exit(int status, void *nothing) {
  (void)nothing;
  pthread_mutex_lock(&kvos_mutex);
  if (kvos_log.descriptor >= 0 && !kvos_log.hasCrashed) {
    char text[16];
    snprintf(text, sizeof text, "%d", status);
    kvos_name_thread();
    kvos_begin("exit");
    kvos_put_time_and_thread();
    kvos_put(",\"status\":");
    kvos_put(text);
    kvos_end();
  }
  pthread_mutex_unlock(&kvos_mutex);
}
#endif

// ---------------------------------------------------------------------------------------------------
// Hooking methods

#if !__APPLE__
// gcc's runtime has this function; libobjc2 and Apple's runtime do not, but their method_setImplementation
// works.
extern void __objc_update_dispatch_table_for_class(Class class) __attribute__((weak));

// The layout of a method in gcc's runtime.
typedef struct {
  SEL name;
  const char *types;
  IMP implementation;
} kvos_gcc_method;
#endif

// Replaces a method that `class` itself implements by `function`, and returns the original, or NULL if
// there is none.
static IMP kvos_replace(Class class, const char *selector, IMP function, void *original) {
  if (!class) return NULL;
  unsigned count = 0;
  Method found = NULL;
  Method *methods = class_copyMethodList(class, &count);
  for (unsigned index = 0; index < count; index++)
    if (strcmp(sel_getName(method_getName(methods[index])), selector) == 0) found = methods[index];
  free(methods);
  if (!found) return NULL;
  IMP implementation = method_getImplementation(found);
  // Before the method leads to `function`, which calls the original.
  memcpy(original, &implementation, sizeof implementation);
#if !__APPLE__
  // gcc's own function for this writes into a table that classes share before their first message, so that
  // a removal from one class would run the method of another.
  kvos_gcc_method *plain = (kvos_gcc_method *)found;
  if (__objc_update_dispatch_table_for_class && plain->implementation == implementation) {
    __atomic_store_n(&plain->implementation, function, __ATOMIC_RELEASE);
    __objc_update_dispatch_table_for_class(class);
    return implementation;
  }
#endif
  method_setImplementation(found, function);
  return implementation;
}

static void kvos_install(void) {
  const char *add = "addObserver:forKeyPath:options:context:";
  Class root = objc_getClass("NSObject");
  kvos_replace(root, "dealloc", (IMP)kvos_dealloc, &kvos_originals.dealloc);
  kvos_replace(root, add, (IMP)kvos_add, &kvos_originals.add);
  kvos_replace(
      root, "removeObserver:forKeyPath:", (IMP)kvos_remove, &kvos_originals.remove);
  kvos_replace(
      root, "removeObserver:forKeyPath:context:", (IMP)kvos_remove_context,
      &kvos_originals.removeContext);
  static const char *const names[KVOS_COLLECTION_COUNT] = {"NSArray", "NSSet", "NSOrderedSet"};
  const IMP functions[KVOS_COLLECTION_COUNT] = {
      (IMP)kvos_add_to_collection_0, (IMP)kvos_add_to_collection_1,
      (IMP)kvos_add_to_collection_2};
  for (unsigned index = 0; index < KVOS_COLLECTION_COUNT; index++)
    kvos_replace(
        objc_getClass(names[index]), add, functions[index], &kvos_collection_adds[index]);
}

// ---------------------------------------------------------------------------------------------------
// Starting and stopping

// Replaces %p by the process id; returns false if the result is too long.
static bool kvos_expand(const char *pattern, char *path, size_t size) {
  size_t count = 0;
  for (const char *next = pattern; *next; next++) {
    int added;
    if (next[0] == '%' && next[1] == 'p') {
      added = snprintf(path + count, size - count, "%d", (int)getpid());
      next++;
    } else {
      added = snprintf(path + count, size - count, "%c", *next);
    }
    count += (size_t)added;
    if (count >= size) return false;
  }
  return count > 0;
}

// Opens a regular file and truncates it. A FIFO or a device could block or end the process.
static int kvos_open_file(const char *path) {
  int descriptor =
      open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);
  if (descriptor < 0) return -errno;
  struct stat status;
  int failure = 0;
  if (fstat(descriptor, &status) != 0)
    failure = errno;
  else if (!S_ISREG(status.st_mode))
    failure = EINVAL;
  else if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    failure = EBUSY; // another process writes its log there
  else if (ftruncate(descriptor, 0) != 0)
    failure = errno;
  if (failure) {
    close(descriptor);
    return -failure;
  }
  kvos_log.device = status.st_dev;
  kvos_log.file = status.st_ino;
  return descriptor;
}

// The runtime of the process. Determined before the first log, and without the mutex: the runtime has a lock
// of its own.
static const char *kvos_runtime;

static const char *kvos_find_runtime(void) {
#if __APPLE__
  return "apple";
#else
  // The implementation that stores registrations as Apple's does has its own classes. Its removal with a
  // context proves nothing: 1.31 has it on gcc's runtime too, and ported programs add it to 1.28.
  return objc_lookUpClass("_NSKVOObservationInfo") ? "gnustep-modern" : "gnustep-1.28";
#endif
}

static bool kvos_is_leap_year(unsigned year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

// Writes the time in UTC. Not by gmtime_r: a child of a fork would wait for ever for the lock of a thread of its
// parent that was in such a function.
static void kvos_put_started(void) {
  static const unsigned char lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  uint64_t now = (uint64_t)time(NULL);
  uint64_t days = now / 86400, seconds = now % 86400;
  unsigned year = 1970, month = 0;
  for (; days >= 365u + kvos_is_leap_year(year); year++) days -= 365u + kvos_is_leap_year(year);
  for (;; month++) {
    unsigned length = lengths[month] + (month == 1 && kvos_is_leap_year(year));
    if (days < length) break;
    days -= length;
  }
  char started[48];
  snprintf(
      started, sizeof started, ",\"started\":\"%04u-%02u-%02uT%02u:%02u:%02uZ\"", year, month + 1,
      (unsigned)days + 1, (unsigned)(seconds / 3600), (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60));
  kvos_put(started);
}

static void kvos_put_process(void) {
  char text[4096] = "";
  kvos_begin("process");
  kvos_put(",\"schema\":1,\"pid\":");
  kvos_put_number((uint64_t)getpid());
#if __APPLE__
  uint32_t size = sizeof text;
  if (_NSGetExecutablePath(text, &size) != 0) text[0] = 0;
#else
  ssize_t count = readlink("/proc/self/exe", text, sizeof text - 1);
  text[count > 0 ? count : 0] = 0;
#endif
  if (text[0]) {
    kvos_put(",\"executable\":");
    kvos_put_text(text);
  }
  kvos_put(",\"runtime\":\"");
  kvos_put(kvos_runtime);
  kvos_put("\"");
#if __APPLE__
  size_t length = sizeof text;
  if (sysctlbyname("kern.osproductversion", text, &length, NULL, 0) == 0) {
    char system[64];
    snprintf(system, sizeof system, "%s %.40s", TARGET_OS_IPHONE ? "iOS" : "macOS", text);
#else
  struct utsname name;
  if (uname(&name) == 0) {
    char system[sizeof name.sysname + sizeof name.release + 1];
    snprintf(system, sizeof system, "%s %s", name.sysname, name.release);
#endif
    kvos_put(",\"os\":");
    kvos_put_text(system);
  }
  kvos_put_started();
  kvos_put(kvos_log.isComplete ? ",\"complete\":true" : ",\"complete\":false");
  kvos_end();
}

// Opens the log at `kvos_log.path`, under the mutex; returns an errno, or 0.
static int kvos_open_log(void) {
  char path[1100];
  if (!kvos_expand(kvos_log.path, path, sizeof path)) return ENAMETOOLONG;
  int descriptor = kvos_open_file(path);
  if (descriptor < 0) return -descriptor;
  kvos_log.descriptor = descriptor;
  kvos_log.dropped = 0;
  kvos_log.generation++;
  kvos_log.hasCrashed = false;
#if !__APPLE__
  __atomic_store_n(&kvos_seen_images, 0, __ATOMIC_RELAXED);
#endif
  kvos_put_process();
  __atomic_store_n(&kvos_is_writing, true, __ATOMIC_RELAXED);
  return 0;
}

static void kvos_close_log(void) {
  __atomic_store_n(&kvos_is_writing, false, __ATOMIC_RELAXED);
  kvos_report_dropped();
  struct stat status;
  if (kvos_has_descriptor(&status)) close(kvos_log.descriptor);
  kvos_log.descriptor = -1;
}

static void kvos_before_fork(void) { pthread_mutex_lock(&kvos_mutex); }
static void kvos_after_fork(void) { pthread_mutex_unlock(&kvos_mutex); }

// A child process writes its own log, or none: the open one belongs to its parent.
static void kvos_in_child(void) {
  struct stat status;
  if (kvos_has_descriptor(&status)) {
    close(kvos_log.descriptor);
    kvos_log.descriptor = -1;
    kvos_log.isComplete = false;
    if (!strstr(kvos_log.path, "%p") || kvos_open_log() != 0)
      __atomic_store_n(&kvos_is_writing, false, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&kvos_mutex);
}

static int kvos_start(const char *path, bool isComplete) {
  static bool isPrepared;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (!path || !*path) return EINVAL;
  if (strlen(path) >= sizeof kvos_log.path) return ENAMETOOLONG;
  // The first call of backtrace loads a library, which must not happen inside a hooked call.
  void *addresses[1];
  backtrace(addresses, 1);
  const char *runtime = kvos_find_runtime();
  pthread_once(&once, kvos_install);
  pthread_mutex_lock(&kvos_mutex);
  kvos_close_log();
  bool prepares = !isPrepared;
  isPrepared = true;
  kvos_runtime = runtime;
  snprintf(kvos_log.path, sizeof kvos_log.path, "%s", path);
  kvos_log.isComplete = isComplete;
  int failure = kvos_open_log();
  pthread_mutex_unlock(&kvos_mutex);
  if (prepares) {
    pthread_atfork(kvos_before_fork, kvos_after_fork, kvos_in_child);
    kvos_previous_handler = NSGetUncaughtExceptionHandler();
    NSSetUncaughtExceptionHandler(kvos_take_exception);
#if !__APPLE__
    on_exit(kvos_take_exit, NULL);
#endif
  }
  if (!failure) kvos_put_images();
  return failure;
}

/// Begins a log, which replaces the current one.
///
/// The log is marked as incomplete, because earlier observations are not in it. May be called on any
/// thread; takes a lock while it opens a file.
///
/// @param path  a regular file, which is truncated; `%p` in it is replaced by the process id.
/// @return 0, or the errno that says why there is no log; EBUSY if another process writes to the file. The
///         program then continues unrecorded.
int KVOSafetyEmitterStart(const char *path) { return kvos_start(path, false); }

/// Ends the log, if there is one. May be called on any thread.
void KVOSafetyEmitterStop(void) {
  pthread_mutex_lock(&kvos_mutex);
  kvos_close_log();
  pthread_mutex_unlock(&kvos_mutex);
}

__attribute__((constructor)) static void kvos_start_before_main(void) {
  const char *path = getenv("KVO_SAFETY_EMITTER_LOG");
  if (!path || !*path) return;
  int failure = kvos_start(path, true);
  if (failure)
    fprintf(
        stderr, "KVOSafety: cannot write the log \"%s\": %s. The program runs on, unrecorded.\n", path,
        failure == EINVAL ? "not a regular file" : strerror(failure));
}
