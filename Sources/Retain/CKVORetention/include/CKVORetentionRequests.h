// Requests for heap snapshots, from other processes and from signals.

#ifndef CKVORETENTION_REQUESTS_H
#define CKVORETENTION_REQUESTS_H

#include <stddef.h>

/// What kvos_open_requests() returns if this process takes requests already.
#define KVOS_REQUESTS_ARE_OPEN 1

/// Opens a socket that listens at the abstract address `name`, which has no file, and a pipe that
/// kvos_request_on_signal() makes readable.
///
/// The child of a fork has neither: it may call this function itself. Returns 0, ``KVOS_REQUESTS_ARE_OPEN``, or -1 and
/// errno: EADDRINUSE if another process listens there.
int kvos_open_requests(const char *name, size_t nameByteCount);

/// Closes what kvos_open_requests() opened.
void kvos_close_requests(void);

/// The listening socket; -1 if the process takes no requests, or closed its descriptor or reused it for something else.
int kvos_request_socket(void);

/// The reading end of the pipe, like kvos_request_socket(). Both ends do not block.
int kvos_request_pipe(void);

/// Makes a signal write a byte into the pipe. A handler that the program has for it is called afterwards; one that it
/// installs later replaces this one.
///
/// Any number of calls for a signal have the effect of one. Returns 0, or -1 and errno: EINVAL for a signal of
/// a fault, such as SIGSEGV, and for one that cannot be handled.
int kvos_request_on_signal(int number);

/// Accepts a connection, which programs started concurrently do not inherit. Returns -1 and errno if there is none.
int kvos_accept_request(int listeningSocket);

/// The user of the process at the other end of a connection, or -1.
long kvos_peer_user(int connection);

#endif
