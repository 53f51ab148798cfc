import Glibc
import KVOSystem

/// The folder for indices, one file for each image, shared by all processes of a user.
///
/// It is a cache: a missing folder is created, one that cannot be read or written is not used, and
/// a damaged file is written again. A file is written completely before it is renamed into the
/// folder; a process that is reading a file which is replaced or removed can read it to its end.
/// There are no locks: if two processes write the same index, the last one is kept, and both have
/// the same content.
///
/// Its size is bounded: after writing, the least recently used indices are removed until the rest
/// is within ``byteLimit``, or only the new one is left.
package struct SymbolIndexFolder: Sendable {
  /// The path of the folder.
  package let path: String
  /// Distinguishes the indices of this program from those of versions that symbolicate differently.
  private let program: String
  /// The maximum size of all indices, in bytes.
  package var byteLimit = 512 << 20
  /// A folder of the same kind whose indices are used, too, such as that of a symbol store; nothing is
  /// written there.
  package var other: String?
  /// Whether other users may read what is written.
  package var isShared = false

  /// Creates a reference to the folder for the indices of a program.
  ///
  /// - Parameters:
  ///   - path: the folder, which need not exist.
  ///   - program: the version of the program.
  package init(path: String, program: String) {
    self.path = path
    self.program = program
  }

  /// The message that the index of `image` was not kept.
  package func message(notKept image: String) -> String {
    "the index of \"\(image)\" cannot be written to \"\(path)\""
  }

  /// The folder according to the environment, or nil for none.
  ///
  /// It is `kvo-audit` in the user's cache folder: in `XDG_CACHE_HOME`, or otherwise in `~/.cache`,
  /// as specified by the XDG Base Directory Specification. `KVO_SAFETY_INDEX=off` disables it.
  ///
  /// - Parameters:
  ///   - environment: the value of a variable, or nil.
  ///   - program: the version of the program.
  package init?(environment: (String) -> String?, program: String) {
    guard environment("KVO_SAFETY_INDEX") != "off" else { return nil }
    // According to the specification, relative paths are ignored.
    func absolute(_ name: String) -> String? {
      environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    guard let caches = absolute("XDG_CACHE_HOME") ?? absolute("HOME").map({ "\($0)/.cache" }) else {
      return nil
    }
    self.init(path: "\(caches)/kvo-audit", program: program)
  }

  /// The index with `key`, or nil if there is no usable one.
  func index(for key: SymbolIndexKey) -> SymbolIndex? {
    for folder in [path] + (other.map { [$0] } ?? []) {
      if let index = index(at: file(for: key, in: folder), key) { return index }
    }
    return nil
  }

  private func index(at file: String, _ key: SymbolIndexKey) -> SymbolIndex? {
    let descriptor = repeatingInterrupted { open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      SymbolIndexLayout.headerByteCount...SymbolIndexLayout.byteLimit ~= status.st_size
    else { return nil }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: status.st_size, alignment: 16)
    var count = 0
    while count < bytes.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
      let more = read(descriptor, rest.baseAddress, rest.count)
      if more < 0, errno == EINTR { continue }
      guard more > 0 else {
        bytes.deallocate()
        return nil
      }
      count += more
    }
    guard let index = SymbolIndex(taking: bytes, key: hash(of: key)) else { return nil }
    // The time of the last use, with a precision of a day: the oldest are removed first.
    if time(nil) - status.st_mtim.tv_sec > 86_400 { futimens(descriptor, nil) }
    return index
  }

  /// Stores the index of `draft`, and returns it; nil if it cannot be created.
  ///
  /// It is returned even if it could not be stored.
  func keep(_ draft: SymbolIndexDraft, for key: SymbolIndexKey) -> SymbolIndex? {
    var draft = draft
    guard let content = draft.bytes(key: hash(of: key)) else { return nil }
    write(UnsafeRawBufferPointer(content), to: file(for: key, in: path))
    return SymbolIndex(taking: content, key: hash(of: key))
  }

  /// The size in bytes of the index with `key`, or nil if there is none.
  func byteCount(for key: SymbolIndexKey) -> Int? {
    var status = stat()
    guard stat(file(for: key, in: path), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return status.st_size
  }

  /// Removes all indices.
  ///
  /// - Returns: their number and their total size in bytes.
  package func removeAll() -> (count: Int, byteCount: Int) {
    let files = files().filter { unlink($0.path) == 0 }
    rmdir(path)
    return (files.count, files.reduce(0) { $0 + $1.byteCount })
  }

  private func hash(of key: SymbolIndexKey) -> UInt64 {
    var text = "\(program) \(_SwiftStdlibVersion.current) \(key.buildID) \(key.fingerprint)"
    return text.withUTF8 { SymbolIndexLayout.checksum(UnsafeRawBufferPointer($0)) }
  }

  private static let ending = ".kvoindex"

  private func file(for key: SymbolIndexKey, in path: String) -> String {
    let fingerprint = String(hash(of: key), radix: 16)
    return "\(path)/\(key.buildID)-\(fingerprint)\(Self.ending)"
  }

  private func write(_ content: UnsafeRawBufferPointer, to file: String) {
    WholeFile.makeFolders(path, mode: isShared ? 0o777 : 0o700)
    // Not hidden, so that the remains of an interrupted run are listed and removed like an index.
    let temporary = "\(path)/\(getpid())-\(UInt64.random(in: 0 ... .max))\(Self.ending)"
    let mode: mode_t = isShared ? 0o666 : 0o600
    if WholeFile.write(to: file, as: temporary, mode: mode, { WholeFile.append(content, to: $0) })
      == 0
    {
      removeOldest(exceptFor: file)
    }
  }

  private struct File {
    var path: String
    var byteCount: Int
    var usedAt: Int
  }

  private func files() -> [File] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var files: [File] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      guard name.hasSuffix(Self.ending), lstat("\(path)/\(name)", &status) == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { continue }
      files.append(
        File(path: "\(path)/\(name)", byteCount: status.st_size, usedAt: status.st_mtim.tv_sec)
      )
    }
    return files
  }

  private func removeOldest(exceptFor newest: String) {
    let files = files()
    var byteCount = files.first { $0.path == newest }?.byteCount ?? 0
    let others = files.filter { $0.path != newest }.sorted { $0.usedAt > $1.usedAt }
    for file in others {
      byteCount += file.byteCount
      if byteCount > byteLimit { unlink(file.path) }
    }
  }
}
