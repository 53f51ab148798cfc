/// Finds the file that contains the debug information of a stripped image.
///
/// The locations are those of GDB's manual, "Debugging Information in Separate Files". Only the local disk is searched:
/// libdwfl's search, which does the same, continues with the debuginfod servers of the environment, and can be kept
/// from it only by changing the environment of the whole process.
struct SeparateDebugFile {
  /// Where the distribution installs debug files.
  var roots = ["/usr/lib/debug"]
  /// The files that the user named, which are searched first.
  var named = DebugFiles()
  /// The symbol store, which is searched next.
  var store: SymbolStore?

  /// The file with the debug information of `image`, or nil.
  ///
  /// Only a file with the same build-id is used; an image without one has none. A file without debug information, such
  /// as a copy of the stripped image, is used only if no other is there.
  func find(for image: ElfFile) -> ElfFile? {
    guard image.buildID.utf8.count > 2 else { return nil }
    var stripped: ElfFile?
    for path in candidates(for: image) {
      guard let file = try? ElfFile(path: path), file.buildID == image.buildID else { continue }
      if file.debugInformationByteCount > 0 { return file }
      stripped = stripped ?? file
    }
    return stripped
  }

  /// The paths to try, in order.
  private func candidates(for image: ElfFile) -> [String] {
    let folder = image.path.lastIndex(of: "/").map { String(image.path[..<$0]) } ?? "."
    var paths = roots.map {
      "\($0)/.build-id/\(image.buildID.prefix(2))/\(image.buildID.dropFirst(2)).debug"
    }
    if let name = image.debugLink {
      paths += ["\(folder)/\(name)", "\(folder)/.debug/\(name)"]
      paths += roots.map { "\($0)\(folder)/\(name)" }
    }
    return (provided(image.buildID) + paths).filter { $0 != image.path }
  }

  /// The file to use instead of an image that is not on this machine, or nil.
  func replacement(ofBuildID buildID: String) -> ElfFile? {
    for path in provided(buildID.lowercased()) {
      if let file = try? ImageSymbols.open(path: path, buildID: buildID) { return file }
    }
    return nil
  }

  /// The file of the symbol store, or nil.
  func stored(withBuildID buildID: String) -> ElfFile? {
    store?.file(forBuildID: buildID).flatMap { try? ImageSymbols.open(path: $0, buildID: buildID) }
  }

  /// The files with a build-id that the user provided.
  private func provided(_ buildID: String) -> [String] {
    [named.paths[buildID], store?.file(forBuildID: buildID)].compactMap(\.self)
  }
}
