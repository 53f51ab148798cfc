import KVOTrace
import KVOTraceBinary

/// The files of one process's log, found next to an input.
///
/// `app.kvolog` is the newest file; `app.kvolog.1` the previous one, `app.kvolog.2` the one before that. A log may itself
/// have a name that ends in a number, which is that of its process: `app.kvolog.4711`, before which is `app.kvolog.4711.1`.
struct LogParts {
  /// An existing file.
  struct Part {
    var path: String
    var number: UInt32
    var source: ByteSource
  }

  /// The files before the input's, oldest first, without the input's own.
  private(set) var older: [Part] = []

  /// How many consecutive names may be unused before the search for older files stops.
  private static let gapLimit = 16

  /// Finds the files before the one at `path`, whose header is `header`.
  ///
  /// Complexity: O(parts).
  init(before path: String, header: BinaryFileHeader) {
    var number = 0
    var unusedCount = 0
    var numbers: Set<UInt32> = []
    while unusedCount < Self.gapLimit, UInt64(number) + 1 < UInt64(header.part) {
      number += 1
      unusedCount += 1
      for name in Self.names(of: path, older: number) {
        guard let source = try? ByteSource(path: name), source.knownByteCount != nil else {
          continue
        }
        unusedCount = 0
        guard let other = BinaryFileHeader(of: source), other.session == header.session,
          // A hostile header may have a part 0.
          1..<header.part ~= other.part, numbers.insert(other.part).inserted
        else { continue }
        older.append(Part(path: name, number: other.part, source: source))
      }
    }
    older.sort { $0.number < $1.number }
  }

  /// What the file may be called that is `count` steps older than the one at `path`.
  private static func names(of path: String, older count: Int) -> [String] {
    let (base, number) = split(path)
    return number == 0 ? ["\(path).\(count)"] : ["\(base).\(number + count)", "\(path).\(count)"]
  }

  /// The newest file's name, and how many steps older the one at `path` is.
  static func split(_ path: String) -> (base: String, number: Int) {
    guard let dot = path.lastIndex(of: "."), let number = Int(path[path.index(after: dot)...]),
      number > 0, number < 1 << 32, String(number) == path[path.index(after: dot)...]
    else { return (path, 0) }
    return (String(path[..<dot]), number)
  }
}

extension BinaryFileHeader {
  /// The header of a file, or nil if it has none.
  init?(of source: ByteSource) {
    let bytes = [UInt8](unsafeUninitializedCapacity: BinaryFormat.pageByteCount) { buffer, count in
      count = source.read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
    }
    guard let header = BinaryFileHeader(bytes: bytes) else { return nil }
    self = header
  }
}

extension AuditInput {
  /// The inputs of command line arguments, which may be folders and patterns (``InputPaths``), without older files of a
  /// log whose newer file is also given: that one includes them.
  ///
  /// - Parameters:
  ///   - arguments: the arguments.
  ///   - decompression: recognizes compressed files; nil: there are none.
  /// - Returns: the inputs.
  package static func inputs(
    arguments: [String],
    decompression: (any InputDecompression)? = nil
  ) -> [AuditInput] {
    let arguments = InputPaths.expand(arguments, decompression)
    let older = olderFiles(of: arguments)
    return arguments.filter { !older.contains($0) }.map { argument in
      argument != "-" && InputPaths.isFolder(argument) == true
        ? .folder(path: argument) : AuditInput(argument: argument, decompression: decompression)
    }
  }

  /// The files of `paths` that are older than another one of the same log.
  ///
  /// Reads each header once: a folder may have the logs of thousands of processes. Complexity: O(n log n).
  private static func olderFiles(of paths: [String]) -> Set<String> {
    struct Log: Hashable {
      var base: String
      var session: UInt64
    }
    let names = paths.map(LogParts.split)
    let bases = Set(names.filter { $0.number > 0 }.map(\.base))
    var logs: [Log: [(path: String, number: Int, part: UInt32)]] = [:]
    for (path, name) in zip(paths, names) where name.number > 0 || bases.contains(path) {
      guard let header = header(at: path) else { continue }
      if name.number > 0 {
        logs[Log(base: name.base, session: header.session), default: []]
          .append((path, name.number, header.part))
      }
      // The newest one's name may end in a number, too.
      if bases.contains(path) {
        logs[Log(base: path, session: header.session), default: []].append((path, 0, header.part))
      }
    }
    var older: Set<String> = []
    for files in logs.values {
      var newest: UInt32 = 0
      for file in files.sorted(by: { $0.number < $1.number }) {
        if file.number > 0, file.part < newest { older.insert(file.path) }
        newest = max(newest, file.part)
      }
    }
    return older
  }

  /// The files that reading it reads: its own, and the older files of a binary log.
  package var paths: [String] {
    guard case .file(let path, _) = self else { return [] }
    guard let header = Self.header(at: path) else { return [path] }
    return [path] + LogParts(before: path, header: header).older.map(\.path)
  }

  static func isBinaryLog(_ path: String) -> Bool { header(at: path) != nil }

  private static func header(at path: String) -> BinaryFileHeader? {
    guard let source = try? ByteSource(path: path), source.knownByteCount != nil else { return nil }
    return BinaryFileHeader(of: source)
  }
}
