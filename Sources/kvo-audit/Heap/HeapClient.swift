import KVOAudit
import KVOHeap

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Asks a running process for a snapshot, as ``HeapRequest`` describes.
struct HeapClient {
  /// Of a refusal, so many bytes are shown.
  private static let refusalLimit = 1000

  private let process: Int32

  init(process: Int32) { self.process = process }

  #if os(Linux)
  /// The snapshot's bytes.
  ///
  /// - Throws: ``InputFailure`` if the process does not exist, belongs to another user, takes no
  ///   requests, refuses this one, or does not answer in time.
  func snapshot() throws(InputFailure) -> [UInt8] {
    guard kill(process, 0) == 0 || errno == EPERM else { throw failure("there is no such process") }
    let status = ProcessStatus(of: process)
    if geteuid() != 0, let user = status.user, user != geteuid() {
      throw failure(
        "the process belongs to user \(user): only that user and root may read its memory"
      )
    }
    let connection = try connected(to: HeapRequest.socketName(processID: status.ownID ?? process))
    defer { close(connection) }
    // Another process may listen there instead; one of another namespace has the number 0 here.
    let peer = credentials(connection)
    guard peer.process == process, peer.user == status.user ?? peer.user else {
      throw failure("another process, \(peer.process), answers in its place")
    }
    guard StandardStreams.write(HeapRequest.message, to: connection) == 0 else {
      throw failure("the request cannot be sent: \(String(cString: strerror(errno)))")
    }
    let answer = try answer(on: connection)
    guard answer.starts(with: HeapRequest.refusal) else {
      if answer.isEmpty { throw failure("the process ended, or did not accept the request") }
      return answer
    }
    let reason = answer.dropFirst(HeapRequest.refusal.count)
    throw failure("the process takes no snapshot: \(String(decoding: reason, as: UTF8.self))")
  }

  // MARK: The connection

  private func connected(to name: String) throws(InputFailure) -> Int32 {
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    let connection = socket(AF_UNIX, kind, 0)
    guard connection >= 0 else { throw failure(String(cString: strerror(errno))) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The first byte of an abstract address is zero.
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path[1...].copyBytes(from: name.utf8.prefix(path.count - 1))
    }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let byteCount = socklen_t(offset + 1 + name.utf8.count)
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection, $0, byteCount) }
    }
    if isConnected == 0 { return connection }
    let code = errno
    close(connection)
    guard code == ECONNREFUSED else { throw failure(String(cString: strerror(code))) }
    if let own = namespace(of: "self"), let other = namespace(of: "\(process)"), own != other {
      throw failure(
        "the process has another network namespace, as in a container: run kvo-audit there"
      )
    }
    throw failure(
      """
      the process takes no requests: it must call RetainSearch().allowSnapshots(), or \
      RetainSearch.install() with KVO_SAFETY_HEAP in its environment
      """
    )
  }

  private func credentials(_ connection: Int32) -> (process: Int32, user: uid_t) {
    // The process, the user and the group, as in `ucred`.
    var words: [Int32] = [0, 0, 0]
    var byteCount = socklen_t(12)
    guard getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &words, &byteCount) == 0 else {
      return (0, .max)
    }
    return (words[0], uid_t(bitPattern: words[1]))
  }

  /// The bytes of a snapshot, which are checked while they arrive, or of a refusal.
  private func answer(on connection: Int32) throws(InputFailure) -> [UInt8] {
    var snapshot = SnapshotBytes()
    var refusal: [UInt8] = []
    // Other clients may be served first.
    let end = ContinuousClock.now + .seconds(2 * HeapRequest.secondLimit)
    // A stopped process keeps its connections.
    while ContinuousClock.now < end {
      guard var chunk = try nextBytes(on: connection) else { continue }
      if chunk.isEmpty { return refusal.isEmpty ? snapshot.all : refusal }
      if snapshot.all.isEmpty {
        chunk = refusal + chunk
        let isRefusal = chunk.starts(with: HeapRequest.refusal.prefix(chunk.count))
        refusal = isRefusal ? Array(chunk.prefix(Self.refusalLimit)) : []
        if refusal.count == Self.refusalLimit { return refusal }
        if isRefusal { continue }
      }
      do throws(HeapFileError) {
        try snapshot.append(chunk)
      } catch {
        throw failure(error.description)
      }
    }
    throw failure("the process does not answer")
  }

  /// The next bytes of an answer; empty: it has ended; nil: there are none yet.
  private func nextBytes(on connection: Int32) throws(InputFailure) -> [UInt8]? {
    var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 1000) > 0 else { return nil }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(connection, &chunk, chunk.count)
    if count >= 0 { return Array(chunk.prefix(count)) }
    guard errno == EINTR else {
      throw failure("the answer is cut: \(String(cString: strerror(errno)))")
    }
    return nil
  }

  // MARK: The process

  private func namespace(of process: String) -> [UInt8]? {
    var target = [UInt8](repeating: 0, count: 64)
    let count = target.withUnsafeMutableBytes {
      $0.baseAddress.map { readlink("/proc/\(process)/ns/net", $0, 64) } ?? 0
    }
    return count > 0 ? Array(target[..<count]) : nil
  }

  #else
  func snapshot() throws(InputFailure) -> [UInt8] {
    throw failure("snapshots of running processes need Linux")
  }
  #endif

  private func failure(_ reason: String) -> InputFailure {
    InputFailure(input: "process \(process)", reason: reason)
  }
}
