// Runs a child step by step, and looks after every instruction at the files that it writes.
//
// What a process has stored into a mapped file is what is left of it if it is killed at that moment: so a copy of the
// files after each store is the remainder of a process that was killed there. For the other ways to end, see ending.c.

#define _GNU_SOURCE
#include "ProbeC.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  fileLimit = 8
};

// A file of the folder, as it was when it was looked at last.
typedef struct {
  char name[64];
  ino_t number;
  off_t size;
  const uint8_t *bytes;
  uint8_t *copy;
} File;

static struct {
  const char *folder;
  File files[fileLimit];
  int count;
} watched;

static void forget(File *file) {
  if (file->bytes) munmap((void *)file->bytes, (size_t)file->size);
  free(file->copy);
  *file = (File){.size = 0};
}

static void look_at(File *file, int folder, const char *name, const struct stat *status) {
  forget(file);
  snprintf(file->name, sizeof file->name, "%s", name);
  file->number = status->st_ino;
  file->size = status->st_size;
  if (file->size == 0) return;
  int descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC);
  void *bytes = mmap(NULL, (size_t)file->size, PROT_READ, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (bytes == MAP_FAILED) return;
  file->bytes = bytes;
  file->copy = malloc((size_t)file->size);
  memcpy(file->copy, bytes, (size_t)file->size);
}

// Whether a file has other bytes, another size or another name than before; it is then noted as it is now.
static bool has_changed(bool isSystemCall) {
  bool isChanged = false;
  for (int index = 0; index < watched.count && !isSystemCall; index++) {
    File *file = &watched.files[index];
    if (file->bytes == NULL || memcmp(file->bytes, file->copy, (size_t)file->size) == 0) continue;
    memcpy(file->copy, file->bytes, (size_t)file->size);
    isChanged = true;
  }
  if (!isSystemCall) return isChanged;
  // Names and sizes change by system calls alone.
  DIR *folder = opendir(watched.folder);
  int count = 0;
  for (struct dirent *entry = folder ? readdir(folder) : NULL; entry && count < fileLimit; entry = readdir(folder)) {
    struct stat status;
    if (entry->d_name[0] == '.' || fstatat(dirfd(folder), entry->d_name, &status, 0) != 0) continue;
    File *file = &watched.files[count++];
    bool isSame =
        strcmp(file->name, entry->d_name) == 0 && file->number == status.st_ino && file->size == status.st_size;
    if (isSame && (file->bytes == NULL || memcmp(file->bytes, file->copy, (size_t)file->size) == 0)) continue;
    look_at(file, dirfd(folder), entry->d_name, &status);
    isChanged = true;
  }
  if (folder) closedir(folder);
  isChanged = isChanged || count != watched.count;
  for (int index = count; index < watched.count; index++) forget(&watched.files[index]);
  watched.count = count;
  return isChanged;
}

static void copy_file(const char *from, const char *to) {
  int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  static char bytes[1 << 16];
  ssize_t count;
  while (in >= 0 && out >= 0 && (count = read(in, bytes, sizeof bytes)) > 0) {
    if (write(out, bytes, (size_t)count) != count) break;
  }
  if (in >= 0) close(in);
  if (out >= 0) close(out);
}

static void keep(const char *page, const char *output, uint64_t store) {
  char path[512], from[512];
  snprintf(path, sizeof path, "%s/%llu", output, (unsigned long long)store);
  mkdir(path, 0700);
  for (int index = 0; index < watched.count; index++) {
    snprintf(from, sizeof from, "%s/%s", watched.folder, watched.files[index].name);
    snprintf(path, sizeof path, "%s/%llu/%s", output, (unsigned long long)store, watched.files[index].name);
    copy_file(from, path);
  }
  snprintf(path, sizeof path, "%s/%llu.page", output, (unsigned long long)store);
  copy_file(page, path);
}

static bool is_system_call(pid_t child, uint64_t address) {
  errno = 0;
  long word = ptrace(PTRACE_PEEKTEXT, child, (void *)address, NULL);
  return errno == 0 && (word & 0xFFFF) == 0x050F;
}

// How often each instruction was executed, by its address.
static struct {
  uint64_t addresses[1 << 19];
  uint64_t counts[1 << 19];
} executed;

static uint64_t count_execution(uint64_t address) {
  uint64_t mask = sizeof executed.counts / sizeof executed.counts[0] - 1;
  uint64_t at = (address * 0x9E3779B97F4A7C15) >> 45;
  for (uint64_t tries = 0; tries <= mask; tries++, at = (at + 1) & mask) {
    if (executed.addresses[at] != 0 && executed.addresses[at] != address) continue;
    executed.addresses[at] = address;
    return ++executed.counts[at];
  }
  return 0;
}

int probe_step(char *const *arguments, const char *folder, const char *page, const char *output, const char *stores,
               ProbeSteps *steps) {
  *steps = (ProbeSteps){.storeCount = 0};
  watched.folder = folder;
  pid_t child = probe_start_traced(arguments);
  FILE *list = fopen(stores, "we");
  if (child < 0 || list == NULL) return -1;
  (void)has_changed(true);
  int number = 0;
  while (true) {
    uint64_t address = probe_instruction(child);
    uint64_t execution = count_execution(address);
    bool isSystemCall = is_system_call(child, address);
    if (ptrace(PTRACE_SINGLESTEP, child, NULL, (void *)(intptr_t)number) != 0) return -1;
    int status;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return -1;
    number = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    if (number == SIGSTOP) break;
    steps->stepCount++;
    if (!has_changed(isSystemCall)) continue;
    steps->storeCount++;
    fprintf(list, "%llu %llu\n", (unsigned long long)address, (unsigned long long)execution);
    if (output[0] != '\0') keep(page, output, steps->storeCount);
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return fclose(list) == 0 ? 0 : -1;
}
