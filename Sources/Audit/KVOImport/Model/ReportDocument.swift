/// One report, or one passage of a console, parsed: the content of its text and its stacks.
///
/// Every format of reports is read into this. Positions are those of the cleaned text, so that a sentence finds the
/// stack below it.
struct ReportDocument: Sendable {
  var facts = ReportFacts()
  var complaints: [Complaint] = []
  var stacks: [StackTrace] = []
  /// For each complaint the line of the text, by which it finds its stack.
  var textLines: [Int] = []
  /// For each complaint the facts near it.
  var nearFacts: [ReportFacts] = []
  /// Whether it is the text of a log whose records are objects of JSON.
  var isLog = false
  /// For each complaint the line in the input.
  var inputLines: [Int] = []
  /// The line in the input where it begins.
  var firstLine = 1
  /// Whether it states that unmapped memory was accessed.
  var isBadAccess = false
  /// The lines of the text that state it.
  var badAccessLines: [Int] = []
  /// The lines of the text by which the system ended a process for its own reasons; ascending.
  var killLines: [Int] = []
  /// Whether it says that a breakpoint ended the process, as an invalid signed pointer does.
  var isBreakpoint = false
  /// Whether it states a crash at all.
  var isCrash = false
  /// Whether it states a crash that nothing else may explain: by a stack that is said to be of one, or in the words of a
  /// report, a runtime or a debugger.
  var statesCrash = false
  /// Classes of objects that the text describes, by address.
  var classes: [UInt64: String] = [:]
}

extension ReportDocument {
  /// The position of stacks that a form has separately from its text: after all lines of it.
  static let structureLine = 1 << 40

  /// Parses a passage of text.
  ///
  /// Complexity: O(length).
  init(_ text: CleanText) {
    complaints = SentenceReader(text).complaints()
    stacks = StackReader.stacks(in: text)
    BinaryImages(in: text).assignImages(to: &stacks)
    stacks.removeAll { $0.frames.count == 1 && $0.frames[0].image == nil && $0.isManaged }
    firstLine = text.lineNumbers.first ?? 1
    facts = FactReader.facts(in: text, lines: text.lineStarts.indices)
    for complaint in complaints {
      let line = text.line(at: complaint.range.upperBound)
      textLines.append(line)
      inputLines.append(text.number(at: complaint.range.lowerBound))
      nearFacts.append(FactReader.facts(around: complaint.range.lowerBound, in: text))
    }
    readSignals(text)
    statesCrash = Self.statesCrash(text, stacks: stacks)
    if facts.system == nil { facts.system = SystemName.stated(in: text) }
    if complaints.contains(where: { $0.kind == .deallocation }) {
      classes = ObjectNames.classes(in: text)
    }
  }

  /// The letters of the words for an access of unmapped memory.
  private static let badAccess: [StaticString] = [
    "excbadaccess", "sigsegv", "sigbus", "kerninvalidaddress", "kernprotectionfailure",
    "segmentationfault", "signal11", "excarmdaalign", "exci386gpflt", "badaccess",
    // Of sanitizers.
    "segvonunknownaddress", "busonunknownaddress",
    // Of Swift's runtime.
    "badpointerdereference",
  ]

  private mutating func readSignals(_ text: CleanText) {
    let skeleton = text.skeleton
    let all = 0..<skeleton.count
    func lines(_ words: [StaticString]) -> [Int] {
      var lines: [Int] = []
      for word in words {
        var start = 0
        while let found = skeleton.first(word, in: start..<skeleton.count) {
          lines.append(text.line(at: text.position(ofSkeleton: found)))
          start = found + 1
        }
      }
      return lines.sorted()
    }
    killLines = lines(["sigkill", "8badf00d"])
    badAccessLines = lines(Self.badAccess)
    isBadAccess = !badAccessLines.isEmpty
    isBreakpoint =
      skeleton.first("excbreakpoint", in: all) != nil || skeleton.first("sigtrap", in: all) != nil
    isCrash =
      isBadAccess || isBreakpoint || skeleton.first("crash", in: all) != nil || text.has("崩溃")
      || text.has("崩潰")
  }
}

/// Finds the class next to an address: `<Screen: 0x600001>`.
enum ObjectNames {
  static func classes(in text: CleanText) -> [UInt64: String] {
    var result: [UInt64: String] = [:]
    var position = 0
    while let open = text.bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
      position = open + 1
      let head = text.bytes[open..<min(text.bytes.count, open + 160)]
      let inside = head.dropFirst().prefix { $0 != UInt8(ascii: "<") && $0 != 0x0a }
      let operand = Operand(inside)
      guard let name = operand.className, !operand.isMasked, let address = operand.address,
        address != 0, isBesideAddress(inside),
        !name.hasPrefix("NSKeyValueObservance"), !name.hasPrefix("NSKeyValueObservationInfo")
      else { continue }
      result[address] = result[address] ?? name
    }
    return result
  }

  /// Whether nothing is between the name and the address: the options of a registration are not an
  /// object, though a context follows them.
  private static func isBesideAddress(_ description: ArraySlice<UInt8>) -> Bool {
    guard let address = FrameLine.first("0x", in: description) else { return false }
    var name = description[..<address]
    while let last = name.last, last.isBlank || last == UInt8(ascii: ":") { name.removeLast() }
    return name.allSatisfy(\.isNamePart)
  }
}
