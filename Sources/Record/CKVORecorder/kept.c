// The files of a flight recording that is kept, and the end of one that is not.

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "recorder.h"

const char *kvos_path_of_kept(const KVOSLogFiles *files) { return files->kept; }

static void name_kept(const KVOSLogFiles *files, char name[KVOS_PATH_ROOM], unsigned number, unsigned age) {
  int count = snprintf(name, KVOS_PATH_ROOM, "%s.kept-%u", files->path, number);
  if (age > 0 && count < KVOS_PATH_ROOM) snprintf(name + count, KVOS_PATH_ROOM - (size_t)count, ".%u", age);
}

// The number of the recording that is kept next, and whether files of another must be deleted for it.
static unsigned next_kept(const KVOSLogFiles *files) {
  unsigned oldest = 1;
  struct timespec oldestTime = {0, 0};
  for (unsigned number = 1; number <= KVOS_KEPT_LIMIT; number++) {
    char name[KVOS_PATH_ROOM];
    name_kept(files, name, number, 0);
    struct stat status;
    if (lstat(name, &status) != 0) return number;
    bool isOlder = status.st_mtim.tv_sec != oldestTime.tv_sec ? status.st_mtim.tv_sec < oldestTime.tv_sec
                                                              : status.st_mtim.tv_nsec < oldestTime.tv_nsec;
    if (number == 1 || isOlder) {
      oldest = number;
      oldestTime = status.st_mtim;
    }
  }
  return oldest;
}

// Deletes what is at the names of the recording `number`; false: something there is no log.
static bool clear_kept(const KVOSLogFiles *files, unsigned number) {
  char name[KVOS_PATH_ROOM];
  for (unsigned age = 0; age < KVOS_PART_COUNT; age++) {
    name_kept(files, name, number, age);
    if (kvos_is_foreign_file(name)) return false;
  }
  for (unsigned age = 0; age < KVOS_PART_COUNT; age++) {
    name_kept(files, name, number, age);
    unlink(name);
  }
  return true;
}

bool kvos_place_next_and_keep(KVOSLogFiles *files, bool hasBegun) {
  unsigned number = next_kept(files);
  if (!hasBegun || !files->hasNext || !clear_kept(files, number)) {
    kvos_place_next(files, hasBegun);
    return false;
  }
  files->hasNext = false;
  char name[KVOS_PATH_ROOM], kept[KVOS_PATH_ROOM], next[KVOS_PATH_ROOM];
  // The oldest first: a process that is killed here leaves two logs, of which each can be read.
  for (unsigned age = KVOS_PART_COUNT; age-- > 0;) {
    kvos_name_part(files, name, age);
    if (kvos_writer_of_file(name) != getpid()) continue;
    name_kept(files, kept, number, age);
    rename(name, kept);
  }
  kvos_name_next_part(files, next);
  rename(next, files->path);
  name_kept(files, files->kept, number, 0);
  return true;
}

void kvos_delete_files(KVOSLogFiles *files) {
  char name[KVOS_PATH_ROOM];
  for (unsigned age = 0; age < KVOS_PART_COUNT; age++) {
    kvos_name_part(files, name, age);
    if (kvos_writer_of_file(name) == getpid()) unlink(name);
  }
}
