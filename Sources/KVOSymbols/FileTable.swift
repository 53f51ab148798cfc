import CElfutils

/// The source files that a compile unit names, by number.
struct FileTable {
  private var handle: OpaquePointer?
  private var paths: [String??] = []
  /// The folder that the compiler ran in, or nil.
  private let folder: String?

  init(of unit: Dwarf_Die) {
    var unit = unit
    var attribute = Dwarf_Attribute()
    // Clang's units give it beside relative names, and libdw joins the two in some versions only.
    folder = dwarf_attr(&unit, UInt32(DW_AT_comp_dir), &attribute)
      .flatMap { dwarf_formstring($0) }
      .map { String(cString: $0) }
    var count = 0
    guard dwarf_getsrcfiles(&unit, &handle, &count) == 0 else { return }
    paths = Array(repeating: nil, count: count)
  }

  /// The path of a file, relative ones behind the folder that the compiler ran in; nil for a number
  /// that the table does not have and for code that comes from no file.
  ///
  /// - Complexity: O(1); the text is made at the first look.
  subscript(number: Int32) -> String? {
    mutating get {
      guard paths.indices.contains(Int(number)) else { return nil }
      if let known = paths[Int(number)] { return known }
      let path = read(number)
      paths[Int(number)] = .some(path)
      return path
    }
  }

  private func read(_ number: Int32) -> String? {
    guard let name = dwarf_filesrc(handle, Int(number), nil, nil) else { return nil }
    let path = String(cString: name)
    // libdw's text for an entry that the table leaves open is "???".
    if path == "???" || path.hasSuffix("<compiler-generated>") { return nil }
    guard !path.hasPrefix("/"), let folder else { return path }
    return "\(folder)/\(path)"
  }
}
