import Glibc
import KVOSystem

extension SymbolStore {
  /// What happened with a file that was to be added.
  package enum Addition: Equatable {
    /// It is in the store now; the size is in bytes.
    case added(buildID: String, byteCount: Int)
    /// The store has as much about this build-id already.
    case existed(buildID: String)
    /// It has neither debug information nor symbols, or no build-id.
    case useless
    /// It cannot be read, for the reason in the sentence.
    case unusable(String)
    /// The store cannot be written.
    case refused(String)

    /// The build-id under which the file is in the store; nil: it is not.
    package var buildID: String? {
      switch self {
      case .added(let buildID, _), .existed(let buildID): buildID
      case .useless, .unusable, .refused: nil
      }
    }
  }

  /// Adds the debug information of an ELF file.
  ///
  /// If the file is stripped, its separate debug file is added, if that is on this machine. A file
  /// with debug information replaces one that has only symbols.
  ///
  /// - Complexity: O(bytes) of the file, which are copied.
  package func add(elf path: String) -> Addition {
    var file: ElfFile
    do throws(ImageProblem) {
      file = try ElfFile(path: path)
    } catch {
      return .unusable(error.sentence(about: path))
    }
    guard !file.buildID.isEmpty, let location = location(ofBuildID: file.buildID) else {
      return .useless
    }
    if file.debugInformationByteCount == 0, let debugFile = SeparateDebugFile().find(for: file) {
      file = debugFile
    }
    let hasDebugInformation = file.debugInformationByteCount > 0
    guard hasDebugInformation || file.hasSymbolTable else { return .useless }
    let known = (try? ElfFile(path: location)).flatMap { $0.buildID == file.buildID ? $0 : nil }
    if let known, !hasDebugInformation || known.debugInformationByteCount > 0 {
      return .existed(buildID: file.buildID)
    }
    // Symbols alone must not replace the debug information that another process adds meanwhile.
    let replaces = hasDebugInformation || access(location, F_OK) == 0
    return copy(file.path, to: location, buildID: file.buildID, replaces: replaces)
  }

  /// Adds a file of another format under a build-id.
  ///
  /// - Parameters:
  ///   - path: the file, such as that in a dSYM.
  ///   - buildID: its UUID.
  /// - Returns: what happened.
  package func add(_ path: String, withBuildID buildID: String) -> Addition {
    guard let location = location(ofBuildID: buildID) else { return .useless }
    if access(location, F_OK) == 0 { return .existed(buildID: buildID) }
    return copy(path, to: location, buildID: buildID, replaces: true)
  }

  /// Copies a file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - location: where it is copied to.
  ///   - buildID: its build-id.
  ///   - replaces: whether it replaces an existing file.
  /// - Returns: what happened.
  func copy(
    _ path: String,
    to location: String,
    buildID: String,
    replaces: Bool
  ) -> Addition {
    let source = repeatingInterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard source >= 0 else {
      return .unusable("\"\(path)\" cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(source) }
    let folder = String(location[..<(location.lastIndex(of: "/") ?? location.endIndex)])
    WholeFile.makeFolders(folder, mode: 0o777)
    let temporary = "\(folder)/.\(getpid())-\(UInt64.random(in: 0 ... .max))"
    var byteCount = 0
    var readError: Int32 = 0
    let code = WholeFile.write(to: location, as: temporary, mode: 0o666, replaces: replaces) {
      target in
      withUnsafeTemporaryAllocation(byteCount: 1 << 20, alignment: 16) { buffer in
        while true {
          let count = read(source, buffer.baseAddress, buffer.count)
          if count == 0 { return true }
          if count < 0 {
            if errno == EINTR { continue }
            readError = errno
            return false
          }
          let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
          guard WholeFile.append(bytes, to: target) else { return false }
          byteCount += count
        }
      }
    }
    guard readError == 0 else {
      return .unusable("\"\(path)\" cannot be read: \(String(cString: strerror(readError)))")
    }
    if code == EEXIST, !replaces { return .existed(buildID: buildID) }
    guard code == 0 else {
      return .refused("\"\(location)\" cannot be written: \(String(cString: strerror(code)))")
    }
    return .added(buildID: buildID, byteCount: byteCount)
  }
}
