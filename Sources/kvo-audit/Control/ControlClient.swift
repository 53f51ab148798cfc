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

  private let process: RunningProcess
  private let folder: String?

  init(process: Int32, folder: String?) {
    self.process = RunningProcess(id: process)
    self.folder = folder
  }

  #if os(Linux)
  /// The lines of the answer, without the first one.
  ///
  /// - Throws: ``InputFailure`` if the process does not exist, belongs to another user, takes no requests, refuses this
  ///   one, or does not answer in time.
  func answer(to request: String) throws(InputFailure) -> String {
    let status = try process.status(for: "control it")
    let user = status.user ?? geteuid()
    let folder = folder ?? "/tmp/kvo-safety-\(user)"
    try check(folder, of: user)
    let connection = try connected(to: "\(folder)/\(status.ownID ?? process.id).control")
    defer { close(connection) }
    try process.send(Array((request + "\n").utf8), on: connection)
    let lines = try read(connection)
    if lines.hasPrefix("ok\n") { return String(lines.dropFirst(3)) }
    let refusal = "refused: "
    guard lines.hasPrefix(refusal) else { throw process.noAnswer }
    throw process.failure(
      String(lines.dropFirst(refusal.count).prefix { $0 != "\n" }.prefix(Self.reasonLimit))
    )
  }

  /// Another user could answer in a folder that is not the user's own.
  private func check(_ folder: String, of user: uid_t) throws(InputFailure) {
    var status = stat()
    guard lstat(folder, &status) == 0 else { throw takesNone(errno) }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == user, status.st_mode & 0o077 == 0
    else {
      throw process.failure(
        "\"\(folder)\" is not a folder of user \(user) alone, with the mode 0700"
      )
    }
  }

  private func takesNone(_ code: Int32) -> InputFailure {
    if code == EAGAIN { return process.silence }
    guard code == ENOENT || code == ECONNREFUSED else {
      return process.failure(String(cString: strerror(code)))
    }
    return process.failure(
      "the process takes no requests: it must be started with KVO_SAFETY_CONTROL=1, and observe something"
    )
  }

  private func connected(to path: String) throws(InputFailure) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard path.utf8.count <= room else {
      throw process.failure("\"\(path)\" is too long for a socket")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let connection = RunningProcess.connection(to: address)
    guard connection.error == 0 else { throw takesNone(connection.error) }
    return connection.descriptor
  }

  private func read(_ connection: Int32) throws(InputFailure) -> String {
    var bytes: [UInt8] = []
    let end = ContinuousClock.now + .seconds(Self.secondLimit)
    while ContinuousClock.now < end {
      guard let chunk = try process.nextBytes(on: connection) else { continue }
      if chunk.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk
      guard bytes.count <= Self.byteLimit else {
        throw process.failure("the answer is longer than \(Self.byteLimit >> 20) MB")
      }
    }
    throw process.silence
  }

  #else
  func answer(to request: String) throws(InputFailure) -> String {
    throw process.failure("the control of running processes needs Linux")
  }
  #endif
}
