import KVOTrace

extension Finding {
  /// Gives the finding its signatures: one without the line, and one with it.
  ///
  /// The first is derived from the rule, the classes, the key path and the function of the user's own code that made
  /// the call at fault, or the observation: no line, address, object number, folder or date. It is the same in every
  /// run, live and replayed, with symbols and without, and does not change when lines are added above. If this package
  /// records the call, the function is given by the compiler; otherwise it is that of the first own frame.
  ///
  /// - Parameter className: the class that the finding is about, if it has no objects.
  package mutating func identify(of className: String? = nil) {
    let source = identifyingStack
    var fields = [
      code.rawValue, subject?.className ?? className ?? "", observer?.className ?? "",
      keyPath ?? "", source?.ownFunction ?? "",
    ]
    fields += cycle.flatMap { [$0.from.className, $0.label] }
    signature = Signature.of(fields)
    let location = (source ?? changingStack)?.ownLocation
    lines = [
      Line(
        location: location,
        signature: Signature.of(fields + [location ?? ""]),
        version1: version1Signature(of: className)
      )
    ]
  }

  /// The stack of a change whose halves do not match: its line distinguishes the places of one finding, though its
  /// function is not in the signature.
  private var changingStack: Stack? {
    code == .unbalancedChange ? stacks.first { $0.ownLocation != nil } : nil
  }

  /// The stack that distinguishes the finding from others of the same classes and key path; nil if none does.
  private var identifyingStack: Stack? {
    let failed = stacks.first { $0.ownFunction != nil && $0.role != .registered }
    let registered = stacks.first { $0.ownFunction != nil && $0.role == .registered }
    return switch code {
    // The call at fault.
    case .doubleRemove, .removeUnregistered, .removeWrongContext, .ambiguousRemove,
      .duplicateRegistration, .contextCollision, .selfObservation, .uncompliantPath,
      .mutationWithoutNotification, .concurrentChange, .displacedRegistration:
      stacks.first.flatMap { $0.ownFunction == nil ? nil : $0 } ?? registered
    // A running process only has addresses for it; the class and the key identify the change.
    case .unbalancedChange: nil
    // The code that released the object or made the change is not at fault: the observation should have ended.
    default: registered ?? failed
    }
  }
}

extension Signature {
  /// The signatures that a finding of `code` on an observation has, if it is identified by its registration: without the
  /// line, and with it.
  package static func ofObservation(
    _ code: RuleCode,
    subject: String,
    observer: String?,
    keyPath: String,
    registered stack: Finding.Stack
  ) -> [String] {
    let fields = [code.rawValue, subject, observer ?? "", keyPath, stack.ownFunction ?? ""]
    return [of(fields), of(fields + [stack.ownLocation ?? ""])]
  }
}

extension Finding.Stack {
  /// The user's own function: the compiler's with its file, or that of the first own frame; if
  /// neither is known, the file.
  package var ownFunction: String? {
    let own = frames.first(where: \.isFirstOwn)
    let file = (site.map { SourceSite($0).file } ?? own?.file?[...])
      .map { FrameClassifier.baseName(String($0)) }
    // The compiler names it without its type.
    if let function { return "\(file ?? "") \(function)" }
    return own?.symbol.map(FunctionName.stable) ?? file
  }

  /// File and line of the call, or its function if the line is not known.
  fileprivate var ownLocation: String? {
    if let site { return FrameClassifier.baseName(site) }
    guard let own = frames.first(where: \.isFirstOwn) else { return nil }
    if let file = own.file, own.line > 0 { return "\(FrameClassifier.baseName(file)):\(own.line)" }
    return own.symbol.map(FunctionName.stable)
  }
}

/// The names of functions, without parts that differ between builds of the same source.
enum FunctionName {
  /// `closure #2 in Screen.show()` as `Screen.show()`, a block of `-[Screen show]` or of `main` as these; no
  /// addresses.
  static func stable(_ symbol: String) -> String {
    var name = Substring(withoutAddresses(symbol))
    while name.hasPrefix("closure #"), let found = name.firstRange(of: " in ") {
      name = name[found.upperBound...]
    }
    guard name.hasPrefix("__"), let end = name.firstRange(of: "_block_invoke")?.lowerBound else {
      return String(name)
    }
    // The number of bytes of a method's name precedes it.
    let function = name[..<end].dropFirst(2).drop { $0.isNumber }
    return function.isEmpty ? String(name) : String(function)
  }

  static func withoutAddresses(_ symbol: String) -> String {
    symbol.split(separator: " ").filter { !$0.hasPrefix("0x") }.joined(separator: " ")
  }
}
