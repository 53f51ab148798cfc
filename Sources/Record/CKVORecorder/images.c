#include "recorder.h"

#include <link.h>

static int read_changes(struct dl_phdr_info *info, size_t size, void *context) {
  if (size < offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) return 1;
  *(uint64_t *)context = info->dlpi_adds + info->dlpi_subs;
  return 1;
}

uint64_t kvos_image_change_count(void) {
  uint64_t count = 0;
  dl_iterate_phdr(read_changes, &count);
  return count;
}
