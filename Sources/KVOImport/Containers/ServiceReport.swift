/// Reads what crash services export as JSON: Sentry, Bugsnag, Crashlytics and their like.
///
/// They differ in names and nesting. A list of objects that name functions is a stack, whatever it is
/// called; what stands above it says whose.
enum ServiceReport {
  private static let functionKeys = [
    "function", "symbol", "method", "symbol_name", "symbolName", "raw_function",
  ]
  private static let imageKeys = [
    "package", "machoFile", "library", "image", "object_name", "binaryName", "module", "owner",
  ]
  private static let addressKeys = [
    "instruction_addr", "frameAddress", "address", "instruction_address", "instructionAddress",
    "instruction_pointer", "pc",
  ]
  private static let lineKeys = ["lineno", "lineNumber", "line", "line_number"]
  private static let fileKeys = ["filename", "file", "sourceFile", "abs_path"]

  /// What the export says of the process.
  static func facts(_ tree: JSONTree) -> ReportFacts {
    var facts = ReportFacts()
    for node in tree.nodes.indices where tree.nodes[node].kind == .object {
      guard let key = tree.key(of: node) else { continue }
      switch key {
      case "os", "operating_system":
        let name = tree.text(tree[node, "name"] ?? tree[node, "display_name"])
        let version = tree.text(tree[node, "version"] ?? tree[node, "display_version"])
        facts.system = facts.system ?? system(name, version)
      case "device":
        facts.system =
          facts.system
          ?? system(tree.text(tree[node, "osName"]), tree.text(tree[node, "osVersion"]))
      case "app", "application":
        facts.process =
          facts.process
          ?? tree.text(tree[node, "app_name"] ?? tree[node, "name"] ?? tree[node, "id"])
        facts.version =
          facts.version
          ?? tree.text(
            tree[node, "app_version"] ?? tree[node, "version"] ?? tree[node, "display_version"]
          )
      // KSCrash, which Embrace's and other services' libraries write with.
      case "system":
        facts.process = facts.process ?? tree.text(tree[node, "process_name"])
        facts.version =
          facts.version ?? tree.text(tree[node, "CFBundleShortVersionString"])
        facts.system =
          facts.system
          ?? system(tree.text(tree[node, "system_name"]), tree.text(tree[node, "system_version"]))
      default: break
      }
    }
    facts.version = facts.version ?? tree.text(tree[0, "release"])
    if let time = tree.text(
      tree[0, "timestamp"] ?? tree[0, "event_timestamp"] ?? tree[0, "datetime"]
        ?? tree[0, "receivedAt"]
    ) {
      facts.date = FactReader.date(in: Array(time.utf8)[...])
    }
    return facts
  }

  private static func system(_ name: String?, _ version: String?) -> String? {
    guard let version else { return nil }
    return name.map { "\($0) \(version)" } ?? version
  }

  /// The stacks, in order.
  static func stacks(_ tree: JSONTree) -> [StackTrace] {
    var stacks: [StackTrace] = []
    for node in tree.nodes.indices where tree.nodes[node].kind == .list {
      let values = tree.values(of: node)
      guard values.count > 1, isFrame(tree, values[0]) || isFrame(tree, values[1]) else { continue }
      var frames = values.prefix(300).map { frame(tree, $0) }
      // Sentry has the outermost first.
      if isOutermostFirst(frames) { frames.reverse() }
      let line = stacks.count + ReportDocument.structureLine
      stacks.append(
        StackTrace(
          role: role(tree, node),
          frames: frames,
          lines: line..<line + 1,
          inputLine: tree.line(of: node)
        )
      )
    }
    return stacks
  }

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

  private static func isOutermostFirst(_ frames: [StackTrace.Frame]) -> Bool {
    let starts: Set = [
      "main", "start", "_dyld_start", "UIApplicationMain", "start_wqthread", "thread_start",
    ]
    let tops: Set = [
      "__exceptionPreprocess", "objc_exception_throw", "objc_msgSend", "objc_retain",
    ]
    func has(_ names: Set<String>, _ part: ArraySlice<StackTrace.Frame>) -> Bool {
      part.contains { $0.symbol.map(names.contains) ?? false }
    }
    return has(starts, frames.prefix(3))
      || has(tops, frames.suffix(3)) && !has(tops, frames.prefix(3))
  }

  /// Whose stack the list at `node` is, from what holds it.
  private static func role(_ tree: JSONTree, _ node: Int) -> StackTrace.Role {
    // The objects that hold it stand before it and end behind it.
    var role = StackTrace.Role.unknown
    var holders = 0
    var at = node - 1
    while at >= 0, holders < 6 {
      let holder = tree.nodes[at]
      if (holder.kind == .object || holder.kind == .list), Int(holder.next) > node {
        holders += 1
        if tree.isTrue(tree[at, "crashed"]) || tree.isTrue(tree[at, "errorReportingThread"]) {
          return .crashed
        }
        switch tree.key(of: at) {
        case "exception", "exceptions": return .exception
        case "threads": role = .other
        default: break
        }
      }
      at -= 1
    }
    return role
  }
}
