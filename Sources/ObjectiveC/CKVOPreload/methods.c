// Names of methods whose code has none: of images without a symbol table, such as a distribution's GNUstep.
//
// The nearest symbol would be a wrong name there, because only exported functions of such a library have symbols. But
// the runtime knows where each method begins, and the unwind table knows where the function of an address begins: if
// the two are the same, the name is certain.
//
// Races: tables are created by the first thread that needs a stack, outside of all locks, because the runtime has one
// of its own. Two threads may each create one; the later one is kept. A table is never changed and never freed: another
// thread may be reading it. Their number is how often classes were loaded between two new stacks.

#include "preload.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CKVOUnwind.h"

#define IMAGE_LIMIT 64u

typedef struct {
  uintptr_t start, end;
} Range;

typedef struct {
  Range images[IMAGE_LIMIT];
  uint32_t imageCount;
  /// Methods in the images, by their address; open addressing, at most half full.
  uint64_t mask, count;
  KVOSMethodName *methods;
} Names;

typedef struct {
  void *text;
  void *data;
  void *function;
} Bases;

typedef const void *(*FindFunction)(void *address, Bases *bases);

atomic_bool kvos_hasNames;
static _Atomic(Names *) present;
static _Atomic(FindFunction) findFunction;

// MARK: - Images

// Whether the file has a symbol table of its own. A file that cannot be read is assumed to have one.
static bool has_symbols(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  ElfW(Ehdr) head;
  bool hasSymbols = pread(file, &head, sizeof head, 0) != sizeof head;
  for (unsigned at = 0; !hasSymbols && at < head.e_shnum; at++) {
    ElfW(Shdr) section;
    off_t offset = (off_t)(head.e_shoff + (uint64_t)at * head.e_shentsize);
    if (pread(file, &section, sizeof section, offset) != sizeof section) break;
    hasSymbols = section.sh_type == SHT_SYMTAB;
  }
  close(file);
  return hasSymbols;
}

// Whether its symbols are installed beside it, where the log's reader finds them.
static bool has_debug_file(const KVOSImage *image) {
  char path[256] = "/usr/lib/debug/.build-id/";
  size_t count = strlen(path);
  if (image->buildIDByteCount < 2 || image->buildIDByteCount > 64) return false;
  for (size_t at = 0; at < image->buildIDByteCount; at++) {
    count += (size_t)snprintf(path + count, sizeof path - count, at == 0 ? "%02x/" : "%02x", image->buildID[at]);
  }
  snprintf(path + count, sizeof path - count, ".debug");
  return access(path, R_OK) == 0;
}

static void note_image(const KVOSImage *image, void *context) {
  Names *names = context;
  if (names->imageCount == IMAGE_LIMIT || has_symbols(image->path) || has_debug_file(image)) return;
  names->images[names->imageCount++] = (Range){image->textStart, image->textEnd};
}

static bool is_nameless(const Names *names, uintptr_t address) {
  for (uint32_t at = 0; at < names->imageCount; at++) {
    if (address >= names->images[at].start && address < names->images[at].end) return true;
  }
  return false;
}

// MARK: - Methods

static KVOSMethodName *slot_of(const Names *names, uintptr_t address) {
  uint64_t at = address * 0x9E3779B97F4A7C15u >> 24 & names->mask;
  while (names->methods[at].address != 0 && names->methods[at].address != address) {
    at = (at + 1) & names->mask;
  }
  return &names->methods[at];
}

static bool grow(Names *names) {
  Names larger = *names;
  larger.mask = names->methods ? names->mask * 2 + 1 : 4095;
  larger.methods = calloc(larger.mask + 1, sizeof *larger.methods);
  if (larger.methods == NULL) return false;
  for (uint64_t at = 0; names->methods && at <= names->mask; at++) {
    if (names->methods[at].address == 0) continue;
    *slot_of(&larger, names->methods[at].address) = names->methods[at];
  }
  free(names->methods);
  *names = larger;
  return true;
}

static void note_method(const KVOSMethodName *method, void *context) {
  Names *names = context;
  if (!is_nameless(names, method->address)) return;
  if ((names->methods == NULL || names->count * 2 > names->mask) && !grow(names)) return;
  KVOSMethodName *slot = slot_of(names, method->address);
  // Methods with the same implementation have the name of the first.
  if (slot->address != 0) return;
  *slot = *method;
  names->count++;
}

// With the recorder's lock held.
static size_t name_frame(uintptr_t address, char *buffer, size_t byteCount) {
  const Names *names = atomic_load_explicit(&present, memory_order_acquire);
  FindFunction find = atomic_load_explicit(&findFunction, memory_order_relaxed);
  // A return address: the call is one byte before it.
  if (names == NULL || names->methods == NULL || !is_nameless(names, address - 1)) return 0;
  Bases bases = {NULL, NULL, NULL};
  if (find == NULL || find((void *)(address - 1), &bases) == NULL) return 0;
  const KVOSMethodName *method = slot_of(names, (uintptr_t)bases.function);
  if (method->address == 0) return 0;
  int count = snprintf(buffer, byteCount, "%c[%s %s]", method->sign, method->className, method->selector);
  return count > 0 && (size_t)count < byteCount ? (size_t)count : 0;
}

void kvos_forget_names(void) { atomic_store_explicit(&kvos_hasNames, false, memory_order_relaxed); }

void kvos_prepare_names(void) {
  atomic_store_explicit(&kvos_hasNames, true, memory_order_relaxed);
  Names *names = calloc(1, sizeof *names);
  if (names == NULL) return;
  kvos_visit_images(note_image, names);
  if (names->imageCount > 0) kvos_visit_methods(note_method, names);
  void *find = dlsym(RTLD_DEFAULT, "_Unwind_Find_FDE");
  atomic_store_explicit(&findFunction, (FindFunction)find, memory_order_relaxed);
  // release: a thread that sees the table sees its content.
  atomic_store_explicit(&present, names, memory_order_release);
  kvos_name_frames(name_frame);
}
