// Requests of `kvo-audit control`: a socket in a folder of the user's own, and the thread that answers.
//
//     kvo-audit ── connects to FOLDER/PID.control, sends one line ──▶ process
//     kvo-audit ◀── lines, the first of them "ok" or "refused: <why>", and the end ── process
//
// What it must survive, and how:
// - another user made the folder, or may write into it: nothing is opened there;
// - another user connects all the same, as root may have changed the folder: the peer is asked for by SO_PEERCRED;
// - a client sends nothing, or does not read, or little by little: its connection has a time limit, and so does each
//   call on it;
// - a child of a fork has the socket, too, and not the thread: it closes the socket before it does anything else;
// - the program closes descriptors that it did not open, and uses their numbers itself: the descriptor is compared with
//   the file that it was opened for.

#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>

#include "CKVOUnwind.h"

enum {
  requestLimit = 4096,
  // For the request and for the answer each, and for a call.
  secondLimit = 5,
  pathLimit = sizeof(((struct sockaddr_un *)0)->sun_path)
};

// Written by the one caller that changes `isBegun`, before the thread starts, and not changed afterwards; `listening` is
// reset by the child of a fork, and at the end.
static _Atomic bool isBegun;
static _Atomic int listening = -1;
static dev_t device;
static ino_t number;
static char path[pathLimit];
static char *(*answer)(const char *request);

static bool say_failure(const char *folder, const char *why) {
  kvos_say("KVOSafety: kvo-audit control cannot reach this process: \"%s\" %s\n", folder, why);
  return false;
}

bool kvos_name_control_folder(char *buffer, size_t byteCount, const char *wanted, uid_t user) {
  bool isPath = wanted != NULL && strchr(wanted, '/') != NULL;
  int count = isPath ? snprintf(buffer, byteCount, "%s", wanted)
                     : snprintf(buffer, byteCount, "/tmp/kvo-safety-%u", (unsigned)user);
  return count > 0 && (size_t)count < byteCount;
}

const char *kvos_control_folder_problem(const char *folder, uid_t user) {
  struct stat status;
  if (lstat(folder, &status) != 0) return strerror(errno);
  if (!S_ISDIR(status.st_mode)) return "is not a folder";
  if (status.st_uid != user) return "belongs to another user";
  if (status.st_mode & 077) return "may be entered by other users: it must have the mode 0700";
  return NULL;
}

// The socket, if its descriptor is still its own.
static int own_socket(void) {
  int descriptor = atomic_load(&listening);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) return -1;
  return status.st_dev == device && status.st_ino == number ? descriptor : -1;
}

static void close_socket(void) {
  int descriptor = own_socket();
  atomic_store(&listening, -1);
  if (descriptor >= 0) close(descriptor);
}

static void child_begins(void) {
  close_socket();
  path[0] = 0;
}

// MARK: - Answers

static time_t seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

static void reply(int connection, const char *text) {
  time_t end = seconds_now() + secondLimit;
  for (size_t left = strlen(text); left > 0 && seconds_now() <= end;) {
    ssize_t count = send(connection, text, left, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text += count;
    left -= (size_t)count;
  }
}

static bool read_line(int connection, char request[requestLimit]) {
  time_t end = seconds_now() + secondLimit;
  for (size_t count = 0; count < requestLimit && seconds_now() <= end;) {
    ssize_t more = recv(connection, request + count, requestLimit - count, 0);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return false;
    char *end = memchr(request + count, '\n', (size_t)more);
    count += (size_t)more;
    if (end == NULL) continue;
    *end = 0;
    return true;
  }
  return false;
}

static void serve(int connection) {
  struct timeval limit = {.tv_sec = secondLimit};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  struct ucred peer;
  socklen_t size = sizeof peer;
  bool isKnown = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  char request[requestLimit];
  if (!isKnown || (peer.uid != geteuid() && peer.uid != 0)) {
    reply(connection, "refused: the process belongs to another user\n");
  } else if (read_line(connection, request)) {
    char *text = answer(request);
    reply(connection, text ? text : "refused: there is no memory\n");
    free(text);
  }
  shutdown(connection, SHUT_RDWR);
  close(connection);
}

static void *listen_on(void *context) {
  (void)context;
  for (int descriptor = own_socket(); descriptor >= 0; descriptor = own_socket()) {
    struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
    if (poll(&waiting, 1, -1) < 0 && errno != EINTR && errno != ENOMEM) break;
    if (own_socket() != descriptor) break;
    int connection = accept4(descriptor, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0) {
      serve(connection);
    } else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
      // There is no descriptor left, for example: not again at once.
      nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
  }
  return NULL;
}

// MARK: - Begin and end

static int open_socket(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, path, sizeof path);
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  // Of an earlier process with this number, which was killed.
  unlink(path);
  struct stat status;
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0 && listen(descriptor, 4) == 0 &&
      fstat(descriptor, &status) == 0) {
    device = status.st_dev;
    number = status.st_ino;
    return kvos_move_high(descriptor);
  }
  int code = errno;
  close(descriptor);
  errno = code;
  return -1;
}

static bool start_thread(void) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 1 << 20);
  // The program's signals are for the program's threads.
  sigset_t previous;
  kvos_hold_signals(&previous);
  pthread_t thread;
  bool isStarted = pthread_create(&thread, &attributes, listen_on, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  pthread_attr_destroy(&attributes);
  if (isStarted) pthread_setname_np(thread, "kvo-control");
  return isStarted;
}

bool kvos_begin_control(const char *wanted, char *(*answering)(const char *request)) {
  char folder[pathLimit];
  if (atomic_exchange(&isBegun, true)) return true;
  answer = answering;
  bool isNamed = kvos_name_control_folder(folder, sizeof folder, wanted, geteuid());
  int count = isNamed ? snprintf(path, sizeof path, "%s/%d.control", folder, (int)getpid()) : -1;
  if (count < 0 || (size_t)count >= sizeof path) return say_failure(wanted ? wanted : "", "is too long");
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) return say_failure(folder, strerror(errno));
  const char *problem = kvos_control_folder_problem(folder, geteuid());
  if (problem) return say_failure(folder, problem);
  int descriptor = open_socket();
  if (descriptor < 0) return say_failure(path, strerror(errno));
  atomic_store(&listening, descriptor);
  pthread_atfork(NULL, NULL, child_begins);
  if (start_thread()) return true;
  kvos_end_control();
  return say_failure(path, "has no thread that answers");
}

void kvos_end_control(void) {
  if (own_socket() >= 0 && path[0] != 0) unlink(path);
  close_socket();
}
