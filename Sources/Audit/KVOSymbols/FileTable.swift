import CElfutils
import Glibc

/// The source files that a compile unit names.
///
/// A file is identified by libdw's pointer to its name, both for its rows and for its number.
///
/// Mutable state: the requested paths, at most one for each file of the unit.
struct FileTable {
  private var files: OpaquePointer?
  /// The folder that the compiler ran in, or nil.
  private var folder: String?
  private var paths: [UnsafePointer<CChar>: String] = [:]

  /// Makes a table without files.
  init() {}

  /// Makes the table of the unit whose own entry `die` is, which was compiled in `folder`.
  init(of die: inout Dwarf_Die, folder: String?) {
    var count = 0
    guard dwarf_getsrcfiles(&die, &files, &count) == 0 else {
      files = nil
      return
    }
    self.folder = folder
  }

  /// Whether code comes from the file called `name`, which is not the case for a name that stands for the compiler.
  static func isSource(_ name: UnsafePointer<CChar>?) -> Bool {
    guard let name else { return false }
    let count = strlen(name) - strlen(generated)
    return count < 0 || strcmp(name + count, generated) != 0
  }

  private static let generated = "<compiler-generated>"

  /// The path of a file, relative ones joined to the folder that the compiler ran in; nil for code that
  /// comes from no file.
  ///
  /// - Complexity: O(1); the text is made at the first look.
  subscript(name: UnsafePointer<CChar>) -> String? {
    mutating get {
      if let known = paths[name] { return known }
      guard Self.isSource(name) else { return nil }
      var path = String(cString: name)
      if !path.hasPrefix("/"), let folder { path = "\(folder)/\(path)" }
      paths[name] = path
      return path
    }
  }

  /// The same for the file with `number`; nil for a number that the table does not have.
  subscript(number: Int) -> String? {
    mutating get {
      guard let files, number >= 0, let name = dwarf_filesrc(files, number, nil, nil) else {
        return nil
      }
      return self[name]
    }
  }
}
