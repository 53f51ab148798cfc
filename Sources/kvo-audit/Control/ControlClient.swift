import KVOAudit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Sends a request to the socket of a running process.
struct ControlClient {
  private static let secondLimit = 30
  /// The status has a line for each call site that observes.
  private static let byteLimit = 16 << 20
  private static let reasonLimit = 1000

  private let process: Int32
  private let folder: String?

  init(process: Int32, folder: String?) {
    self.process = process
    self.folder = folder
  }

  #if os(Linux)
  /// The lines of the answer, without the first one.
  ///
  /// - Throws: ``InputFailure`` if the process does not exist, belongs to another user, takes no requests, refuses this
  ///   one, or does not answer in time.
  func answer(to request: String) throws(InputFailure) -> String {
    guard kill(process, 0) == 0 || errno == EPERM else { throw failure("there is no such process") }
    let status = ProcessStatus(of: process)
    let user = status.user ?? geteuid()
    guard geteuid() == 0 || user == geteuid() else {
      throw failure("the process belongs to user \(user): only that user and root may control it")
    }
    let folder = folder ?? "/tmp/kvo-safety-\(user)"
    try check(folder, of: user)
    let path = "\(folder)/\(status.ownID ?? process).control"
    let connection = try connected(to: path)
    defer { close(connection) }
    guard StandardStreams.write(Array((request + "\n").utf8), to: connection) == 0 else {
      throw failure("the request cannot be sent: \(String(cString: strerror(errno)))")
    }
    let lines = try read(connection)
    if lines.hasPrefix("ok\n") { return String(lines.dropFirst(3)) }
    let refusal = "refused: "
    guard lines.hasPrefix(refusal) else {
      throw failure("the process ended, or did not accept the request")
    }
    throw failure(
      String(lines.dropFirst(refusal.count).prefix { $0 != "\n" }.prefix(Self.reasonLimit))
    )
  }

  /// Another user could answer in a folder that is not the user's own.
  private func check(_ folder: String, of user: uid_t) throws(InputFailure) {
    var status = stat()
    guard lstat(folder, &status) == 0 else { throw takesNone(errno) }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == user, status.st_mode & 0o077 == 0
    else {
      throw failure("\"\(folder)\" is not a folder of user \(user) alone, with the mode 0700")
    }
  }

  private func takesNone(_ code: Int32) -> InputFailure {
    guard code == ENOENT || code == ECONNREFUSED else {
      return failure(String(cString: strerror(code)))
    }
    return failure(
      "the process takes no requests: it must be started with KVO_SAFETY_CONTROL=1, and observe something"
    )
  }

  private func connected(to path: String) throws(InputFailure) -> Int32 {
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    let connection = socket(AF_UNIX, kind, 0)
    guard connection >= 0 else { throw failure(String(cString: strerror(errno))) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard path.utf8.count <= room else {
      close(connection)
      throw failure("\"\(path)\" is too long for a socket")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if isConnected == 0 { return connection }
    let code = errno
    close(connection)
    throw takesNone(code)
  }

  private func read(_ connection: Int32) throws(InputFailure) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let end = ContinuousClock.now + .seconds(Self.secondLimit)
    while true {
      var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
      if poll(&waiting, 1, 1000) > 0 {
        let count = recv(connection, &chunk, chunk.count, 0)
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        if count > 0 {
          bytes += chunk[..<count]
          guard bytes.count <= Self.byteLimit else {
            throw failure("the answer is longer than \(Self.byteLimit >> 20) MB")
          }
        } else if errno != EINTR {
          throw failure("the answer is cut: \(String(cString: strerror(errno)))")
        }
      }
      // A stopped process keeps its connections.
      if ContinuousClock.now > end { throw failure("the process does not answer") }
    }
  }

  #else
  func answer(to request: String) throws(InputFailure) -> String {
    throw failure("the control of running processes needs Linux")
  }
  #endif

  private func failure(_ reason: String) -> InputFailure {
    InputFailure(input: "process \(process)", reason: reason)
  }
}
