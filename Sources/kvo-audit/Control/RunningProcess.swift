import KVOAudit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A running process that answers requests on a socket.
struct RunningProcess {
  /// Its process ID.
  let id: Int32

  func failure(_ reason: String) -> InputFailure {
    InputFailure(input: "process \(id)", reason: reason)
  }

  #if os(Linux)
  /// What the kernel says about it.
  ///
  /// - Parameter use: what only its user and root may do, such as `control it`.
  /// - Returns: its status.
  /// - Throws: ``InputFailure`` if the process does not exist, or belongs to another user.
  func status(for use: String) throws(InputFailure) -> ProcessStatus {
    guard kill(id, 0) == 0 || errno == EPERM else { throw failure("there is no such process") }
    let status = ProcessStatus(of: id)
    if geteuid() != 0, let user = status.user, user != geteuid() {
      throw failure("the process belongs to user \(user): only that user and root may \(use)")
    }
    return status
  }

  /// A connection to a stream socket, to be closed by the caller, or the system's error.
  ///
  /// The error is `EAGAIN` if the listener accepts no connection in time: a stopped process keeps those of all who ask,
  /// up to its limit, and then connecting waits.
  static func connection(
    to address: sockaddr_un,
    byteCount: Int = MemoryLayout<sockaddr_un>.size,
    limit: Duration = .seconds(30)
  ) -> (descriptor: Int32, error: Int32) {
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    let connection = socket(AF_UNIX, kind, 0)
    guard connection >= 0 else { return (-1, errno) }
    let (seconds, rest) = limit.components
    var time = timeval(tv_sec: Int(seconds), tv_usec: Int(rest / 1_000_000_000_000))
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    let isConnected = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(byteCount))
      }
    }
    if isConnected == 0 { return (connection, 0) }
    let code = errno
    close(connection)
    return (-1, code)
  }

  func send(_ request: [UInt8], on connection: Int32) throws(InputFailure) {
    let code = StandardStreams.write(request, to: connection)
    guard code == 0 else {
      throw failure("the request cannot be sent: \(String(cString: strerror(code)))")
    }
  }

  /// The next bytes of an answer; empty: it has ended; nil: there are none yet, for a second at the most.
  func nextBytes(on connection: Int32) throws(InputFailure) -> [UInt8]? {
    var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 1000) > 0 else { return nil }
    var code: Int32 = 0
    let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      let received = recv(connection, buffer.baseAddress, buffer.count, 0)
      if received < 0 { code = errno }
      count = max(0, received)
    }
    if code == 0 { return chunk }
    guard code == EINTR else {
      throw failure("the answer is cut: \(String(cString: strerror(code)))")
    }
    return nil
  }

  /// Why an answer ends before it says anything.
  var noAnswer: InputFailure { failure("the process ended, or did not accept the request") }
  /// Why an answer does not end in time: a stopped process keeps its connections.
  var silence: InputFailure { failure("the process does not answer") }
  #endif
}
