/// The time, process and level that a log puts before each line that it is given.
///
/// NSLog, `syslog`, build services and their kind prefix every line of a stack that is printed line by line.
enum LogPrefix {
  /// `line` without its prefix; nil if it has none.
  ///
  /// - Complexity: O(length of the prefix).
  static func rest(of line: ArraySlice<UInt8>, isNested: Bool = false) -> ArraySlice<UInt8>? {
    let line = line.drop(while: \.isBlank)
    guard
      var rest = dated(line) ?? syslog(line) ?? clock(line) ?? monthly(line) ?? tabbed(line)
        ?? slashed(line) ?? service(line)
    else { return nil }
    rest =
      stream(rest) ?? unified(rest)?.rest ?? process(rest) ?? tagged(rest) ?? dyno(rest) ?? rest
    // Levels, categories and the marks of build tools: `<Error>:`, `[ios]`, `:`.
    while let first = rest.first {
      if first == UInt8(ascii: ":"), line[rest.startIndex - 1].isBlank, endsDescription(rest) {
        break
      } else if first.isBlank || first == UInt8(ascii: ":")
        || first == UInt8(ascii: "-") && isAlone(rest)
      {
        rest = rest.dropFirst()
      } else if first == 0xe2 || first == 0xc2 {
        // An arrow or a bullet.
        rest = rest.dropFirst(first == 0xe2 ? 3 : 2)
      } else if let inside = bracketed(rest) {
        rest = inside
      } else {
        break
      }
    }
    // A build service logs what another log has dated already.
    return isNested ? rest : Self.rest(of: rest, isNested: true) ?? rest
  }

  /// Whether the front of a line may be the start of a prefix; most lines are not, and this is quick.
  static func mayBegin(_ line: ArraySlice<UInt8>) -> Bool {
    if mayBeginService(line) { return true }
    let head = line.prefix(4)
    guard let first = head.first, head.count == 4 else { return false }
    if first.isASCIIDigit {
      return head.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
        || slashed(line.prefix(40)) != nil
    }
    if first == UInt8(ascii: "[") { return head.dropFirst().first?.isASCIIDigit == true }
    return head.prefix(3).allSatisfy(\.isASCIILetter) && head.last?.isBlank == true
      || afterFields(line)?.first?.isASCIIDigit == true
  }

  /// The words for how grave a message is.
  static let levels: Set<String> = [
    "Emergency", "Alert", "Critical", "Fault", "Error", "Warning", "Notice", "Info", "Debug",
    "Default",
  ]

  /// Whether the colon at the front is what a runtime puts after the description of an object: `: An -observe…`.
  private static func endsDescription(_ rest: ArraySlice<UInt8>) -> Bool {
    rest.dropFirst().drop(while: \.isBlank).starts(with: "An -".utf8)
  }

  private static func isAlone(_ rest: ArraySlice<UInt8>) -> Bool {
    rest.dropFirst().first?.isBlank == true
  }

  /// After `2021-03-04 10:11:12.345678+0100`, `2021-03-04T10:11:12.1234567Z`.
  static func dated(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let rest = matching("dddd-dd-ddsdd:dd:dd", line) else { return nil }
    return blank(after: fraction(rest))
  }

  /// After `Mar  4 10:11:12 iPhone`, up to the name of the process.
  private static func syslog(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let month = line.prefix(while: \.isASCIILetter)
    guard month.count == 3 else { return nil }
    let day = line.dropFirst(3).drop(while: \.isBlank)
    let digits = day.prefix(while: \.isASCIIDigit)
    guard digits.count == 1 || digits.count == 2 else { return nil }
    let time = day.dropFirst(digits.count).drop(while: \.isBlank)
    return matching("dd:dd:dd", time).flatMap { blank(after: fraction($0)) }
  }

  /// After `[10:11:12]` or `[10:11:12.345]`.
  private static func clock(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard line.first == UInt8(ascii: "["), let time = matching("dd:dd:dd", line.dropFirst())
    else { return nil }
    let rest = fraction(time)
    return rest.first == UInt8(ascii: "]") ? rest.dropFirst() : nil
  }

