internal import CKVORetention
internal import CKVOUnwind
internal import Glibc
internal import KVOHeap

/// The thread that takes snapshots on request.
///
/// It has no state that changes, except for the number of its last file. What it waits for is
/// in `requests.c`; what may go wrong there, and how it is handled:
/// - A client sends nothing, or does not read: each call on its connection has a time limit.
/// - A client of another user connects: it is refused.
/// - The copy of the process crashes, or waits for a lock that another thread held: another one is
///   made, up to ``SnapshotProcess/attemptLimit`` in total.
/// - It hangs otherwise: it is killed when the time is over.
/// - The program closes the descriptors: the thread ends, and requests are not answered anymore.
struct HeapRequests {
  private static let stackByteCount = 1 << 20
  /// Below the time limit of a client, and of the copy itself.
  private static let timeLimit = Duration.seconds(HeapRequest.secondLimit - 10)

  private let search: RetainSearch
  private let folder: String
  private var fileCount = 0

  private init(search: RetainSearch, folder: String) {
    self.search = search
    self.folder = folder
  }

  /// Starts the thread, unless this process has it already.
  ///
  /// - Throws: ``RetainSnapshotError`` if the system refuses the socket or the thread.
  static func begin(_ search: RetainSearch, folder: String) throws(RetainSnapshotError) {
    let name = HeapRequest.socketName(processID: getpid())
    switch kvos_open_requests(name, name.utf8.count) {
    case 0: break
    case KVOS_REQUESTS_ARE_OPEN: return
    default: throw RetainSnapshotError("no socket for requests", errno: errno)
    }
    let code = start(Start(HeapRequests(search: search, folder: folder)))
    if code != 0 {
      kvos_close_requests()
      throw RetainSnapshotError("no thread for requests", errno: code)
    }
  }

  /// Prints a line to standard error.
  static func say(_ text: String) { kvos_say_text("KVOSafety: \(text)\n") }

  /// The state at the start, for the thread.
  private final class Start {
    let requests: HeapRequests
    init(_ requests: HeapRequests) { self.requests = requests }
  }

  /// Starts a thread that handles no signals; returns 0 or the system's error.
  private static func start(_ first: Start) -> Int32 {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackByteCount)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var all = sigset_t()
    var prior = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &prior)
    defer { pthread_sigmask(SIG_SETMASK, &prior, nil) }
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(first)
    let code = pthread_create(
      &thread,
      &attributes,
      { argument in
        guard let argument else { return nil }
        var requests = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().requests
        requests.serve()
        return nil
      },
      argument.toOpaque()
    )
    if code != 0 { argument.release() }
    return code
  }

  // MARK: The thread

  private mutating func serve() {
    while true {
      let (pipe, socket) = (kvos_request_pipe(), kvos_request_socket())
      guard pipe >= 0, socket >= 0 else { return }
      var waiting = [
        pollfd(fd: pipe, events: Int16(POLLIN), revents: 0),
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waiting, 2, -1) > 0 else {
        if errno == EINTR || errno == ENOMEM { continue }
        return
      }
      if waiting[0].revents != 0, kvos_request_pipe() == pipe {
        // Signals that arrived in the meantime are one request.
        var bytes = [UInt8](repeating: 0, count: 4096)
        guard read(pipe, &bytes, bytes.count) > 0 || errno == EAGAIN else { return }
        writeFile()
      }
      if waiting[1].revents != 0, kvos_request_socket() == socket {
        let connection = kvos_accept_request(socket)
        if connection >= 0 {
          answer(connection)
        } else if errno != EAGAIN, errno != EINTR, errno != ECONNABORTED {
          // There is no descriptor left, for example: not again at once.
          usleep(100_000)
        }
      }
    }
  }

  private mutating func writeFile() {
    var path: String
    // An earlier process may have had this ID: in a container each run has the same.
    repeat {
      fileCount += 1
      path = "\(folder)/\(HeapProcess.name)-\(getpid())-\(fileCount).kvoheap"
    } while access(path, F_OK) == 0
    do throws(RetainSnapshotError) {
      try HeapProcess.write(snapshot(), to: path)
      Self.say("heap snapshot: \(path)")
    } catch {
      Self.say("no heap snapshot: \(error.message)")
    }
  }

  // MARK: Connections

  private func answer(_ connection: Int32) {
    defer {
      // A child that was forked in the meantime has the connection, too.
      shutdown(connection, Int32(SHUT_RDWR))
      close(connection)
    }
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    let user = kvos_peer_user(connection)
    guard user == 0 || user == Int(geteuid()) else {
      Self.send(Self.refusal("it belongs to another user"), to: connection)
      return
    }
    var request = [UInt8](repeating: 0, count: HeapRequest.message.count)
    guard recv(connection, &request, request.count, Int32(MSG_WAITALL)) == request.count,
      request == HeapRequest.message
    else { return }
    do throws(RetainSnapshotError) {
      Self.send(try snapshot(), to: connection)
    } catch {
      Self.send(Self.refusal(error.message), to: connection)
    }
  }

  private static func refusal(_ reason: String) -> [UInt8] {
    HeapRequest.refusal + Array(reason.utf8)
  }

  /// Sends `bytes`; gives up if the client reads them too slowly, because others wait.
  private static func send(_ bytes: [UInt8], to connection: Int32) {
    var sent = 0
    let end = ContinuousClock.now + .seconds(HeapRequest.secondLimit)
    while sent < bytes.count, ContinuousClock.now < end {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          connection,
          $0.baseAddress.map { $0 + sent },
          $0.count - sent,
          Int32(MSG_NOSIGNAL)
        )
      }
      if count > 0 {
        sent += count
      } else if errno != EINTR {
        return
      }
    }
  }

  // MARK: Snapshots

  /// The bytes of a snapshot, which a copy of this process makes.
  private func snapshot() throws(RetainSnapshotError) -> [UInt8] {
    let process = getpid()
    let bytes = try SnapshotProcess.answer(
      within: min(search.timeLimit, Self.timeLimit),
      decode: { $0.isEmpty ? nil : $0 }
    ) {
      SnapshotProcess.begin { Self.bytes(search, ofProcess: process) }
    }
    guard bytes.starts(with: HeapRequest.refusal) else { return bytes }
    let reason = bytes.dropFirst(HeapRequest.refusal.count)
    throw RetainSnapshotError(code: .system, message: String(decoding: reason, as: UTF8.self))
  }

  /// The bytes of the snapshot in the copy, or of a refusal.
  @inline(never)
  private static func bytes(_ search: RetainSearch, ofProcess process: pid_t) -> [UInt8] {
    var entry = KVOSEntry()
    let isNoted = kvos_note_entry(&entry) != 0
    do throws(RetainSnapshotError) {
      return try search.snapshotBytes(calledAt: isNoted ? entry : nil, ofProcess: process)
    } catch {
      return refusal(error.message)
    }
  }
}
