// The files of the log: their names, their locks, and what was there before.

// program_invocation_short_name, which glibc and musl declare in errno.h.
#define _GNU_SOURCE

#include "files.h"
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

KVOSLogFiles *kvos_new_files(const char *pattern) {
  size_t count = strlen(pattern) + 1;
  KVOSLogFiles *files = calloc(1, sizeof *files + count);
  if (files == NULL) return NULL;
  memcpy(files->pattern, pattern, count);
  snprintf(files->path, sizeof files->path, "%s", pattern);
  files->keptProcess = -1;
  return files;
}

void kvos_free_files(KVOSLogFiles *files) { free(files); }

const char *kvos_path_of_files(const KVOSLogFiles *files) { return files->path; }

const char *kvos_failed_path(const KVOSLogFiles *files) { return files->failed[0] ? files->failed : files->path; }

int64_t kvos_kept_process(const KVOSLogFiles *files) { return files->keptProcess; }

bool kvos_has_replaced(const KVOSLogFiles *files) { return files->hasReplaced; }

static void note_failure(KVOSLogFiles *files, const char *path) {
  snprintf(files->failed, sizeof files->failed, "%s", path);
}

// The pattern with a process id in it. Returns false if it is too long.
static bool expand(const char *pattern, char *into, size_t room, int pid) {
  size_t count = 0;
  for (const char *at = pattern; *at; at++) {
    char number[16] = {*at, 0};
    if (at[0] == '%' && at[1] == 'p') {
      snprintf(number, sizeof number, "%d", pid);
      at++;
    }
    size_t length = strlen(number);
    if (count + length >= room) return false;
    memcpy(into + count, number, length);
    count += length;
  }
  into[count] = 0;
  return true;
}

// If the path is that of a folder, appends the name of this process's log in it: `<program>-<process id>.kvolog`. A path
// that ends in a slash is one, which is made if it is not there. 0, 1 if a name was appended, or a negative errno.
static int name_in_folder(char *path, size_t room, int pid) {
  size_t length = strlen(path);
  struct stat status;
  bool isFolder = length > 0 && path[length - 1] == '/';
  if (isFolder) {
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return -errno;
  } else {
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return 0;
  }
  if (!isFolder && length + 1 < room) path[length++] = '/';
  int count = snprintf(path + length, room - length, "%s-%d.kvolog", program_invocation_short_name, pid);
  if (count < 0 || (size_t)count >= room - length) return -ENAMETOOLONG;
  // A server that has written what it does into its arguments has changed the program's name, too.
  for (char *at = path + length; *at; at++) {
    if (*at == '/') *at = '_';
  }
  return 1;
}

// MARK: - What is there

const char *kvos_kind_of_file(const char *name) {
  struct stat status;
  if (lstat(name, &status) != 0) return NULL;
  switch (status.st_mode & S_IFMT) {
    case S_IFREG: return NULL;
    case S_IFIFO: return "a FIFO";
    case S_IFDIR: return "a directory";
    case S_IFLNK: return "a symbolic link";
    case S_IFSOCK: return "a socket";
    case S_IFCHR:
    case S_IFBLK: return "a device";
    default: return "no file";
  }
}

// Opens a regular file and refuses everything else. A FIFO without a reader would block the program:
// O_NONBLOCK keeps the opening from waiting.
static int open_regular(const char *name) {
  int descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0644);
  if (descriptor < 0) return -errno;
  struct stat status;
  if (fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode)) {
    close(descriptor);
    return -EINVAL;
  }
  return kvos_move_high(descriptor);
}

