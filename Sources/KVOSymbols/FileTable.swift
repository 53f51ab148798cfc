import CElfutils

/// The source files that a compile unit names, by number.
///
/// Mutable state: the paths that were asked for, at most one for each file of the unit.
struct FileTable {
  private var files: [LineHeader.File?] = []
  private var folders: [UnsafeRawBufferPointer?] = []
  private var paths: [String?] = []
  /// The folder that the compiler ran in, or nil.
  private var folder: String?
  /// Whether code comes from the file, which it does not from one that stands for the compiler.
  private var isSource: [Bool] = []

  /// Makes a table without files.
  init() {}

  /// Makes the table of a unit that was compiled in `folder`.
  init(of header: LineHeader, folder: UnsafeRawBufferPointer?) {
    files = header.files
    folders = header.folders
    paths = Array(repeating: nil, count: files.count)
    self.folder = folder.map { String(decoding: $0, as: UTF8.self) }
    isSource = files.map { file in
      file.map { !$0.name.suffix(Self.generated.count).elementsEqual(Self.generated) } ?? false
    }
  }

  private static let generated = Array("<compiler-generated>".utf8)

  /// Whether the table has a path for `number`.
  @inline(__always)
  func isSource(_ number: Int32) -> Bool {
    number >= 0 && number < isSource.count && isSource[Int(number)]
  }

  /// The path of a file, relative ones behind the folder that the compiler ran in; nil for a number
  /// that the table does not have and for code that comes from no file.
  ///
  /// - Complexity: O(1); the text is made at the first look.
  subscript(number: Int32) -> String? {
    mutating get {
      guard isSource(number) else { return nil }
      if let known = paths[Int(number)] { return known }
      let path = read(Int(number))
      paths[Int(number)] = path
      return path
    }
  }

  private func read(_ number: Int) -> String? {
    guard let file = files[number] else { return nil }
    var path = String(decoding: file.name, as: UTF8.self)
    if !path.hasPrefix("/"), let folder = text(ofFolder: file.folder) { path = "\(folder)/\(path)" }
    // A folder may be relative to the first one, and that to the compiler's.
    if !path.hasPrefix("/"), file.folder != 0, let first = text(ofFolder: 0) {
      path = "\(first)/\(path)"
    }
    if !path.hasPrefix("/"), let folder { path = "\(folder)/\(path)" }
    return path
  }

  private func text(ofFolder index: Int) -> String? {
    guard folders.indices.contains(index), let folder = folders[index] else { return nil }
    return String(decoding: folder, as: UTF8.self)
  }
}
