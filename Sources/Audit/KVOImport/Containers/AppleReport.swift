/// Reads the JSON form of Apple's crash reports (`.ips`): a header line, and a document.
///
/// The older form has everything in one document, and the text of the older report in one of its strings.
enum AppleReport {
  /// Whether the object at the root of `tree` is the document of a report.
  static func isReport(_ tree: JSONTree) -> Bool {
    tree[0, "threads"] != nil && (tree[0, "usedImages"] != nil || tree[0, "faultingThread"] != nil)
  }

  /// Whether the object at the root of `tree` is the header that precedes a report.
  static func isHead(_ tree: JSONTree) -> Bool {
    tree[0, "bug_type"] != nil && tree[0, "threads"] == nil
  }

  /// The process information in a header or a document.
  static func facts(_ tree: JSONTree) -> ReportFacts {
    var facts = ReportFacts()
    facts.process = tree.text(tree[0, "procName"] ?? tree[0, "app_name"] ?? tree[0, "name"])
    facts.version = tree.text(
      tree[0, "app_version"] ?? tree.value(0, "bundleInfo", "CFBundleShortVersionString")
    )
    facts.system = tree.text(tree[0, "os_version"] ?? tree.value(0, "osVersion", "train"))
      .map { $0.prefix { $0 != "(" }.description.trimmed }
      .map { $0.replacing("iPhone OS", with: "iOS").replacing("Mac OS X", with: "macOS") }
    if let time = tree.text(tree[0, "captureTime"] ?? tree[0, "timestamp"]) {
      facts.date = FactReader.date(in: Array(time.utf8)[...])
    }
    if let type = tree.text(tree.value(0, "exception", "type")) {
      let signal = tree.text(tree.value(0, "exception", "signal"))
      facts.exception = signal.map { "\(type) (\($0))" } ?? type
    }
    return facts
  }

  /// The stacks: the exception's first, then those of the threads.
  static func stacks(_ tree: JSONTree) -> [StackTrace] {
    let images = tree[0, "usedImages"].map(tree.values(of:)) ?? []
    var known: [Int: UsedImage] = [:]
    func image(_ index: Int) -> UsedImage? {
      if let image = known[index] { return image }
      guard images.indices.contains(index) else { return nil }
      let image = UsedImage(tree, images[index])
      known[index] = image
      return image
    }
    var stacks: [StackTrace] = []
    func frames(_ node: Int?) -> [StackTrace.Frame] {
      guard let node else { return [] }
      return tree.values(of: node).prefix(200).map { frame in
        let image = image(tree.number(tree[frame, "imageIndex"]) ?? -1)
        let offset = tree.address(tree[frame, "imageOffset"])
        return StackTrace.Frame(
          image: image?.name,
          address: offset.map { (image?.base ?? 0) &+ $0 },
          symbol: tree.text(tree[frame, "symbol"]).map(Demangler.demangled),
          file: tree.text(tree[frame, "sourceFile"]),
          line: tree.number(tree[frame, "sourceLine"]) ?? 0,
          imageUUID: image?.uuid,
          imageOffset: offset,
          isInSystem: image?.isInSystem == true
        )
      }
    }
    func add(_ role: StackTrace.Role, _ node: Int?, thread: String?, name: String?) {
      let frames = frames(node)
      guard !frames.isEmpty else { return }
      let line = stacks.count + ReportDocument.structureLine
      stacks.append(
        StackTrace(
          role: role,
          thread: thread,
          threadName: name,
          frames: frames,
          lines: line..<line + 1,
          inputLine: node.map(tree.line) ?? 0
        )
      )
    }
    add(.exception, tree[0, "lastExceptionBacktrace"], thread: nil, name: nil)
    if stacks.isEmpty { stacks = printedStacks(tree) }
    let faulting = tree.number(tree[0, "faultingThread"])
    let threads = tree[0, "threads"].map(tree.values(of:)) ?? []
    for (index, thread) in threads.enumerated() {
      let isCrashed = tree.isTrue(tree[thread, "triggered"]) || index == faulting
      // Of the other threads only those with KVO frames count.
      guard isCrashed || WordScanner.hasWord(tree.raw(thread)) else { continue }
      add(
        isCrashed ? .crashed : .other,
        tree[thread, "frames"],
        thread: String(index),
        name: tree.text(tree[thread, "name"] ?? tree[thread, "queue"])
      )
    }
    return stacks
  }

  /// The stacks of exceptions that are given as text, as AppKit has them when it ends the process.
  private static func printedStacks(_ tree: JSONTree) -> [StackTrace] {
    let images = tree[0, "usedImages"].map(tree.values(of:))?.map { UsedImage(tree, $0) } ?? []
    var stacks: [StackTrace] = []
    for node in tree[0, "asiBacktraces"].map(tree.values(of:)) ?? [] {
      guard let text = JSONTree.unescaped(tree.raw(node)),
        var stack = StackReader.stacks(in: CleanText(text[...])).first
      else { continue }
      let line = stacks.count + ReportDocument.structureLine
      stack.role = .exception
      stack.lines = line..<line + 1
      stack.inputLine = tree.line(of: node)
      for index in stack.frames.indices {
        guard let address = stack.frames[index].address,
          let image = images.first(where: { $0.contains(address) })
        else { continue }
        stack.frames[index].imageUUID = image.uuid
        stack.frames[index].imageOffset = address - image.base
        stack.frames[index].isInSystem = image.isInSystem
      }
      stacks.append(stack)
    }
    return stacks
  }
}

/// A report's description of an image.
private struct UsedImage {
  let name: String?
  let uuid: String?
  let base: UInt64
  let byteCount: UInt64
  let isInSystem: Bool

  init(_ tree: JSONTree, _ node: Int) {
    isInSystem = tree.text(tree[node, "path"]).map(ImageOrigin.isSystem(path:)) ?? false
    name = tree.text(tree[node, "name"]) ?? tree.text(tree[node, "path"])
    uuid = tree.text(tree[node, "uuid"]).map(MachOName.uuid)
    base = tree.address(tree[node, "base"]) ?? 0
    byteCount = tree.address(tree[node, "size"]) ?? 0
  }

  func contains(_ address: UInt64) -> Bool { address >= base && address - base < byteCount }
}