// Takes the lock of the file; false if another process has it. On a file system without locks every file is free.
static bool take_lock(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

static uint64_t clock_of(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// When this process was made, on CLOCK_MONOTONIC, to a hundredth of a second; UINT64_MAX: not known.
static uint64_t birth(void) {
  int descriptor = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return UINT64_MAX;
  char text[1024];
  ssize_t count = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  if (count <= 0) return UINT64_MAX;
  text[count] = 0;
  // The program's name may contain any character; the fields after its closing bracket may not.
  char *at = strrchr(text, ')');
  for (int field = 0; at && field < 20; field++) at = strchr(at + 1, ' ');
  if (at == NULL) return UINT64_MAX;
  long rate = sysconf(_SC_CLK_TCK);
  uint64_t born = strtoull(at + 1, NULL, 10) * (1000000000u / (uint64_t)(rate > 0 ? rate : 100));
  // The kernel counts the time asleep, the log's clock does not.
  // One after the other: the difference must not be negative.
  uint64_t awake = clock_of(CLOCK_MONOTONIC);
  uint64_t asleep = clock_of(CLOCK_BOOTTIME) - awake;
  return born > asleep ? born - asleep : 0;
}

// The fields of a log's header that identify the process that wrote it. False: the file is not a log.
static bool read_head(int descriptor, KVOSHead *head) {
  size_t byteCount = offsetof(KVOSHead, checksum);
  return pread(descriptor, head, byteCount, 0) == (ssize_t)byteCount &&
         memcmp(head->magic, kvos_file_magic, sizeof head->magic) == 0;
}

// Whether the file was last written to before this process was made, which is so many nanoseconds old: when the machine
// was started again, its clock begins anew, and a process may have the number of one before.
static bool is_older(int descriptor, uint64_t age) {
  static const uint64_t doubt = 1000000000;
  struct stat status;
  if (fstat(descriptor, &status) != 0) return false;
  uint64_t written = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
  return written + age + doubt < clock_of(CLOCK_REALTIME);
}

// When this same process began to write the log, before it executed another program; 0: another process wrote it.
static uint64_t own_beginning(int descriptor) {
  KVOSHead head;
  if (!read_head(descriptor, &head) || head.session[1] != (uint32_t)getpid()) return 0;
  uint64_t born = birth(), now = clock_of(CLOCK_MONOTONIC);
  bool isOwn = head.firstNanoseconds >= born && head.firstNanoseconds <= now && !is_older(descriptor, now - born);
  return isOwn ? head.firstNanoseconds : 0;
}

int64_t kvos_writer_of_file(const char *name) {
  int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) return -1;
  KVOSHead head;
  bool isLog = read_head(descriptor, &head);
  close(descriptor);
  return isLog ? (int64_t)head.session[1] : -1;
}

static bool is_log(const char *name) { return kvos_writer_of_file(name) >= 0; }

// Whether another program may own the file: it is not a log, and not empty. A file of zeroes counts as empty: a
// recorder reserved its space and was killed before it wrote the header.
static bool is_foreign(int descriptor) {
  KVOSHead head;
  if (read_head(descriptor, &head)) return false;
  uint8_t bytes[KVOS_PAGE];
  ssize_t count = pread(descriptor, bytes, sizeof bytes, 0);
  for (ssize_t at = 0; at < count; at++) {
    if (bytes[at] != 0) return true;
  }
  return count < 0;
}

bool kvos_is_foreign_file(const char *name) {
  int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) return errno != ENOENT;
  bool isForeign = is_foreign(descriptor);
  close(descriptor);
  return isForeign;
}

// MARK: - Parts

void kvos_name_part(const KVOSLogFiles *files, char name[KVOS_PATH_ROOM], unsigned age) {
  if (age == 0) {
    snprintf(name, KVOS_PATH_ROOM, "%s", files->path);
  } else {
    snprintf(name, KVOS_PATH_ROOM, "%s.%u", files->path, age);
  }
}

void kvos_name_next_part(const KVOSLogFiles *files, char name[KVOS_PATH_ROOM]) {
  snprintf(name, KVOS_PATH_ROOM, "%s.next", files->path);
}

static void name_previous(const KVOSLogFiles *files, char name[KVOS_PATH_ROOM], unsigned age) {
  int count = snprintf(name, KVOS_PATH_ROOM, "%s.previous", files->path);
  if (age > 0) snprintf(name + count, KVOS_PATH_ROOM - (size_t)count, ".%u", age);
}

// Whether both refer to the same file.
static bool is_same(int descriptor, int other) {
  struct stat status, otherStatus;
  return fstat(descriptor, &status) == 0 && fstat(other, &otherStatus) == 0 && status.st_dev == otherStatus.st_dev &&
         status.st_ino == otherStatus.st_ino;
}

// Empties an open file, and closes it if that fails.
static int empty(int descriptor) {
  if (ftruncate(descriptor, 0) == 0) return descriptor;
  int number = errno;
  close(descriptor);
  return -number;
}

static int open_empty(const char *name, int own) {
  int descriptor = open_regular(name);
  if (descriptor < 0) return descriptor;
  if (!is_same(descriptor, own) && is_foreign(descriptor)) {
    close(descriptor);
    return -KVOS_NO_LOG;
  }
  (void)take_lock(descriptor);
  return empty(descriptor);
}

// Renames the log that an earlier process left there, with all its parts. 0 or a negative errno.
static int keep_previous(KVOSLogFiles *files) {
  char name[KVOS_PATH_ROOM], kept[KVOS_PATH_ROOM];
  bool isThere[KVOS_PART_COUNT], isAny = false;
  for (unsigned age = 0; age < KVOS_PART_COUNT; age++) {
    kvos_name_part(files, name, age);
    int64_t pid = kvos_writer_of_file(name);
    isThere[age] = pid >= 0;
    if (isThere[age] && !isAny && files->keptProcess < 0) files->keptProcess = pid;
    isAny = isAny || isThere[age];
  }
  if (!isAny) return 0;
  for (unsigned age = 0; age < KVOS_PART_COUNT; age++) {
    kvos_name_part(files, name, age);
    name_previous(files, kept, age);
    if (isThere[age]) {
      if (kvos_is_foreign_file(kept)) {
        note_failure(files, kept);
        return -KVOS_NO_LOG;
      }
      if (rename(name, kept) != 0) return -errno;
    } else if (is_log(kept)) {
      unlink(kept);
    }
  }
  return 0;
}

