/// A stack as a report shows it: without the frames that are irrelevant to its reader.
///
/// It omits what ThreadSanitizer omits too: this package's own frames, like its interceptors; the runtime's steps
/// between a release and a deinit; thunks, and the second half of functions that the compiler splits in two; frames
/// that start a process or a thread, or run a test.
struct ReportedStack {
  struct NamedFrame {
    var frame: Finding.StackFrame
    var origin: FrameOrigin
  }

  /// The shown frames, innermost first, with the first frame of the user's own code marked.
  let frames: [Finding.StackFrame]
  /// Whether a library made the call: its code comes before any of the user's own; nil: neither is present.
  let isLibraryCall: Bool?
  /// Whether an Objective-C Foundation made the call itself: its code comes before any other that does not merely
  /// forward calls; nil: there is no such code.
  let isFoundationCall: Bool?

  /// - Parameters:
  ///   - all: every frame that was recorded, inlined ones spread out, innermost first.
  ///   - deallocated: the class of the object whose deallocation is reported: its own deinit is not the cause.
  init(_ all: [NamedFrame], deallocated: String?) {
    var shown = all
    // A stack of only such frames (it was truncated) is better than none.
    if let first = all.firstIndex(where: { $0.origin != .kvoSafety && $0.origin != .runtime }) {
      shown = Self.withoutTwins(all[first...].filter { !Self.isMachinery($0) })
    }
    Self.cutStart(&shown)
    Self.cutRunner(&shown)
    Self.nameEntry(&shown)
    let own = Self.firstOwn(in: shown, deallocated: deallocated)
    var frames = shown.map(\.frame)
    if let own { frames[own].isFirstOwn = true }
    self.frames = frames
    isLibraryCall = shown.lazy.map(\.origin).first { $0 == .own || $0 == .library }
      .map { $0 == .library }
    isFoundationCall = shown.first { !Self.passesOn($0) }.map { Self.isOfFoundation($0) }
  }

  private static func isOfFoundation(_ frame: NamedFrame) -> Bool {
    guard frame.origin == .system, let image = frame.frame.module else { return false }
    return SystemNames.foundationImages.contains(where: FrameClassifier.baseName(image).hasPrefix)
  }

  /// Whether a frame of a Foundation only forwards its caller's request, or is unknown.
  private static func passesOn(_ frame: NamedFrame) -> Bool {
    guard isOfFoundation(frame), let symbol = frame.frame.symbol else {
      return frame.origin == .kvoSafety || frame.origin == .runtime || isOfFoundation(frame)
    }
    return SystemNames.passingOn.contains { symbol.contains($0) }
  }

  /// This many consecutive system frames are a framework that runs the program, not one that it calls.
  private static let longestCall = 6

  /// Frames between two functions of other code that neither of them calls.
  private static func isMachinery(_ frame: NamedFrame) -> Bool {
    guard frame.origin != .runtime, frame.origin != .kvoSafety else { return true }
    guard let symbol = frame.frame.symbol else { return false }
    return SystemNames.thunks.contains { symbol.hasPrefix($0) }
  }

  /// The allocating half of an initializer and the deallocating half of a deinit have the name of the
  /// half that the user wrote.
  private static func withoutTwins(_ frames: [NamedFrame]) -> [NamedFrame] {
    var result: [NamedFrame] = []
    for frame in frames {
      if let symbol = frame.frame.symbol, symbol == result.last?.frame.symbol,
        frame.frame.file == result.last?.frame.file,
        symbol.hasSuffix(".deinit") || symbol.hasSuffix(".init") || symbol.contains(".init(")
      {
        continue
      }
      result.append(frame)
    }
    return result
  }

  private static func cutStart(_ frames: inout [NamedFrame]) {
    guard let first = frames.firstIndex(where: { isStarter($0) }), first > 0,
      frames[first...].allSatisfy({ isStarter($0) })
    else { return }
    frames.removeLast(frames.count - first)
  }

  /// The package manager renames the entry of a program that tests can import.
  private static func nameEntry(_ frames: inout [NamedFrame]) {
    guard let entry = frames.indices.last, let symbol = frames[entry].frame.symbol,
      symbol.hasSuffix("_main"), !symbol.contains("."), !symbol.contains("(")
    else { return }
    frames[entry].frame.symbol = "main"
  }

  /// Removes the frames below the user's code: a dispatch queue, a test framework and its `main`.
  private static func cutRunner(_ frames: inout [NamedFrame]) {
    guard let first = frames.firstIndex(where: { $0.origin == .own }) else { return }
    var systemCount = 0
    for index in frames.indices[(first + 1)...] {
      let isOthers = frames[index].origin == .system || frames[index].origin == .library
      systemCount = isOthers ? systemCount + 1 : 0
      let isEnd = index == frames.count - 1
      if systemCount > longestCall || (isEnd && systemCount > 0) {
        frames.removeLast(frames.count - 1 - index + systemCount)
        return
      }
    }
  }

  private static func isStarter(_ frame: NamedFrame) -> Bool {
    frame.frame.symbol.map(SystemNames.starters.contains) ?? false
  }

  private static func firstOwn(in frames: [NamedFrame], deallocated: String?) -> Int? {
    let own = frames.indices.filter { frames[$0].origin == .own }
    let ownDeinits = deinitCount(of: deallocated, in: own.map { frames[$0].frame.symbol })
    // Compiler-generated code has no line and does not help to find the cause.
    return own.dropFirst(ownDeinits).first { index in
      let frame = frames[index].frame
      return frame.line > 0 && !isDeinit(frame.symbol, of: deallocated)
    } ?? own.first
  }

  /// How many of the innermost functions are the deinit of the deallocated object, and those of its superclasses, which
  /// it calls.
  ///
  /// The optimizer merges deinits of equal code into one function, named after any of their classes: the first such
  /// function is the object's own if no other is.
  private static func deinitCount(of deallocated: String?, in symbols: [String?]) -> Int {
    guard deallocated != nil else { return 0 }
    let deinits = symbols.prefix { $0?.hasSuffix(deinitSuffix) == true }
    let own =
      deinits.firstIndex { isDeinit($0, of: deallocated) }
      ?? deinits.firstIndex { $0?.hasPrefix("merged ") == true }
    return own.map { $0 + 1 } ?? 0
  }

  private static let deinitSuffix = ".deinit"

  /// Whether it is the deinit of the class, which a function's name has without generic arguments.
  private static func isDeinit(_ symbol: String?, of deallocated: String?) -> Bool {
    guard let symbol, let deallocated, symbol.hasSuffix(deinitSuffix) else { return false }
    return String(symbol.dropLast(deinitSuffix.count)).plainTypeName == deallocated.plainTypeName
  }
}
