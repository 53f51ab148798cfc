import KVOSystem
import KVOTrace
import KVOTraceBinary

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads a file, a FIFO or standard input sequentially, and a file also from any offset.
///
/// Sequential reading decompresses, if it is told how.
///
/// Owns its file descriptor and closes it, except for standard input's. Not synchronized.
package final class ByteSource {
  /// The number of bytes there are, if it is known; those of a compressed file, if it is one.
  package let knownByteCount: Int?
  /// How many of them were read.
  private(set) var takenByteCount = 0
  let label: String
  private let descriptor: Int32
  private let isOwned: Bool
  /// Whether the first read has yet to determine if any process writes to the FIFO.
  private var isUnprovenFIFO: Bool
  /// Looks for compression in the first bytes; nil afterwards.
  private var decompression: (any InputDecompression)?
  /// Bytes that were read before by another source, and come first.
  private var beginning: [UInt8] = []
  private var decoded: DecodedBytes?

  static let chunkByteCount = 256 << 10

  /// Opens `path`.
  ///
  /// Never waits: a FIFO is opened without its writer, and the first ``read()`` determines whether there is one.
  ///
  /// - Parameters:
  ///   - path: relative to the working directory, or absolute.
  ///   - decompression: decompresses what ``read()`` reads; nil: it reads the bytes as they are.
  /// - Throws: ``InputFailure`` if the file is not there, may not be read or is a directory.
  package init(
    path: String,
    decompression: (any InputDecompression)? = nil
  ) throws(InputFailure) {
    label = path
    self.decompression = decompression
    descriptor = repeatingInterrupted { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    guard descriptor >= 0 else {
      let code = errno
      // Of a file in a folder, whose name was repaired.
      let isRepaired = code == ENOENT && path.unicodeScalars.contains("\u{fffd}")
      throw InputFailure(
        input: path,
        reason: isRepaired
          ? "cannot be read: its name is not UTF-8; rename it" : Self.reason(of: code)
      )
    }
    isOwned = true
    var status = stat()
    let isKnown = fstat(descriptor, &status) == 0
    let type = isKnown ? status.st_mode & S_IFMT : S_IFREG
    knownByteCount = isKnown && type == S_IFREG ? Int(status.st_size) : nil
    isUnprovenFIFO = type == S_IFIFO
    if type == S_IFDIR {
      // One that may not be searched, either.
      let isClosed = access(path, X_OK) != 0
      throw InputFailure(
        input: path,
        reason: isClosed ? Self.reason(of: EACCES) : InputFailure.directoryReason
      )
    }
    if type != S_IFIFO { Self.makeBlocking(descriptor) }
  }

  /// Reads standard input, from its current position.
  ///
  /// - Parameters:
  ///   - standardInputLabel: the name of the input in errors.
  ///   - beginning: bytes that come first, compressed or not: another source has read them from standard input.
  ///   - decompression: as of ``init(path:decompression:)``.
  package init(
    standardInputLabel: String,
    beginning: [UInt8] = [],
    decompression: (any InputDecompression)? = nil
  ) {
    label = standardInputLabel
    self.beginning = beginning
    self.decompression = decompression
    descriptor = STDIN_FILENO
    isOwned = false
    isUnprovenFIFO = false
    var status = stat()
    let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    knownByteCount = isFile ? Int(status.st_size) : nil
  }

  /// Reads an open file, which it closes.
  init(label: String, descriptor: Int32, byteCount: Int) {
    self.label = label
    self.descriptor = descriptor
    isOwned = true
    isUnprovenFIFO = false
    knownByteCount = byteCount
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  /// Whether the bytes of the file are kept in ``stored`` as they are read.
  package var keepsStored = false
  /// The bytes of the file that were read while they were kept, as they are there.
  package private(set) var stored: [UInt8] = []

  /// Whether ``read()`` decompresses; known after the first bytes.
  var isCompressed: Bool { decoded != nil }
  /// Where the compressed bytes are damaged or end too early, once ``read()`` has come there.
  package var damage: (offset: Int, reason: String)? { decoded?.damage }

  /// The next bytes, none at the end, and where compressed bytes are damaged.
  ///
  /// Waits for a writer that has not written yet. Fewer than ``chunkByteCount`` do not mean the end.
  ///
  /// - Returns: the bytes.
  /// - Throws: ``InputFailure`` if reading fails, and for a FIFO that no process writes to.
  package func read() throws(InputFailure) -> [UInt8] {
    if let decompression {
      self.decompression = nil
      var head: [UInt8] = []
      while head.count < type(of: decompression).magicByteCount {
        let chunk = try readStored()
        if chunk.isEmpty { break }
        head += chunk
      }
      guard let decoder = decompression.decoder(head: head) else { return head }
      decoded = DecodedBytes(head: head, decoder: decoder, byteLimit: decompression.byteLimit)
    }
    guard let decoded else { return try readStored() }
    return try decoded.read { () throws(InputFailure) in try readStored() }
  }

  /// The next bytes of the file, as they are.
  private func readStored() throws(InputFailure) -> [UInt8] {
    if !beginning.isEmpty {
      defer { beginning = [] }
      takenByteCount += beginning.count
      return beginning
    }
    let chunk = try readDescriptor()
    if keepsStored { stored += chunk }
    return chunk
  }

  private func readDescriptor() throws(InputFailure) -> [UInt8] {
    var code: Int32 = 0
    while true {
      let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkByteCount) { buffer, count in
        let result = readBytes(into: buffer)
        count = max(result, 0)
        code = result < 0 ? errno : 0
      }
      switch code {
      case 0:
        if isUnprovenFIFO, chunk.isEmpty {
          throw InputFailure(input: label, reason: InputFailure.silentFIFOReason)
        }
        proveFIFO()
        takenByteCount += chunk.count
        return chunk
      case EINTR: continue
      case EAGAIN where isUnprovenFIFO:
        // There is a writer, which has not written yet: wait for it from here on.
        proveFIFO()
      case EAGAIN:
        // Standard input, which another process that has it, too, made non-blocking.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, -1)
      default:
        throw InputFailure(input: label, reason: Self.reason(of: code))
      }
    }
  }

  private func readBytes(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    #if canImport(Glibc)
    Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
    Musl.read(descriptor, buffer.baseAddress, buffer.count)
    #else
    Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }

  private func proveFIFO() {
    guard isUnprovenFIFO else { return }
    isUnprovenFIFO = false
    Self.makeBlocking(descriptor)
  }

  /// Makes reads of `descriptor` wait for bytes, for all processes that share it.
  package static func makeBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
  }

  private static func reason(of code: Int32) -> String {
    switch code {
    case ENOENT: InputFailure.missingReason
    case EACCES: "cannot be read: permission denied"
    case EISDIR: InputFailure.directoryReason
    default: "cannot be read: \(String(cString: strerror(code)))"
    }
  }
}

// A binary log is read piece by piece, not mapped: a file that is truncated while it is mapped ends the process that
// accesses it.
extension ByteSource: BinaryLogBytes {
  /// The size that the file had when it was opened.
  var byteCount: Int { knownByteCount ?? 0 }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let result = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + count))
      if result < 0, errno == EINTR { continue }
      if result <= 0 { break }
      count += result
    }
    return count
  }

  func dataOffset(from offset: Int) -> Int {
    #if os(Linux)
    // SEEK_DATA, which the system's headers hide behind a macro.
    let seekData: Int32 = 3
    let found = lseek(descriptor, off_t(offset), seekData)
    if found >= 0 { return max(offset, Int(found)) }
    // After the last data there is only a hole up to the end.
    return errno == ENXIO ? max(offset, byteCount) : offset
    #else
    return offset
    #endif
  }
}
