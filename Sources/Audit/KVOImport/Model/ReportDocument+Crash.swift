extension ReportDocument {
  /// Whether `text`, whose `stacks` are these, states that a process crashed: a stack that is said to be of a crash, or a
  /// line that only a report, a runtime or a debugger writes.
  ///
  /// - Complexity: O(length).
  static func statesCrash(_ text: CleanText, stacks: [StackTrace]) -> Bool {
    if stacks.contains(where: {
      $0.role == .crashed || $0.role == .exception && $0.frames.count > 1
    }) {
      return true
    }
    guard CrashStatement.all.contains(where: { text.has($0) }) else { return false }
    let context = SourceContext(text)
    return text.lineStarts.indices.contains { line in
      statesCrash(text.bytes[text.lineRange(line)])
        && !context.isSource(at: text.lineRange(line).lowerBound)
    }
  }

  /// Whether `line` begins as a statement of a crash does; prose that names its words goes on in another way.
  private static func statesCrash(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.drop { $0.isBlank || $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "`") }
    if let rest = words.rest(after: CrashStatement.uncaught) {
      guard let end = rest.firstIndex(of: UInt8(ascii: "'")), end > rest.startIndex else {
        return false
      }
      let next = FrameLine.trimmed(rest[(end + 1)...])
      return next.isEmpty || next.starts(with: ", reason:".utf8)
    }
    if let rest = words.rest(after: CrashStatement.signal) {
      let name = rest.prefix(while: \.isNamePart)
      return FrameLine.namesTermination(name)
        && rest.dropFirst(name.count).first == UInt8(ascii: ",")
    }
    if words.rest(after: CrashStatement.native) != nil {
      let name = words.dropFirst(6).prefix(while: \.isNamePart)
      return FrameLine.namesTermination(name)
        && words[name.endIndex...].starts(with: " while executing native code. This ".utf8)
    }
    guard let rest = words.rest(after: CrashStatement.type)?.drop(while: \.isBlank) else {
      return false
    }
    let name = rest.prefix(while: \.isNamePart)
    let next = rest.dropFirst(name.count).drop(while: \.isBlank).first ?? 0x28
    return !next.isASCIILetter
      && (FrameLine.namesTermination(name) || name.count == 8 && name.allSatisfy(\.isHexDigit))
  }
}

extension ArraySlice<UInt8> {
  /// What follows `front`, if the bytes begin with it.
  fileprivate func rest(after front: StaticString) -> ArraySlice<UInt8>? {
    let begins = front.withUTF8Buffer { starts(with: $0) }
    return begins ? dropFirst(front.utf8CodeUnitCount) : nil
  }
}
