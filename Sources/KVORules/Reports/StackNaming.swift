package import KVOTrace

/// Turns recorded stacks into the frames of a report.
///
/// Addresses are looked up, inlined calls are spread out, the layer's own frames are cut from the top
/// and what lies below `main` from the bottom, and the user's first own frame is marked. What the log
/// itself says of a frame is taken as it is.
///
/// Complexity: one look-up per different stack.
package struct StackNaming {
  private let names: TraceNames
  /// Sorted by `textStart`.
  private let modules: [Module]
  private let resolver: (any FrameResolver)?
  private let appModules: Set<String>
  private var known: [StackID: [Finding.StackFrame]] = [:]

  private struct OwnedFrame {
    var frame: Finding.StackFrame
    var owner: FrameOwner
  }

  /// Names stacks of the log that `names` and `modules` are from.
  ///
  /// - Parameters:
  ///   - names: what the ids of the log mean.
  ///   - modules: the images of the recorded process.
  ///   - resolver: looks addresses up; nil: they stay addresses.
  ///   - appModules: the modules that are the user's own; empty: all that are nobody else's.
  package init(
    names: TraceNames,
    modules: [Module],
    resolver: (any FrameResolver)?,
    appModules: Set<String> = []
  ) {
    self.names = names
    self.modules = modules.sorted { $0.textStart < $1.textStart }
    self.resolver = resolver
    self.appModules = appModules
  }

  /// The frames of `stack`, innermost first; none where it is empty.
  package mutating func frames(of stack: StackID) -> [Finding.StackFrame] {
    if let frames = known[stack] { return frames }
    let frames = marked(trimmed(names[stack].flatMap(owned)))
    known[stack] = frames
    return frames
  }

  private func owned(_ frame: Frame) -> [OwnedFrame] {
    if frame.symbol != .none || frame.file != .none {
      return [asRecorded(frame)]
    }
    guard let module = module(containing: frame.address) else {
      return [owned(Finding.StackFrame(address: frame.address), swiftModule: nil)]
    }
    let sources = resolver?.frames(at: frame.address, in: module) ?? []
    guard !sources.isEmpty else {
      let frame = Finding.StackFrame(address: frame.address, module: module.path)
      return [owned(frame, swiftModule: nil)]
    }
    return sources.map { source in
      let named = Finding.StackFrame(
        address: frame.address,
        symbol: source.function,
        module: module.path,
        file: source.file,
        line: source.line,
        isInlined: source.isInlined
      )
      return owned(named, swiftModule: source.swiftModule)
    }
  }

  private func asRecorded(_ frame: Frame) -> OwnedFrame {
    let module = names[frame.module]
    let named = Finding.StackFrame(
      address: frame.address == 0 ? nil : frame.address,
      symbol: frame.symbol == .none ? nil : names[frame.symbol],
      module: module.isEmpty ? nil : module,
      file: frame.file == .none ? nil : names[frame.file],
      line: Int(frame.line)
    )
    return owned(named, swiftModule: nil)
  }

  private func owned(_ frame: Finding.StackFrame, swiftModule: String?) -> OwnedFrame {
    let owner = FrameOwner(
      swiftModule: swiftModule,
      symbol: frame.symbol,
      image: frame.module,
      hasLine: frame.line > 0,
      appModules: appModules
    )
    return OwnedFrame(frame: frame, owner: owner)
  }

  private func trimmed(_ frames: [OwnedFrame]) -> [OwnedFrame] {
    let rest = frames.drop { $0.owner == .layer || $0.owner == .runtime }
    // A stack of nothing else (it was cut short) is better than none.
    var shown = rest.isEmpty ? frames[...] : rest
    if let main = shown.lastIndex(where: { $0.frame.symbol == "main" }) {
      shown = shown[...main]
    }
    return Array(shown)
  }

  private func marked(_ frames: [OwnedFrame]) -> [Finding.StackFrame] {
    // What the compiler wrote (a deinit without a body) has no line and tells nobody where to look.
    let first =
      frames.firstIndex { $0.owner == .user && $0.frame.line > 0 }
      ?? frames.firstIndex { $0.owner == .user }
    var result = frames.map(\.frame)
    if let first { result[first].isFirstOwn = true }
    return result
  }

  private func module(containing address: UInt64) -> Module? {
    var low = 0
    var high = modules.count
    while low < high {
      let middle = (low + high) / 2
      if modules[middle].textStart <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, modules[low - 1].contains(address) else { return nil }
    return modules[low - 1]
  }
}
