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

  private let process: RunningProcess

  init(process: Int32) { self.process = RunningProcess(id: process) }

  #if os(Linux)
  /// The snapshot's bytes.
  ///
  /// - Throws: ``InputFailure`` if the process does not exist, belongs to another user, takes no
  ///   requests, refuses this one, or does not answer in time.
  func snapshot() throws(InputFailure) -> [UInt8] {
    let status = try process.status(for: "read its memory")
    let name = HeapRequest.socketName(processID: status.ownID ?? process.id)
    let connection = try connected(to: name)
    defer { close(connection) }
    // Another process may listen there instead; one of another namespace has the number 0 here.
    // The user is the one when it began to listen: it may have been root, and have given that up.
    let peer = credentials(connection)
    let isRightUser = peer.user == 0 || peer.user == status.user ?? peer.user
    guard peer.process == process.id, isRightUser else {
      throw process.failure("another process, \(peer.process), answers in its place")
    }
    try process.send(HeapRequest.message, on: connection)
    let answer = try answer(on: connection)
    guard answer.starts(with: HeapRequest.refusal) else {
      if answer.isEmpty { throw process.noAnswer }
      return answer
    }
    let reason = answer.dropFirst(HeapRequest.refusal.count)
    throw process.failure(
      "the process takes no snapshot: \(String(decoding: reason, as: UTF8.self))"
    )
  }

  // MARK: The connection

  private func connected(to name: String) throws(InputFailure) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The first byte of an abstract address is zero.
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path[1...].copyBytes(from: name.utf8.prefix(path.count - 1))
    }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let connection = RunningProcess.connection(
      to: address,
      byteCount: offset + 1 + name.utf8.count
    )
    guard connection.error != 0 else { return connection.descriptor }
    if connection.error == EAGAIN { throw process.silence }
    guard connection.error == ECONNREFUSED else {
      throw process.failure(String(cString: strerror(connection.error)))
    }
    if let own = namespace(of: "self"), let other = namespace(of: "\(process.id)"), own != other {
      throw process.failure(
        "the process has another network namespace, as in a container: run kvo-audit there"
      )
    }
    throw process.failure(
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
    while ContinuousClock.now < end {
      guard var chunk = try process.nextBytes(on: connection) else { continue }
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
        throw process.failure(error.description)
      }
    }
    throw process.silence
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
    throw process.failure("snapshots of running processes need Linux")
  }
  #endif
}
