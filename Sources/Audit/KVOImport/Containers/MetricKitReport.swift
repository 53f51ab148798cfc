/// Reads the crash diagnostics of MetricKit: payloads of `MXDiagnosticPayload`, single diagnostics, and encodings that
/// apps create from the values of both generations of its API.
///
/// A tree of frames has one branch for a crash. It names images and addresses and no functions, so that a stack alone
/// shows nothing until it is symbolicated with dSYM files. The interface of iOS 27 lists the images separately from the
/// frames, by their identifiers. Sources:
/// https://developer.apple.com/documentation/metrickit/mxcallstacktree/jsonrepresentation(),
/// https://developer.apple.com/documentation/metrickit/callstacktree
enum MetricKitReport {
  private static let reasonKeys = [
    "objectiveCexceptionReason", "objectiveCExceptionReason", "exceptionReason",
  ]

  /// The crash diagnostics of the document; those of hangs and of resources are not included.
  static func diagnostics(_ tree: JSONTree) -> [Int] {
    tree.nodes.indices.filter { node in
      guard tree.nodes[node].kind == .object, tree[node, "callStackTree"] != nil else {
        return false
      }
      let holders = [node, metaData(tree, node)]
      return holders.contains { holder in
        (["signal", "exceptionType", "exceptionCode"] + reasonKeys).contains {
          tree[holder, $0] != nil
        }
      }
    }
  }

  private static func metaData(_ tree: JSONTree, _ node: Int) -> Int {
    tree[node, "diagnosticMetaData"] ?? tree[node, "metaData"] ?? node
  }

  /// One diagnostic as a separate document.
  static func document(_ tree: JSONTree, _ node: Int) -> ReportDocument {
    let words = JSONWords(tree, node) {
      tree.isKey(Int(tree.nodes[$0].key), "callStackTree")
    }
    let facts = facts(tree, node)
    var document = ReportDocument(
      CleanText(words.bytes[...] + Array("\n\(facts.exception ?? "")\n".utf8))
    )
    document.stacks = stacks(tree, node)
    document.take(facts, lines: words.lines)
    return document
  }

  private static func facts(_ tree: JSONTree, _ node: Int) -> ReportFacts {
    let data = metaData(tree, node)
    var facts = ReportFacts()
    facts.process = tree.text(tree[data, "bundleIdentifier"])
    facts.version = tree.text(
      tree[data, "appVersion"] ?? tree[data, "applicationVersion"]
        ?? tree[data, "appBuildVersion"] ?? tree[data, "applicationBuildVersion"]
    )
    facts.system = tree.text(tree[data, "osVersion"]).map(FactReader.system)
    if let time = tree.text(tree[0, "timeStampEnd"]) {
      facts.date = FactReader.date(in: Array(time.utf8)[...])
    }
    let type = tree.number(tree[data, "exceptionType"] ?? tree[node, "exceptionType"])
      .flatMap { exceptions[$0] }
    let signal = tree.number(tree[data, "signal"] ?? tree[node, "signal"]).flatMap { signals[$0] }
    facts.exception = type.map { type in signal.map { "\(type) (\($0))" } ?? type } ?? signal
    return facts
  }

  /// By the numbers of `mach/exception_types.h` and `sys/signal.h`.
  private static let exceptions = [
    1: "EXC_BAD_ACCESS", 2: "EXC_BAD_INSTRUCTION", 3: "EXC_ARITHMETIC", 6: "EXC_BREAKPOINT",
    10: "EXC_CRASH", 11: "EXC_RESOURCE", 12: "EXC_GUARD",
  ]
  private static let signals = [
    4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL", 10: "SIGBUS",
    11: "SIGSEGV",
  ]

  private static func stacks(_ tree: JSONTree, _ node: Int) -> [StackTrace] {
    let lists =
      tree.value(node, "callStackTree", "callStacks")
      ?? tree.value(node, "callStackTree", "callStackTree", "callStacks")
      ?? tree.value(node, "callStackTree", "callStackThreads")
    let images = images(tree, node)
    return (lists.map(tree.values(of:)) ?? []).enumerated().compactMap { index, stack in
      let roots = tree[stack, "callStackRootFrames"] ?? tree[stack, "rootFrames"]
      var frames = frames(tree, roots, images)
      guard !frames.isEmpty else { return nil }
      // Systems differ in whether the root is the innermost frame or the outermost.
      if isOutermost(frames[0]), !isOutermost(frames[frames.count - 1]) { frames.reverse() }
      let line = ReportDocument.structureLine + index
      return StackTrace(
        role: tree.isTrue(tree[stack, "threadAttributed"]) ? .crashed : .other,
        thread: String(index),
        frames: frames,
        lines: line..<line + 1,
        inputLine: tree.line(of: stack)
      )
    }
  }

  private static func isOutermost(_ frame: StackTrace.Frame) -> Bool {
    ["dyld", "libdyld.dylib", "libsystem_pthread.dylib"].contains(frame.image)
  }

  /// The names of images by identifier; a dictionary whose keys are not strings is encoded as a list.
  private static func images(_ tree: JSONTree, _ node: Int) -> [String: String] {
    let list = tree.value(node, "callStackTree", "binaryInfo").map(tree.values(of:)) ?? []
    return list.reduce(into: [:]) { images, image in
      guard let uuid = tree.text(tree[image, "uuid"]) ?? tree.key(of: image) else { return }
      images[MachOName.uuid(uuid)] = tree.text(tree[image, "name"])
    }
  }

  private static func frames(
    _ tree: JSONTree,
    _ roots: Int?,
    _ images: [String: String]
  ) -> [StackTrace.Frame] {
    var frames: [StackTrace.Frame] = []
    var list = roots
    while let node = list.flatMap({ tree.values(of: $0).first }), frames.count < 300 {
      let address = tree.address(tree[node, "address"])
      var offset = tree.address(tree[node, "offsetIntoBinaryTextSegment"])
      // Some systems give the address of the image there.
      if let value = offset, value > 1 << 31, let address, address >= value {
        offset = address - value
      }
      let uuid = tree.text(tree[node, "binaryUUID"]).map(MachOName.uuid)
      frames.append(
        StackTrace.Frame(
          image: tree.text(tree[node, "binaryName"]) ?? uuid.flatMap { images[$0] },
          address: address,
          symbol: tree.text(tree[node, "symbol"] ?? tree[node, "symbolName"])
            .map(Demangler.demangled),
          imageUUID: uuid,
          imageOffset: offset
        )
      )
      list = tree[node, "subFrames"]
    }
    return frames
  }
}
