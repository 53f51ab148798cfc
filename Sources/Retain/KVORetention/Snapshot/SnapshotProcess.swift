internal import CKVORetention
internal import Glibc

/// A copy of this process, created by `fork`, that walks and sends back its result.
///
/// Possible failures, and their handling:
/// - The child reads memory that another thread was changing at the time of the fork, and faults:
///   it ends, its answer is incomplete, and the caller receives the signal number.
/// - It needs a lock that another thread held at that time, most often one of the Swift runtime's
///   caches, and blocks forever: it is killed as soon as that is seen, or when the time is over
///   where `/proc` does not tell.
/// - Other code in the process waits for all children: then the exit status is not known, and only
///   the answer itself shows whether it is complete.
/// - Other code in the process forks in the meantime: its child has the pipe, too, which therefore
///   does not end with the copy. So a copy that sends nothing is also looked at for its end.
struct SnapshotProcess {
  /// How a snapshot ended.
  enum End {
    case answer([UInt8])
    case timedOut
    case blocked
    case crashed(signal: Int32)
  }

  private let child: pid_t
  private let pipe: Int32

  /// Creates the copy, in which `body` computes an answer.
  ///
  /// - Returns: a handle to wait for it, in the calling process; the system's error if there is no
  ///   copy.
  static func begin(_ body: () -> [UInt8]) -> Result<SnapshotProcess, Errno> {
    var ends: [Int32] = [-1, -1]
    guard kvos_snapshot_pipe(&ends) == 0 else { return .failure(Errno(number: errno)) }
    let child = kvos_begin_snapshot()
    guard child != 0 else {
      send(body(), to: ends[1])
      kvos_end_snapshot(0)
    }
    let failure = errno
    close(ends[1])
    guard child > 0 else {
      close(ends[0])
      return .failure(Errno(number: failure))
    }
    return .success(SnapshotProcess(child: child, pipe: ends[0]))
  }

  struct Errno: Error {
    var number: Int32
  }

  private static func send(_ bytes: [UInt8], to pipe: Int32) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(pipe, $0.baseAddress.map { $0 + sent }, $0.count - sent)
      }
      if count > 0 {
        sent += count
      } else if errno != EINTR {
        kvos_end_snapshot(1)
      }
    }
  }

  /// Waits for the answer until `deadline`, and for the end of the child.
  func end(by deadline: ContinuousClock.Instant) -> End {
    defer { close(pipe) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var wasWaiting = false
    // Of the copy, if it ended before the pipe.
    var status: Int32?
    func ended() -> End? { status.map { Self.end($0, bytes) } }
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return ended() ?? kill(.timedOut) }
      var waiting = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
      let milliseconds = min(left / .milliseconds(1), Self.pollMilliseconds).rounded(.up)
      let ready = poll(&waiting, 1, Int32(milliseconds))
      if ready == 0 {
        if let end = ended() { return end }
        // What it sent before is read first.
        status = statusIfEnded()
        if status != nil { continue }
        // A thread may be between two calls: it is looked at twice.
        let isWaiting = kvos_all_threads_wait(child)
        if isWaiting, wasWaiting { return kill(.blocked) }
        wasWaiting = isWaiting
        continue
      }
      if ready < 0 {
        if errno == EINTR { continue }
        return ended() ?? kill(.timedOut)
      }
      let count = read(pipe, &chunk, chunk.count)
      if count > 0 {
        bytes += chunk[..<count]
      } else if count == 0 {
        return ended() ?? reap(bytes)
      } else if errno != EINTR {
        return ended() ?? kill(.timedOut)
      }
    }
  }

  /// The time between two looks at a child that sends nothing, in milliseconds.
  private static var pollMilliseconds: Double { 50 }

  private func kill(_ end: End) -> End {
    Glibc.kill(child, SIGKILL)
    _ = reap([])
    return end
  }

  private func reap(_ bytes: [UInt8]) -> End {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      if errno == EINTR { continue }
      return .answer(bytes)
    }
    return Self.end(status, bytes)
  }

  /// The exit status if the copy has ended, 0 if other code waited for it; nil: it runs.
  private func statusIfEnded() -> Int32? {
    var status: Int32 = 0
    let found = waitpid(child, &status, WNOHANG)
    if found == child { return status }
    return found < 0 && errno == ECHILD ? 0 : nil
  }

  private static func end(_ status: Int32, _ bytes: [UInt8]) -> End {
    let signal = status & 0x7f
    return signal == 0 ? .answer(bytes) : .crashed(signal: signal)
  }
}
