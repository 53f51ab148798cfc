/// Source files in reports for forges: their paths, and their lines if available.
///
/// Reads each file once, however often a report is rendered. Not for more than one thread at a time.
final class SourceFiles {
  /// A file as a result names it.
  struct File {
    /// Relative to the root if it is below it.
    var path: String
    var isBelowRoot: Bool
    /// Nil: the file is not available.
    var lines: SourceLines?
  }

  let root: SourceRoot?
  private let shelf: SourceShelf
  private var files: [String: File] = [:]

  init(root: SourceRoot?, read: ((String) -> String?)?) {
    self.root = root
    shelf = SourceShelf(read: read)
  }

  /// The file that a frame calls `name`.
  subscript(name: String) -> File {
    if let known = files[name] { return known }
    let isAbsolute = name.hasPrefix("/")
    let place = isAbsolute ? name : root?.file(at: name) ?? name
    let inside = root?.path(of: place)
    let lines = shelf.text(of: inside.flatMap { root?.file(at: $0) } ?? place).map(SourceLines.init)
    // It is unknown what a relative path is relative to, unless the file exists.
    let isBelowRoot = inside != nil && (isAbsolute || lines != nil)
    let file = File(
      path: isBelowRoot ? inside ?? name : name,
      isBelowRoot: isBelowRoot,
      lines: lines
    )
    files[name] = file
    return file
  }
}
