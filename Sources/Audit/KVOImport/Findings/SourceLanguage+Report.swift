import KVORules

extension SourceLanguage {
  /// The language of the code that a report concerns: that of the user's first own function, else that of the classes;
  /// nil if neither shows it.
  init?(_ stack: Finding.Stack, classes: [String?]) {
    let own = stack.frames.first(where: \.isFirstOwn)
    let known =
      own.flatMap { Self(file: $0.file) ?? Self(function: $0.symbol) }
      ?? (classes.contains { $0.map(Self.isOfModule) ?? false } ? .swift : nil)
    guard let known else { return nil }
    self = known
  }

  private init?(file: String?) {
    switch file?.split(separator: ".").last {
    case "swift": self = .swift
    case "m", "mm": self = .objectiveC
    default: return nil
    }
  }

  /// The language of a demangled function; nil for one of C, which either may call.
  private init?(function: String?) {
    guard let function else { return nil }
    if let method = Self.receiver(in: function) {
      self = Self.isOfModule(method) ? .swift : .objectiveC
    } else if function.contains("::") {
      self = .objectiveC
    } else if function.hasPrefix("@objc ") || function.prefix(while: { $0 != "(" }).contains(".") {
      self = .swift
    } else {
      return nil
    }
  }

  /// The class in the name of a method of Objective-C, also of a block in it: `__29-[Screen show]_block_invoke`.
  private static func receiver(in function: String) -> String? {
    guard let open = function.firstIndex(of: "["), open != function.startIndex,
      "-+".contains(function[function.index(before: open)])
    else { return nil }
    return String(function[function.index(after: open)...].prefix { $0 != " " && $0 != "(" })
  }

  /// Whether the name of a class has its module before it, as only Swift's have.
  private static func isOfModule(_ className: String) -> Bool {
    let parts = className.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 && parts.allSatisfy { !$0.isEmpty }
  }
}