  /// After `9/3/16 10:11:12.345` or `9/3/16, 10:11:12 AM`, as consoles show them in some languages.
  private static func slashed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let parts = line.prefix(10).prefix { $0.isASCIIDigit || $0 == UInt8(ascii: "/") }
    let counts = parts.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map(\.count)
    guard counts.count == 3, (1...2).contains(counts[0]), (1...2).contains(counts[1]),
      counts[2] == 2 || counts[2] == 4
    else { return nil }
    var time = line.dropFirst(parts.count)
    if time.first == UInt8(ascii: ",") { time = time.dropFirst() }
    guard time.first == 0x20 else { return nil }
    time = time.dropFirst()
    guard let rest = matching("dd:dd:dd", time) ?? matching("d:dd:dd", time),
      let words = blank(after: fraction(rest))
    else { return nil }
    for half in ["AM ", "PM "] where words.starts(with: half.utf8) { return words.dropFirst(3) }
    return words
  }

  /// After `03-04 10:11:12.345`, as Android's log has it.
  private static func monthly(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let rest = matching("dd-dd dd:dd:dd", line) else { return nil }
    return blank(after: fraction(rest)).flatMap(tagged)
  }

  /// After `1234  1234 E Tag: ` or `E/Tag( 1234): `, which Android's log puts after the time.
  private static func tagged(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let process = rest.prefix(while: \.isASCIIDigit)
    let thread = rest.dropFirst(process.count).drop(while: \.isBlank)
    let level = thread.drop(while: \.isASCIIDigit).drop(while: \.isBlank)
    let isLong = !process.isEmpty && level.startIndex > thread.startIndex
    guard isLong || process.isEmpty, let letter = level.first, "VDIWEFA".utf8.contains(letter),
      let next = level.dropFirst().first, isLong ? next.isBlank : next == UInt8(ascii: "/")
    else { return nil }
    let tag = level.dropFirst(2).prefix(64).prefix { $0 != UInt8(ascii: ":") }
    let after = level[tag.endIndex...]
    guard after.first == UInt8(ascii: ":"), isAlone(after), isLong || tag.last == UInt8(ascii: ")")
    else { return nil }
    return after.dropFirst(2)
  }

  /// After the names of a job and a step and the time, between tabs, as the log of a build service is printed.
  private static func tabbed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    afterFields(line).flatMap(dated)
  }

  /// After two fields that end with tabs.
  private static func afterFields(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var tabs = 0
    for position in line.prefix(160).indices {
      if line[position] == 0x0a { return nil }
      guard line[position] == 0x09 else { continue }
      tabs += 1
      guard tabs == 2 else { continue }
      let rest = line[(position + 1)...]
      return rest.starts(with: [0xef, 0xbb, 0xbf]) ? rest.dropFirst(3) : rest
    }
    return nil
  }

  /// After `App[123:456]` or `iPhone App(Foundation)[123]`; the process may have blanks in its name.
  private static func process(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let head = rest.prefix(100)
    guard let open = head.firstIndex(of: UInt8(ascii: "[")), open > head.startIndex,
      let close = head[open...].firstIndex(of: UInt8(ascii: "]")), close > open + 1,
      !head[(open + 1)...].starts(with: "0x".utf8),
      head[(open + 1)..<close].allSatisfy({
        $0.isHexDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "x")
      }), head[..<open].allSatisfy({ $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "`") })
    else { return nil }
    return rest[(close + 1)...]
  }

  /// After a short word in brackets, if a blank or a colon follows it.
  private static func bracketed(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let pairs: [(UInt8, UInt8)] = [
      (UInt8(ascii: "<"), UInt8(ascii: ">")), (UInt8(ascii: "["), UInt8(ascii: "]")),
    ]
    for (open, close) in pairs where rest.first == open {
      let inside = rest.dropFirst().prefix { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2d }
      let after = rest.dropFirst(1 + inside.count)
      guard inside.count <= 24, after.first == close else { return nil }
      // An object that lost its address is no level.
      guard open != UInt8(ascii: "<") || levels.contains(String(decoding: inside, as: UTF8.self))
      else { return nil }
      let next = after.dropFirst().first
      return next == 0x20 || next == UInt8(ascii: ":") ? after.dropFirst() : nil
    }
    return nil
  }

  // MARK: - Parts

  /// After `pattern`: `d` is a digit, `s` a blank or the letter between date and time.
  private static func matching(
    _ pattern: StaticString,
    _ line: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8>? {
    guard line.count > pattern.utf8CodeUnitCount else { return nil }
    for offset in 0..<pattern.utf8CodeUnitCount {
      let byte = line[line.startIndex + offset]
      switch pattern.utf8Start[offset] {
      case UInt8(ascii: "d"): if !byte.isASCIIDigit { return nil }
      case UInt8(ascii: "s"): if byte != 0x20 && byte != UInt8(ascii: "T") { return nil }
      case let expected: if byte != expected { return nil }
      }
    }
    return line.dropFirst(pattern.utf8CodeUnitCount)
  }

  /// After the parts of a second and the zone.
  private static func fraction(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    rest.drop {
      $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",")
        || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ":")
        || $0 == UInt8(ascii: "Z")
    }
  }

  private static func blank(after rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    rest.first?.isBlank == true ? rest.drop(while: \.isBlank) : nil
  }
}