// Opens a log of this process that has ended, empty and without its parts.
static int replace_own(KVOSLogFiles *files, const char *oldest) {
  char name[KVOS_PATH_ROOM];
  snprintf(files->path, sizeof files->path, "%s", oldest);
  for (unsigned age = 1; age < KVOS_PART_COUNT; age++) {
    kvos_name_part(files, name, age);
    if (kvos_writer_of_file(name) == getpid()) unlink(name);
  }
  files->hasReplaced = true;
  return open_empty(files->path, -1);
}

int kvos_open_first(KVOSLogFiles *files, bool isChild) {
  char wanted[PATH_MAX], oldest[sizeof files->path];
  char *path = files->path;
  size_t room = sizeof files->path;
  uint64_t oldestBeginning = UINT64_MAX;
  files->hasNext = false;
  files->hasReplaced = false;
  files->keptProcess = -1;
  files->failed[0] = 0;
  files->kept[0] = 0;
  if (!expand(files->pattern, wanted, sizeof wanted, getpid())) return -ENAMETOOLONG;
  int isInFolder = name_in_folder(wanted, sizeof wanted, getpid());
  if (isInFolder < 0) {
    note_failure(files, wanted);
    return isInFolder;
  }
  // A pattern without the process id names the parent's file.
  bool isOfParent = isChild && isInFolder == 0 && strstr(files->pattern, "%p") == NULL;
  unsigned first = isOfParent ? 1 : 0;
  // In a container the process may be number 1: `path.1` is a part of the log at the path.
  unsigned unnumbered = getpid() < KVOS_PART_COUNT ? 0 : 1;
  for (unsigned attempt = first;;) {
    int count = snprintf(path, room, "%s", wanted);
    if (attempt > 0) count += snprintf(path + count, room - (size_t)count, ".%d", getpid());
    if (attempt > unnumbered) snprintf(path + count, room - (size_t)count, "-%u", attempt);
    int descriptor = open_regular(path);
    if (descriptor < 0) return descriptor;
    bool isBusy = !take_lock(descriptor);
    uint64_t beginning = own_beginning(descriptor);
    if (isBusy || beginning != 0) {
      close(descriptor);
      if (!isBusy && beginning < oldestBeginning) {
        oldestBeginning = beginning;
        snprintf(oldest, sizeof oldest, "%s", path);
      }
      attempt++;
      bool isFull = attempt >= first + KVOS_OWN_LOG_LIMIT && oldestBeginning != UINT64_MAX;
      if (isFull) return replace_own(files, oldest);
      continue;
    }
    KVOSHead head;
    bool isLog = read_head(descriptor, &head);
    int code = is_foreign(descriptor) ? -KVOS_NO_LOG : keep_previous(files);
    if (isLog || code != 0) close(descriptor);
    if (code != 0) return code;
    // If it was a log, it has been renamed, and the next iteration creates a file.
    if (!isLog) return empty(descriptor);
  }
}

int kvos_open_next(KVOSLogFiles *files) {
  char next[KVOS_PATH_ROOM];
  kvos_name_next_part(files, next);
  int descriptor = open_empty(next, -1);
  files->hasNext = descriptor >= 0;
  if (descriptor < 0) note_failure(files, next);
  return descriptor;
}

int kvos_open_replacement(KVOSLogFiles *files, int own) { return open_empty(files->path, own); }

// Whether the file of that name is somebody else's: no log, or that of another process.
static bool is_of_others(const char *name) {
  int64_t writer = kvos_writer_of_file(name);
  return writer >= 0 ? writer != getpid() : kvos_is_foreign_file(name);
}

// The ages of the names that the parts may have, the newest first, which is always one of them; returns how many.
static unsigned usable_ages(const KVOSLogFiles *files, unsigned ages[KVOS_PART_COUNT]) {
  unsigned count = 0;
  for (unsigned age = 0; age < KVOS_PART_COUNT; age++) {
    char name[KVOS_PATH_ROOM];
    kvos_name_part(files, name, age);
    if (age == 0 || !is_of_others(name)) ages[count++] = age;
  }
  return count;
}

void kvos_place_next(KVOSLogFiles *files, bool hasBegun) {
  if (!files->hasNext) return;
  files->hasNext = false;
  char next[KVOS_PATH_ROOM], name[KVOS_PATH_ROOM], older[KVOS_PATH_ROOM];
  kvos_name_next_part(files, next);
  if (!hasBegun) {
    unlink(next);
    return;
  }
  unsigned ages[KVOS_PART_COUNT];
  unsigned count = usable_ages(files, ages);
  kvos_name_part(files, name, ages[count - 1]);
  unlink(name);
  for (unsigned at = count - 1; at-- > 0;) {
    kvos_name_part(files, name, ages[at]);
    kvos_name_part(files, older, ages[at + 1]);
    rename(name, older);
  }
  rename(next, files->path);
}
