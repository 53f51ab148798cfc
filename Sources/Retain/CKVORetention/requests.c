// Requests for heap snapshots: the descriptors on which they arrive, and the signal handler.
//
// State, and what guards it:
// - `opened`, `listening`, `reading`, `writing`: atomic; set by the one caller that changes `opened`, and reset by the
//   child of a fork, which has one thread then.
// - `priors[n]`: written before the handler of signal n is installed, and not changed afterwards.
//
// A program may close descriptors that it did not open, and then use their numbers itself. So each descriptor is compared
// with the file that it was opened for before it is used, in the signal handler, too: fstat() is async-signal-safe.

#define _GNU_SOURCE
#include "CKVORetentionRequests.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

typedef struct {
  _Atomic int descriptor;
  // Of the file.
  _Atomic unsigned long device, number;
} Opened;

static atomic_int opened;
static Opened listening = {-1}, reading = {-1}, writing = {-1};
static pthread_once_t handlers = PTHREAD_ONCE_INIT;

// MARK: - Descriptors

static void keep(Opened *file, int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return;
  atomic_store(&file->device, status.st_dev);
  atomic_store(&file->number, status.st_ino);
  atomic_store(&file->descriptor, descriptor);
}

// Async-signal-safe.
static int descriptor_of(Opened *file) {
  int descriptor = atomic_load(&file->descriptor);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) return -1;
  if (status.st_dev != atomic_load(&file->device) || status.st_ino != atomic_load(&file->number)) return -1;
  return descriptor;
}

static void forget(Opened *file) {
  int descriptor = descriptor_of(file);
  atomic_store(&file->descriptor, -1);
  if (descriptor >= 0) close(descriptor);
}

void kvos_close_requests(void) {
  forget(&listening);
  forget(&reading);
  forget(&writing);
  atomic_store(&opened, 0);
}

// The requests of a process are not those of its children: a child that kept the socket would let its parent's clients
// wait for ever.
static void add_handlers(void) { pthread_atfork(NULL, NULL, kvos_close_requests); }

static int listen_at(const char *name, size_t nameByteCount) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (nameByteCount >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address.sun_path + 1, name, nameByteCount);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + nameByteCount);
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  if (bind(made, (struct sockaddr *)&address, size) == 0 && listen(made, 4) == 0) return made;
  int code = errno;
  close(made);
  errno = code;
  return -1;
}

int kvos_open_requests(const char *name, size_t nameByteCount) {
  pthread_once(&handlers, add_handlers);
  int closed = 0;
  if (!atomic_compare_exchange_strong(&opened, &closed, 1)) return KVOS_REQUESTS_ARE_OPEN;
  int ends[2];
  int made = listen_at(name, nameByteCount);
  if (made >= 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
    keep(&reading, ends[0]);
    keep(&listening, made);
    keep(&writing, ends[1]);
    return 0;
  }
  int code = errno;
  if (made >= 0) close(made);
  atomic_store(&opened, 0);
  errno = code;
  return -1;
}

int kvos_request_socket(void) { return descriptor_of(&listening); }
int kvos_request_pipe(void) { return descriptor_of(&reading); }

// MARK: - Signals

static struct sigaction priors[NSIG];
// 1 while the handler of a signal is being installed, then 2.
static atomic_int states[NSIG];

// Both kinds of handlers are in the same place: a program may have set SA_SIGINFO without one.
static int has_handler(const struct sigaction *action) {
  return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

// Async-signal-safe: it wakes the thread that takes requests, and does nothing else.
static void wake(int number, siginfo_t *information, void *context) {
  int code = errno;
  int pipe = descriptor_of(&writing);
  // A full pipe has woken the thread already.
  if (pipe >= 0 && write(pipe, "", 1) < 0) errno = code;
  errno = code;
  const struct sigaction *prior = &priors[number];
  if (!has_handler(prior)) return;
  if (prior->sa_flags & SA_SIGINFO) {
    prior->sa_sigaction(number, information, context);
  } else {
    prior->sa_handler(number);
  }
}

// A fault would be repeated for ever if the handler returned.
static int is_fault(int number) {
  const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
  for (size_t index = 0; index < sizeof faults / sizeof faults[0]; index++) {
    if (faults[index] == number) return 1;
  }
  return 0;
}

int kvos_request_on_signal(int number) {
  if (number <= 0 || number >= NSIG || is_fault(number)) {
    errno = EINVAL;
    return -1;
  }
  int none = 0;
  if (!atomic_compare_exchange_strong(&states[number], &none, 1)) return 0;
  struct sigaction *prior = &priors[number];
  int status = sigaction(number, NULL, prior);
  if (status == 0) {
    int hasHandler = has_handler(prior);
    struct sigaction own = {.sa_sigaction = wake};
    // System calls of a program that did not expect this signal must not fail with EINTR.
    own.sa_flags = SA_SIGINFO | SA_ONSTACK | (hasHandler ? prior->sa_flags & (SA_NODEFER | SA_RESTART) : SA_RESTART);
    if (hasHandler) own.sa_mask = prior->sa_mask;
    status = sigaction(number, &own, NULL);
  }
  atomic_store(&states[number], status == 0 ? 2 : 0);
  return status;
}

// MARK: - Connections

int kvos_accept_request(int listeningSocket) { return accept4(listeningSocket, NULL, NULL, SOCK_CLOEXEC); }

long kvos_peer_user(int connection) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? (long)peer.uid : -1;
}
