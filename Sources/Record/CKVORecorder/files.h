// The files of a log, for the files of the recorder that name them.

#ifndef KVOS_FILES_H
#define KVOS_FILES_H

#include <limits.h>

#include "KVOSLogFiles.h"

/// Space for suffixes of the path.
#define KVOS_PATH_ROOM (PATH_MAX + 64)

struct KVOSLogFiles {
  char path[PATH_MAX + 32];
  // The path that the last error is about.
  char failed[KVOS_PATH_ROOM];
  // Whether the next log file is open beside the others, and does not have its final name yet.
  bool hasNext;
  bool hasReplaced;
  // The newest file of the recording that was kept last.
  char kept[KVOS_PATH_ROOM];
  // The process whose log was found and kept; -1: none.
  int64_t keptProcess;
  char pattern[];
};

/// The name of the part that is `age` parts older than the newest.
void kvos_name_part(const KVOSLogFiles *files, char name[KVOS_PATH_ROOM], unsigned age);
/// The name of a part that is not yet the newest.
void kvos_name_next_part(const KVOSLogFiles *files, char name[KVOS_PATH_ROOM]);
/// The process that wrote the log of that name; -1: the file is not a log.
int64_t kvos_writer_of_file(const char *name);
/// Whether another program may own the file of that name: it is neither a log nor empty.
bool kvos_is_foreign_file(const char *name);

#endif
