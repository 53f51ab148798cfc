extension Finding {
  /// Gives the finding its signatures: one of what it is about, and one with the line.
  ///
  /// The first is made of the rule, the classes, the key path and the function of the user's own code
  /// that made the call at fault, or the observation: no line, address, object number, folder or date. It
  /// is the same in every run, live and replayed, with symbols and without, and stays when lines are added
  /// above. The compiler gives the function with the call where this package records; else it is
  /// that of the first own frame.
  ///
  /// - Parameter className: the class that the finding is about, where it has no objects.
  package mutating func identify(of className: String? = nil) {
    let source = identifyingStack
    var fields = [
      code.rawValue, subject?.className ?? className ?? "", observer?.className ?? "",
      keyPath ?? "", source?.ownFunction ?? "",
    ]
    fields += cycle.flatMap { [$0.from.className, $0.label] }
    signature = Signature.of(fields)
    let place = source?.ownPlace
    lines = [
      Line(
        place: place,
        signature: Signature.of(fields + [place ?? ""]),
        version1: version1Signature(of: className)
      )
    ]
  }

  /// The stack that tells the finding from others of the same classes and key path; nil where none does.
  private var identifyingStack: Stack? {
    let failed = stacks.first { $0.ownFunction != nil && $0.role != .registered }
    let registered = stacks.first { $0.ownFunction != nil && $0.role == .registered }
    return switch code {
    // The call at fault.
    case .doubleRemove, .removeUnregistered, .removeWrongContext, .ambiguousRemove,
      .duplicateRegistration, .contextCollision, .selfObservation, .uncompliantPath,
      .mutationWithoutNotification, .concurrentChange, .displacedRegistration:
      stacks.first.flatMap { $0.ownFunction == nil ? nil : $0 } ?? registered
    // What a process that runs has of it are addresses; the class and the key say which change it is.
    case .unbalancedChange: nil
    // Whoever let go or made the change does nothing wrong: the observation is what should have ended.
    default: registered ?? failed
    }
  }
}

extension Finding.Stack {
  /// The user's own function: the compiler's with its file, or that of the first own frame; where
  /// neither is known the file stands in.
  fileprivate var ownFunction: String? {
    let own = frames.first(where: \.isFirstOwn)
    let file = (site ?? own?.file).map { FrameClassifier.baseName($0).prefix { $0 != ":" } }
    // The compiler names it without its type.
    if let function { return "\(file ?? "") \(function)" }
    return own?.symbol.map(FunctionName.stable) ?? file.map(String.init)
  }

  /// File and line of the call, or its function where the line is not known.
  fileprivate var ownPlace: String? {
    if let site { return FrameClassifier.baseName(site) }
    guard let own = frames.first(where: \.isFirstOwn) else { return nil }
    if let file = own.file, own.line > 0 { return "\(FrameClassifier.baseName(file)):\(own.line)" }
    return own.symbol.map(FunctionName.stable)
  }
}

/// The names of functions, without what differs between builds of the same source.
enum FunctionName {
  /// `closure #2 in Screen.show()` as `Screen.show()`, a block of `-[Screen show]` as that method; no
  /// addresses.
  static func stable(_ symbol: String) -> String {
    var name = Substring(withoutAddresses(symbol))
    while name.hasPrefix("closure #"), let end = name.range(of: " in ") { name = name[end...] }
    guard name.hasPrefix("__"), let end = name.range(of: "_block_invoke", isBefore: true),
      let start = name.firstIndex(where: { $0 == "-" || $0 == "+" }), start < end,
      name[..<start].dropFirst(2).allSatisfy(\.isNumber)
    else { return String(name) }
    return String(name[start..<end])
  }

  static func withoutAddresses(_ symbol: String) -> String {
    symbol.split(separator: " ").filter { !$0.hasPrefix("0x") }.joined(separator: " ")
  }
}

extension Substring {
  /// Where the first `text` ends, or begins; the standard library's own search needs a newer system.
  fileprivate func range(of text: String, isBefore: Bool = false) -> Index? {
    guard let start = indices.first(where: { self[$0...].hasPrefix(text) }) else { return nil }
    return isBefore ? start : index(start, offsetBy: text.count)
  }
}
