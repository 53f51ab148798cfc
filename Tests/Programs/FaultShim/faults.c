// A library to be preloaded, in which one call of the system fails.
//
// FAULT_CALL=<name> FAULT_NUMBER=<n> FAULT_ERRNO=<number>: the n-th call of that function by code of the program's own
// file fails once, from 1 on. The recorder is linked into a program that records; calls of the loader, the C library and
// Swift's runtime go through. With FAULT_FILE=<name>, the calls are those of the library whose path ends with it, and all its
// requests of memory are among them; with FAULT_FILE=*, those of all code. With FAULT_COUNTS=<file>, how often each was called is written there at the end.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define EACH(X)                                                                                                      \
  X(open)                                                                                                            \
  X(close)                                                                                                           \
  X(read)                                                                                                            \
  X(write) X(pread) X(pwrite) X(fallocate) X(ftruncate) X(mmap) X(munmap) X(mprotect) X(madvise) X(rename) X(unlink) \
      X(flock) X(fstat) X(lstat) X(stat) X(mkdir) X(pthread_create) X(sem_init) X(malloc) X(calloc) X(realloc)       \
          X(readlink) X(sigaltstack)

enum {
#define NAME(name) CALL_##name,
  EACH(NAME)
#undef NAME
  callCount
};

static const char *const names[] = {
#define NAME(name) #name,
    EACH(NAME)
#undef NAME
};

static atomic_int counts[callCount];
static int failing = -1;
static int number, code;
static uintptr_t start, end;
// Swift code in the program asks for small pieces, and ends without them: the recorder asks for large ones.
static size_t least = 16384;

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), count = strlen(end);
  return length >= count && strcmp(text + length - count, end) == 0;
}

static int find_file(struct dl_phdr_info *info, size_t size, void *file) {
  (void)size;
  // The program comes first.
  if (file && !ends_with(info->dlpi_name, file)) return 0;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    start = info->dlpi_addr + header->p_vaddr;
    end = start + header->p_memsz;
  }
  return 1;
}

static void begin(void) {
  const char *call = getenv("FAULT_CALL");
  for (int index = 0; call && index < callCount; index++) {
    if (strcmp(call, names[index]) == 0) failing = index;
  }
  number = atoi(getenv("FAULT_NUMBER") ? getenv("FAULT_NUMBER") : "0");
  code = atoi(getenv("FAULT_ERRNO") ? getenv("FAULT_ERRNO") : "0");
  char *file = getenv("FAULT_FILE");
  if (file) least = 0;
  if (file && strcmp(file, "*") == 0) {
    end = UINTPTR_MAX;
  } else {
    dl_iterate_phdr(find_file, file);
  }
}

__attribute__((destructor)) static void finish(void) {
  const char *path = getenv("FAULT_COUNTS");
  FILE *file = path ? fopen(path, "w") : NULL;
  for (int index = 0; file && index < callCount; index++) fprintf(file, "%s %d\n", names[index], counts[index]);
  if (file) fclose(file);
}

static bool fails(int call, const void *caller) {
  // Others may be initialized before this library. Several threads may begin, and all come to the same.
  static atomic_bool hasBegun;
  if (!atomic_load(&hasBegun)) begin();
  atomic_store(&hasBegun, true);
  if ((uintptr_t)caller < start || (uintptr_t)caller >= end) return false;
  int count = atomic_fetch_add(&counts[call], 1) + 1;
  if (call != failing || count != number) return false;
  errno = code;
  return true;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAILS(name) fails(CALL_##name, __builtin_return_address(0))

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return FAILS(open) ? -1 : REAL(open)(path, flags, mode);
}
int close(int file) {
  // A close that fails has closed the file.
  int status = REAL(close)(file);
  return FAILS(close) ? -1 : status;
}
ssize_t read(int file, void *bytes, size_t count) { return FAILS(read) ? -1 : REAL(read)(file, bytes, count); }
ssize_t write(int file, const void *bytes, size_t count) { return FAILS(write) ? -1 : REAL(write)(file, bytes, count); }
ssize_t pread(int file, void *bytes, size_t count, off_t at) {
  return FAILS(pread) ? -1 : REAL(pread)(file, bytes, count, at);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
  return FAILS(pwrite) ? -1 : REAL(pwrite)(file, bytes, count, at);
}
int fallocate(int file, int mode, off_t at, off_t count) {
  return FAILS(fallocate) ? -1 : REAL(fallocate)(file, mode, at, count);
}
int ftruncate(int file, off_t count) { return FAILS(ftruncate) ? -1 : REAL(ftruncate)(file, count); }
void *mmap(void *at, size_t count, int access, int flags, int file, off_t offset) {
  return FAILS(mmap) ? MAP_FAILED : REAL(mmap)(at, count, access, flags, file, offset);
}
int munmap(void *at, size_t count) { return FAILS(munmap) ? -1 : REAL(munmap)(at, count); }
int mprotect(void *at, size_t count, int access) { return FAILS(mprotect) ? -1 : REAL(mprotect)(at, count, access); }
int madvise(void *at, size_t count, int advice) { return FAILS(madvise) ? -1 : REAL(madvise)(at, count, advice); }
int rename(const char *from, const char *to) { return FAILS(rename) ? -1 : REAL(rename)(from, to); }
int unlink(const char *path) { return FAILS(unlink) ? -1 : REAL(unlink)(path); }
int flock(int file, int operation);
int flock(int file, int operation) { return FAILS(flock) ? -1 : REAL(flock)(file, operation); }
int fstat(int file, struct stat *status) { return FAILS(fstat) ? -1 : REAL(fstat)(file, status); }
int lstat(const char *path, struct stat *status) { return FAILS(lstat) ? -1 : REAL(lstat)(path, status); }
int stat(const char *path, struct stat *status) { return FAILS(stat) ? -1 : REAL(stat)(path, status); }
int mkdir(const char *path, mode_t mode) { return FAILS(mkdir) ? -1 : REAL(mkdir)(path, mode); }
ssize_t readlink(const char *path, char *bytes, size_t count) {
  return FAILS(readlink) ? -1 : REAL(readlink)(path, bytes, count);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context) {
  return FAILS(pthread_create) ? code : REAL(pthread_create)(thread, attributes, run, context);
}
int sem_init(sem_t *semaphore, int isShared, unsigned value) {
  return FAILS(sem_init) ? -1 : REAL(sem_init)(semaphore, isShared, value);
}
int sigaltstack(const stack_t *stack, stack_t *old) { return FAILS(sigaltstack) ? -1 : REAL(sigaltstack)(stack, old); }

// The C library asks for memory before it can look for functions: these are its own.
extern void *__libc_malloc(size_t count);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t count);
void *malloc(size_t count) { return count >= least && FAILS(malloc) ? NULL : __libc_malloc(count); }
void *calloc(size_t count, size_t size) { return FAILS(calloc) ? NULL : __libc_calloc(count, size); }
void *realloc(void *memory, size_t count) { return FAILS(realloc) ? NULL : __libc_realloc(memory, count); }
