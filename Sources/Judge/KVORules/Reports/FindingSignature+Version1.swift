extension Finding {
  /// Eight hexadecimal digits that identify the finding in reports of version 1.
  ///
  /// Derived from the code, the types, the key path and the first line of the user's own code: of the failed event, or
  /// else where the observation was made. Kept so that suppressions and baselines of that version still match.
  ///
  /// - Parameter className: the class that it is about, if it has no objects.
  /// - Returns: the digits.
  func version1Signature(of className: String? = nil) -> String {
    let parts =
      [
        code.rawValue, subject?.className ?? className ?? "", observer?.className ?? "",
        keyPath ?? "", version1Place,
      ] + cycle.flatMap { [$0.from.className, $0.label] }
    // FNV-1a, 64 bits, folded.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hash = (hash ^ 0x1f) &* 0x100_0000_01b3
    }
    let folded = UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
    let digits = String(folded, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  private var version1Place: String {
    let failed = stacks.prefix(1)
    let registered = stacks.dropFirst().filter { $0.role == .registered }.prefix(1)
    return (failed + registered).lazy.compactMap(\.version1Place).first ?? ""
  }
}

extension Finding.Stack {
  fileprivate var version1Place: String? {
    if let own = frames.first(where: \.isFirstOwn) {
      if let file = own.file, own.line > 0 {
        return "\(FrameClassifier.baseName(file)):\(own.line)"
      }
      if let symbol = own.symbol { return FunctionName.withoutAddresses(symbol) }
    }
    return site.map(FrameClassifier.baseName)
  }
}
