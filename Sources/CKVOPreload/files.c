// The files of the log: their names, their locks, and what was there before.

#include "files.h"

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

// Room for what is put behind the path.
#define PATH_ROOM (PATH_MAX + 64)

static char pattern[PATH_MAX];
static char path[PATH_MAX + 32];
static bool hasNext;
// The process whose log was found and kept; -1: there was none.
static int64_t keptProcess = -1;

const char *kvos_log_path(void) { return path; }

// The pattern with this process id in it. False: too long.
static bool expand(char *into, size_t room, int pid) {
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

int kvos_choose_files(const char *text) {
  if (strlen(text) >= sizeof pattern) return ENAMETOOLONG;
  strcpy(pattern, text);
  hasNext = false;
  return expand(path, PATH_MAX, getpid()) ? 0 : ENAMETOOLONG;
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

// Takes the lock of the file; true where somebody else has it. A file system without locks says no such
// thing, and its files are taken for free.
static bool is_busy(int descriptor) {
  return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

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
  // The program's name may hold anything; the fields behind its closing bracket may not.
  char *at = strrchr(text, ')');
  for (int field = 0; at && field < 20; field++) at = strchr(at + 1, ' ');
  if (at == NULL) return UINT64_MAX;
  long rate = sysconf(_SC_CLK_TCK);
  uint64_t born = strtoull(at + 1, NULL, 10) * (1000000000u / (uint64_t)(rate > 0 ? rate : 100));
  // The kernel counts the time asleep, the log's clock does not.
  uint64_t asleep = clock_of(CLOCK_BOOTTIME) - clock_of(CLOCK_MONOTONIC);
  return born > asleep ? born - asleep : 0;
}

static bool read_head(int descriptor, uint8_t head[64]) {
  static const uint8_t magic[8] = {0x89, 0x4b, 0x56, 0x4f, 0x4c, 0x0d, 0x0a, 0x1a};
  return pread(descriptor, head, 64, 0) == 64 && memcmp(head, magic, sizeof magic) == 0;
}

// Whether this very process wrote the log: what it was before it became another program.
static bool is_own(int descriptor) {
  uint8_t head[64];
  if (!read_head(descriptor, head)) return false;
  uint32_t pid;
  uint64_t begun;
  memcpy(&pid, head + 20, sizeof pid);
  memcpy(&begun, head + 40, sizeof begun);
  return pid == (uint32_t)getpid() && begun >= birth();
}

// The process that wrote the log of that name; -1: the file is not a log.
static int64_t writer_of(const char *name) {
  int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) return -1;
  uint8_t head[64];
  bool isLog = read_head(descriptor, head);
  close(descriptor);
  if (!isLog) return -1;
  uint32_t pid;
  memcpy(&pid, head + 20, sizeof pid);
  return pid;
}

static bool is_log(const char *name) { return writer_of(name) >= 0; }

// Whether another program may own the file: it is not a log, and not empty. A file of zeroes counts as empty: a
// recorder reserved its room and was killed before it wrote the head.
static bool is_foreign(int descriptor) {
  uint8_t bytes[4096];
  if (read_head(descriptor, bytes)) return false;
  ssize_t count = pread(descriptor, bytes, sizeof bytes, 0);
  for (ssize_t at = 0; at < count; at++) {
    if (bytes[at] != 0) return true;
  }
  return count < 0;
}

static bool is_foreign_file(const char *name) {
  int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) return errno != ENOENT;
  bool isForeign = is_foreign(descriptor);
  close(descriptor);
  return isForeign;
}

// MARK: - Parts

static void name_former(char name[PATH_ROOM], unsigned age) {
  if (age == 0) {
    snprintf(name, PATH_ROOM, "%s", path);
  } else {
    snprintf(name, PATH_ROOM, "%s.%u", path, age);
  }
}

static void name_next(char name[PATH_ROOM]) { snprintf(name, PATH_ROOM, "%s.next", path); }

// Whether both are open on one file.
static bool is_same(int descriptor, int other) {
  struct stat status, otherStatus;
  return fstat(descriptor, &status) == 0 && fstat(other, &otherStatus) == 0 &&
         status.st_dev == otherStatus.st_dev && status.st_ino == otherStatus.st_ino;
}

