extension FindingBuilder {
  /// Eight hexadecimal digits that stay the same from run to run and machine to machine.
  ///
  /// Made of the code, the types, the key path and the first line of the user's own code: of the
  /// failed event, or else where the observation was made. A function's name stands in where the
  /// line is not known. No address, object number or folder goes in.
  ///
  /// - Parameters:
  ///   - finding: what is told.
  ///   - className: the class that it is about, where it has no objects.
  /// - Returns: the digits.
  static func signature(of finding: Finding, of className: String? = nil) -> String {
    let parts =
      [
        finding.code.rawValue,
        finding.subject?.className ?? className ?? "",
        finding.observer?.className ?? "",
        finding.keyPath ?? "",
        place(of: finding),
      ] + finding.cycle.flatMap { [$0.from.className, $0.label] }
    // FNV-1a, 64 bits, folded: the standard library's hashing differs from run to run.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hash = (hash ^ 0x1f) &* 0x100_0000_01b3
    }
    let folded = UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
    let digits = String(folded, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  private static func place(of finding: Finding) -> String {
    let failed = finding.stacks.prefix(1)
    let registered = finding.stacks.dropFirst().filter { $0.role == .registered }.prefix(1)
    for stack in failed + registered {
      if let place = place(of: stack) { return place }
    }
    return ""
  }

  private static func place(of stack: Finding.Stack) -> String? {
    if let own = stack.frames.first(where: \.isFirstOwn) {
      if let file = own.file, own.line > 0 {
        return "\(FrameClassifier.baseName(file)):\(own.line)"
      }
      if let symbol = own.symbol { return withoutAddresses(symbol) }
    }
    return stack.site.map(FrameClassifier.baseName)
  }

  private static func withoutAddresses(_ symbol: String) -> String {
    symbol.split(separator: " ").filter { !$0.hasPrefix("0x") }.joined(separator: " ")
  }
}
