import Glibc

/// The folder in which indices are kept, one file for each image, shared by all processes of a user.
///
/// It is a cache: a folder that is missing is made, one that cannot be read or written is as good as none, a file
/// in it that is damaged is as good as none and is written anew. A file appears whole, by renaming; whoever reads one
/// that is replaced or removed meanwhile reads it to its end. Nothing is locked: of two processes that write the same
/// index, the last one is kept, and both wrote the same.
///
/// Its size is bounded: after writing, the indices that were not used for the longest time are removed
/// until the rest is within ``byteLimit``.
package struct SymbolIndexFolder: Sendable {
  /// The path of the folder.
  package let path: String
  /// What tells the indices of this program from those of others that name differently.
  private let program: String
  /// How many bytes all indices may have.
  package var byteLimit = 512 << 20

  /// Makes a folder for the indices of a program.
  ///
  /// - Parameters:
  ///   - path: the folder, which need not exist.
  ///   - program: the version of the program.
  package init(path: String, program: String) {
    self.path = path
    self.program = program
  }

  /// The folder that the environment asks for, or nil for none.
  ///
  /// It is `kvo-audit` in the user's cache folder: in `XDG_CACHE_HOME`, or else in `~/.cache`, as the XDG Base
  /// Directory Specification says. `KVO_SAFETY_INDEX=off` asks for none.
  ///
  /// - Parameters:
  ///   - environment: the value of a variable, or nil.
  ///   - program: the version of the program.
  package init?(environment: (String) -> String?, program: String) {
    guard environment("KVO_SAFETY_INDEX") != "off" else { return nil }
    // The specification has relative paths ignored.
    func absolute(_ name: String) -> String? {
      environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    guard let caches = absolute("XDG_CACHE_HOME") ?? absolute("HOME").map({ "\($0)/.cache" }) else {
      return nil
    }
    self.init(path: "\(caches)/kvo-audit", program: program)
  }

  /// The index with `key`, or nil if there is none that can be used.
  func index(for key: SymbolIndexKey) -> SymbolIndex? {
    let descriptor = open(file(for: key), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
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
    // The time of the last use, to the day: what is removed first.
    if time(nil) - status.st_mtim.tv_sec > 86_400 { futimens(descriptor, nil) }
    return index
  }

  /// Keeps the index of `draft`, and returns it; nil if it cannot be made.
  ///
  /// It is returned even if it could not be kept.
  func keep(_ draft: SymbolIndexDraft, for key: SymbolIndexKey) -> SymbolIndex? {
    var draft = draft
    guard let content = draft.bytes(key: hash(of: key)) else { return nil }
    write(UnsafeRawBufferPointer(content), to: file(for: key))
    return SymbolIndex(taking: content, key: hash(of: key))
  }

  /// How many bytes the index with `key` has, or nil if there is none.
  func byteCount(for key: SymbolIndexKey) -> Int? {
    var status = stat()
    return stat(file(for: key), &status) == 0 ? status.st_size : nil
  }

  /// Removes all indices.
  ///
  /// - Returns: how many there were, and how many bytes they had.
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

  private func file(for key: SymbolIndexKey) -> String {
    let fingerprint = String(hash(of: key), radix: 16)
    return "\(path)/\(key.buildID)-\(fingerprint)\(Self.ending)"
  }

  /// Writes a file that appears whole, or not at all.
  private func write(_ content: UnsafeRawBufferPointer, to file: String) {
    makeFolder()
    // Not hidden, so that what an interrupted run leaves is seen and removed as an index is.
    let name = "\(path)/\(getpid())-\(UInt64.random(in: 0 ... .max))\(Self.ending)"
    let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    var count = 0
    while count < content.count {
      let rest = UnsafeRawBufferPointer(rebasing: content[count...])
      let more = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if more < 0, errno == EINTR { continue }
      guard more > 0 else { break }
      count += more
    }
    guard close(descriptor) == 0, count == content.count, rename(name, file) == 0 else {
      unlink(name)
      return
    }
    removeOldest()
  }

  /// Makes the folder and those around it, for the user alone.
  private func makeFolder() {
    var end = path.startIndex
    while let next = path[end...].dropFirst().firstIndex(of: "/") {
      mkdir(String(path[..<next]), 0o700)
      end = next
    }
    mkdir(path, 0o700)
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

  private func removeOldest() {
    let files = files().sorted { $0.usedAt > $1.usedAt }
    var byteCount = 0
    for file in files {
      byteCount += file.byteCount
      if byteCount > byteLimit { unlink(file.path) }
    }
  }
}