// `own`: the descriptor of the previous part, which is known even if its header was cut off; or -1.
static int open_empty(const char *name, int own) {
  int descriptor = open_regular(name);
  if (descriptor < 0) return descriptor;
  if (!is_same(descriptor, own) && is_foreign(descriptor)) {
    close(descriptor);
    return -KVOS_NO_LOG;
  }
  (void)is_busy(descriptor);
  if (ftruncate(descriptor, 0) == 0) return descriptor;
  int number = errno;
  close(descriptor);
  return -number;
}

static void name_previous(char name[PATH_ROOM], unsigned age) {
  int count = snprintf(name, PATH_ROOM, "%s.previous", path);
  if (age > 0) snprintf(name + count, PATH_ROOM - (size_t)count, ".%u", age);
}

// Renames the log that an earlier process left there, with all its parts. 0 or a negative errno.
static int keep_previous(void) {
  char name[PATH_ROOM], kept[PATH_ROOM];
  bool isThere[KVOS_PART_COUNT], isAny = false;
  for (unsigned age = 0; age < KVOS_PART_COUNT; age++) {
    name_former(name, age);
    int64_t pid = writer_of(name);
    isThere[age] = pid >= 0;
    if (isThere[age] && !isAny && keptProcess < 0) keptProcess = pid;
    isAny = isAny || isThere[age];
  }
  if (!isAny) return 0;
  for (unsigned age = 0; age < KVOS_PART_COUNT; age++) {
    name_former(name, age);
    name_previous(kept, age);
    if (isThere[age]) {
      if (is_foreign_file(kept)) return -KVOS_NO_LOG;
      if (rename(name, kept) != 0) return -errno;
    } else if (is_log(kept)) {
      unlink(kept);
    }
  }
  return 0;
}

int64_t kvos_kept_process(void) { return keptProcess; }

int kvos_open_first(bool isChild) {
  char wanted[PATH_MAX];
  if (!expand(wanted, sizeof wanted, getpid())) return -ENAMETOOLONG;
  // A pattern without the process id names the parent's file.
  bool isOfParent = isChild && strstr(pattern, "%p") == NULL;
  hasNext = false;
  keptProcess = -1;
  for (int attempt = isOfParent ? 1 : 0;;) {
    int count = snprintf(path, sizeof path, "%s", wanted);
    if (attempt > 0) count += snprintf(path + count, sizeof path - (size_t)count, ".%d", getpid());
    if (attempt > 1) snprintf(path + count, sizeof path - (size_t)count, ".%d", attempt);
    int descriptor = open_regular(path);
    if (descriptor < 0) return descriptor;
    if (is_busy(descriptor) || is_own(descriptor)) {
      close(descriptor);
      attempt++;
      continue;
    }
    uint8_t head[64];
    bool isLog = read_head(descriptor, head);
    int code = is_foreign(descriptor) ? -KVOS_NO_LOG : keep_previous();
    if (isLog || code != 0) close(descriptor);
    if (code != 0) return code;
    // It has another name now, and the next turn makes a file.
    if (isLog) continue;
    if (ftruncate(descriptor, 0) == 0) return descriptor;
    int number = errno;
    close(descriptor);
    return -number;
  }
}

int kvos_open_next(void) {
  char next[PATH_ROOM];
  name_next(next);
  int descriptor = open_empty(next, -1);
  hasNext = descriptor >= 0;
  return descriptor;
}

int kvos_open_replacement(void) { return open_empty(path, kvos_part_descriptor()); }

void kvos_place_next(bool hasBegun) {
  if (!hasNext) return;
  hasNext = false;
  char next[PATH_ROOM], name[PATH_ROOM], older[PATH_ROOM];
  name_next(next);
  if (!hasBegun) {
    unlink(next);
    return;
  }
  // No part has two names, ever: whoever reads all files would read its events twice.
  name_former(name, KVOS_PART_COUNT - 1);
  unlink(name);
  for (unsigned age = KVOS_PART_COUNT - 1; age-- > 0;) {
    name_former(name, age);
    name_former(older, age + 1);
    rename(name, older);
  }
  rename(next, path);
}
