// Lists the images of the process: the information that a later symbol lookup needs.

#define _GNU_SOURCE
#include "CKVOUnwind.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
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

static int visit_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  Visit *visit = context;
  char executable[PATH_MAX];
  KVOSImage image = {.path = info->dlpi_name, .loadBias = info->dlpi_addr};
  if (image.path == NULL || image.path[0] == 0) {  // the executable, by convention
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    if (length <= 0) return 0;
    executable[length] = 0;
    image.path = executable;
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
  if (image.textEnd > 0) visit->visit(&image, visit->context);
  return 0;
}

void kvos_visit_images(void (*visit)(const KVOSImage *, void *), void *context) {
  Visit both = {visit, context};
  dl_iterate_phdr(visit_image, &both);
}
