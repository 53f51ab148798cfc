/// Reads the JSON exports of crash services: Sentry, Bugsnag, Crashlytics and their like.
///
/// They differ in names and nesting. A list of objects that name functions is a stack, whatever its key; the enclosing
/// keys tell whose.
enum ServiceReport {
  private static let functionKeys = [
    "function", "symbol", "method", "symbol_name", "symbolName", "raw_function",
  ]
  private static let imageKeys = [
    "package", "machoFile", "macho_file", "library", "image", "object_name", "binaryName", "module",
  ]
  private static let addressKeys = [
    "instruction_addr", "instructionAddr", "frameAddress", "frame_address", "address",
    "instruction_address", "instructionAddress", "instruction_pointer", "pc",
  ]
  private static let lineKeys = ["lineno", "lineNo", "lineNumber", "line", "line_number"]
  private static let fileKeys = ["filename", "file", "sourceFile", "abs_path", "absPath"]

  /// The stacks, in order.
  ///
  /// - Complexity: O(length).
  static func stacks(_ tree: JSONTree) -> [StackTrace] {
    var stacks: [StackTrace] = []
    // The values that enclose the node, the outermost first.
    var open: [Int] = []
    var inputLines = JSONTree.AscendingLines(tree)
    for node in tree.nodes.indices {
      while let last = open.last, Int(tree.nodes[last].next) <= node { open.removeLast() }
      let kind = tree.nodes[node].kind
      defer { if kind == .object || kind == .list { open.append(node) } }
      guard kind == .list else { continue }
      let values = tree.values(of: node)
      guard values.count > 1, isFrame(tree, values[0]) || isFrame(tree, values[1]) else { continue }
      let holders = Array(open.suffix(holderLimit).reversed())
      var frames = values.prefix(300).map { frame(tree, $0) }
      if isOutermostFirst(frames, isSentry: isSentry(tree, node, in: holders)) { frames.reverse() }
      let line = stacks.count + ReportDocument.structureLine
      stacks.append(
        StackTrace(
          role: role(tree, in: holders),
          frames: frames,
          lines: line..<line + 1,
          inputLine: inputLines.line(of: node)
        )
      )
    }
    return stacks
  }

  /// How many of the values that enclose a stack are examined, the innermost first.
  private static let holderLimit = 6

  private static func isFrame(_ tree: JSONTree, _ node: Int) -> Bool {
    first(tree, node, functionKeys) != nil
      && (first(tree, node, imageKeys) != nil || first(tree, node, addressKeys) != nil
        || first(tree, node, lineKeys) != nil)
  }

  private static func first(_ tree: JSONTree, _ node: Int, _ keys: [String]) -> Int? {
    for key in keys {
      if let value = tree[node, key], tree.text(value) != nil { return value }
    }
    return nil
  }

  private static func frame(_ tree: JSONTree, _ node: Int) -> StackTrace.Frame {
    StackTrace.Frame(
      image: tree.text(first(tree, node, imageKeys)),
      address: tree.address(first(tree, node, addressKeys)),
      symbol: tree.text(first(tree, node, functionKeys)).map(Demangler.demangled),
      file: tree.text(first(tree, node, fileKeys)),
      line: tree.number(first(tree, node, lineKeys)) ?? 0
    )
  }

  /// Whether the outermost frame is the first: judged by the names of the frames or, if that is not conclusive, by the
  /// form.
  private static func isOutermostFirst(_ frames: [StackTrace.Frame], isSentry: Bool) -> Bool {
    let starts: Set = [
      "main", "start", "_dyld_start", "UIApplicationMain", "start_wqthread", "thread_start",
    ]
    let tops: Set = [
      "__exceptionPreprocess", "objc_exception_throw", "objc_msgSend", "objc_retain",
    ]
    func has(_ names: Set<String>, _ part: ArraySlice<StackTrace.Frame>) -> Bool {
      part.contains { $0.symbol.map(names.contains) ?? false }
    }
    let (first, last) = (frames.prefix(frames.count / 2), frames.suffix(frames.count / 2))
    if has(starts, first.prefix(3)) || has(tops, last.suffix(3)) { return true }
    if has(starts, last.suffix(3)) || has(tops, first.prefix(3)) { return false }
    return isSentry
  }

  /// Whether the list at `node` is the frames of a stack as Sentry's event schema has them, oldest first.
  private static func isSentry(_ tree: JSONTree, _ node: Int, in holders: [Int]) -> Bool {
    tree.key(of: node) == "frames" && holders.first.flatMap(tree.key) == "stacktrace"
  }

  /// Whose stack is in `holders`, the values that enclose it.
  private static func role(_ tree: JSONTree, in holders: [Int]) -> StackTrace.Role {
    var role = StackTrace.Role.unknown
    for holder in holders {
      if tree.isTrue(tree[holder, "crashed"]) || tree.isTrue(tree[holder, "errorReportingThread"]) {
        return .crashed
      }
      // Crashlytics gives the stack of an exception as one of the threads.
      if tree.text(tree[holder, "title"])?.hasPrefix("Fatal Exception") == true {
        return .exception
      }
      switch tree.key(of: holder) {
      case "exception", "exceptions": return .exception
      case "threads": role = .other
      default: break
      }
    }
    return role
  }
}
