/// What one published report says, without its text.
struct ReportedFault: Sendable, CustomStringConvertible {
  enum Kind: Sendable {
    case removal, death, unhandled, silentChange, uncompliant, classPair, setterNotice
  }

  var source: String
  var kind: Kind
  var subject: String?
  var keyPaths: [String]
  var observer: String?

  init(
    _ source: String,
    _ kind: Kind,
    _ subject: String?,
    _ keyPaths: [String],
    _ observer: String?
  ) {
    self.source = source
    self.kind = kind
    self.subject = subject
    self.keyPaths = keyPaths
    self.observer = observer
  }

  var description: String { source }

  /// The exception that Foundation raises for it; nil if it only logs.
  var exception: String? {
    switch kind {
    case .removal: "NSRangeException"
    case .uncompliant: "NSUnknownKeyException"
    case .classPair, .setterNotice: nil
    case .death, .unhandled, .silentChange: "NSInternalInconsistencyException"
    }
  }

  private var key: String { keyPaths.first ?? "value" }

  private func object(_ name: String?, _ address: String) -> String {
    name.map { "<\($0) \(address)>" } ?? "<(null) 0x0>"
  }

  /// The sentence of the runtime, in one line or in the lines that it prints.
  var sentence: String {
    let who = object(observer, "0x6000021f4e10")
    let whom = object(subject, "0x7fd1c0d07a20")
    switch kind {
    case .removal:
      return
        "Cannot remove an observer \(who) for the key path \"\(key)\" from \(whom) because it is "
        + "not registered as an observer."
    case .silentChange:
      let part = key.split(separator: ".").first ?? ""
      return
        "Cannot remove an observer \(who) for the key path \"\(key)\" from \(whom), most likely "
        + "because the value for the key \"\(part)\" has changed without an appropriate KVO "
        + "notification being sent. Check the KVO-compliance of the \(subject ?? "") class."
    case .death:
      let observances = keyPaths.map { path in
        "<NSKeyValueObservance 0x600000c1: Observer: \(observer == subject ? "0x7fd1c0d07a20" : "0x600000aa"), "
          + "Key path: \(path), Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, "
          + "Property: 0x600000c2>"
      }
      return "An instance 0x7fd1c0d07a20 of class \(subject ?? "") was deallocated while key value "
        + "observers were still registered with it. Current observation info: "
        + "<NSKeyValueObservationInfo 0x600000c0> (\n" + observances.joined(separator: "\n") + "\n)"
    case .unhandled:
      return "\(who.replacing(" 0x", with: ": 0x")): An "
        + "-observeValueForKeyPath:ofObject:change:context: message was received but not handled.\n"
        + "Key path: \(key)\nObserved object: \(whom.replacing(" 0x", with: ": 0x"))\n"
        + "Change: {\n    kind = 1;\n}\nContext: 0x0"
    case .uncompliant:
      let part = key.split(separator: ".").first ?? ""
      return
        "[\(whom) addObserver:\(who) forKeyPath:@\"\(key)\" options:1 context:0x0] was sent to an "
        + "object that is not KVC-compliant for the \"\(part)\" property."
    case .classPair:
      return
        "KVO failed to allocate class pair for name NSKVONotifying_\(subject ?? ""), automatic "
        + "key-value observing will not work for this class"
    case .setterNotice:
      return
        "KVO autonotifying only supports -set<Key>: methods that return void. Autonotifying will not be done "
        + "for invocations of -[\(subject ?? "") _set\(key.prefix(1).uppercased())\(key.dropFirst()):]."
    }
  }

  /// As ``Reading/summary(_:)-(String)`` gives it.
  var says: [String] {
    let code =
      switch kind {
      case .removal: "KVO002"
      case .death: "KVO006"
      case .unhandled: "KVO017"
      case .silentChange, .setterNotice: "KVO014"
      case .uncompliant: "KVO029"
      case .classPair: "KVO030"
      }
    let paths = kind == .classPair ? ["?"] : kind == .death ? keyPaths : [key]
    return (paths.isEmpty ? ["?"] : paths).map { path in
      // A list of registrations has addresses only: who observes itself is known by the class.
      "\(code) \(subject ?? "?").\(path) < \(kind == .death && observer != subject ? "?" : observer ?? "?")"
    }
  }
}
