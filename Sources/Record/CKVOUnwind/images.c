// Lists the images of the process: the information that a later symbol lookup needs.

#define _GNU_SOURCE
#include "CKVOUnwind.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  void (*visit)(const KVOSImage *, void *);
  void *context;
} Visit;

// Notes are (name length, content length, type, name, content), each padded to four bytes.
static void find_build_id(KVOSImage *image, const uint8_t *notes, size_t byteCount) {
  size_t offset = 0;
  while (offset + sizeof(ElfW(Nhdr)) <= byteCount) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(notes + offset);
    size_t name = offset + sizeof *note;
    size_t content = name + (((size_t)note->n_namesz + 3) & ~(size_t)3);
    size_t end = content + (((size_t)note->n_descsz + 3) & ~(size_t)3);
    if (end > byteCount || end <= offset) return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
      image->buildID = notes + content;
      image->buildIDByteCount = note->n_descsz;
      return;
    }
    offset = end;
  }
}

// Copies the path in a line of /proc/self/maps into PATH_MAX bytes, if the line's range contains the address, and the
// file was not deleted.
static bool read_mapping(const char *line, uint64_t address, char *path) {
  static const char gone[] = " (deleted)";
  char *rest;
  uint64_t start = strtoull(line, &rest, 16);
  uint64_t end = *rest == '-' ? strtoull(rest + 1, NULL, 16) : 0;
  const char *file = strchr(line, '/');
  if (file == NULL || address < start || address >= end) return false;
  size_t length = strlen(file), goneLength = sizeof gone - 1;
  if (length >= PATH_MAX || (length > goneLength && strcmp(file + length - goneLength, gone) == 0)) return false;
  memcpy(path, file, length + 1);
  return true;
}

// The absolute path of the file that is mapped at the address, for an image that was opened by a relative one: the
// working directory may have been another then. Not inlined: a thread may have little stack, and few images need it.
__attribute__((noinline)) static bool find_mapped_path(uint64_t address, char *path) {
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return false;
  char text[PATH_MAX + 128];
  size_t count = 0;
  bool isFound = false;
  while (!isFound) {
    ssize_t added = read(maps, text + count, sizeof text - 1 - count);
    if (added <= 0) break;
    count += (size_t)added;
    text[count] = 0;
    char *line = text, *end;
    while (!isFound && (end = strchr(line, '\n')) != NULL) {
      *end = 0;
      isFound = read_mapping(line, address, path);
      line = end + 1;
    }
    count -= (size_t)(line - text);
    memmove(text, line, count);
  }
  close(maps);
  return isFound;
}

static int visit_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  Visit *visit = context;
  char path[PATH_MAX];
  KVOSImage image = {.path = info->dlpi_name, .loadBias = info->dlpi_addr};
  if (image.path == NULL || image.path[0] == 0) {  // the executable, by convention
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    image.path = path;
  }
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    uint64_t start = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && (header->p_flags & PF_X)) {
      if (image.textEnd == 0 || start < image.textStart) image.textStart = start;
      if (start + header->p_memsz > image.textEnd) image.textEnd = start + header->p_memsz;
    } else if (header->p_type == PT_NOTE && image.buildID == NULL) {
      find_build_id(&image, (const uint8_t *)(uintptr_t)start, header->p_memsz);
    }
  }
  // The kernel's own image has a name without a path.
  bool isRelative = image.path[0] != '/' && strchr(image.path, '/') != NULL;
  if (isRelative && image.textEnd > 0 && find_mapped_path(image.textStart, path)) image.path = path;
  if (image.textEnd > 0) visit->visit(&image, visit->context);
  return 0;
}

void kvos_visit_images(void (*visit)(const KVOSImage *, void *), void *context) {
  Visit both = {visit, context};
  dl_iterate_phdr(visit_image, &both);
}
