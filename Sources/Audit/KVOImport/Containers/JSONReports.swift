/// Splits an input of JSON: one report or many, one after another or in lists.
struct JSONReports {
  private(set) var documents: [ReportDocument] = []
  /// Where the input stops being JSON, and why; nil: it is JSON to the end.
  private(set) var problem: JSONTree.Problem?
  /// How many bytes the readable documents take.
  private(set) var endOffset = 0
  /// Whether the head of a report was read, even if what follows is damaged.
  private(set) var hasHead = false
  /// Whether a report in text, after its head or in one of its strings, names the exception that ended the process.
  private(set) var tellsCrash = false

  /// Reads all of `bytes`.
  ///
  /// - Complexity: O(length).
  init(_ bytes: ArraySlice<UInt8>, firstLine: Int = 1) {
    var rest = bytes
    var line = firstLine
    var head: ReportFacts?
    var records: [JSONTree] = []
    defer { takeLog(&records) }
    while true {
      let next = rest.drop { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
      line += LineCounter.count(in: rest[..<next.startIndex])
      rest = next
      guard let first = rest.first else { break }
      guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
        guard let facts = head else {
          problem = JSONTree.Problem(
            offset: rest.startIndex - bytes.startIndex,
            message: "text follows"
          )
          break
        }
        let text = Self.report(in: rest)
        read(text: text, facts, line)
        line += LineCounter.count(in: text)
        rest = rest[text.endIndex...]
        endOffset = text.endIndex - bytes.startIndex
        head = nil
        continue
      }
      do throws(JSONTree.Problem) {
        let tree = try JSONTree(rest, firstLine: line)
        let isRecord = head == nil && LogRecord.message(tree) != nil
        if !isRecord { takeLog(&records) }
        if isRecord {
          records.append(tree)
        } else if AppleReport.isHead(tree), tree[0, "description"] == nil {
          head = AppleReport.facts(tree)
          hasHead = true
        } else {
          if tree[0, "bug_type"] != nil, let text = tree.text(tree[0, "description"]) {
            tellsCrash = tellsCrash || Self.namesException(Array(text.utf8)[...])
          }
          documents += Self.events(tree).flatMap { read($0, head) }
          head = nil
        }
        line += LineCounter.count(in: rest[..<tree.end])
        rest = rest[tree.end...]
        endOffset = tree.end - bytes.startIndex
      } catch {
        problem = JSONTree.Problem(
          offset: rest.startIndex - bytes.startIndex + error.offset,
          message: error.message
        )
        break
      }
    }
  }

  /// Reads the records of a log, one after another, as one text; a single object may be anything.
  private mutating func takeLog(_ records: inout [JSONTree]) {
    defer { records = [] }
    guard records.count > 1 else {
      documents += records.flatMap { Self.events($0).flatMap { read($0, nil) } }
      return
    }
    let words = JSONWords(records: records)
    var document = ReportDocument(CleanText(words.bytes[...]))
    document.isLog = true
    document.take(ReportFacts(), lines: words.lines)
    documents.append(document)
  }

  // MARK: - The oldest form

  /// Reads the text that follows a head, which may be several reports.
  private mutating func read(text: ArraySlice<UInt8>, _ head: ReportFacts, _ line: Int) {
    tellsCrash = tellsCrash || Self.namesException(text)
    var start = text.startIndex
    for end in ReportHead.starts(in: text).filter({ $0 > start }) + [text.endIndex] {
      let part = text[start..<end]
      var document = ReportDocument(
        CleanText(part, firstLine: line + LineCounter.count(in: text[..<start]))
      )
      document.facts.complete(from: head)
      documents.append(document)
      start = end
    }
  }

  /// The text of `rest` up to the next head.
  private static func report(in rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var position = rest.startIndex
    while let end = rest[position...].firstIndex(of: 0x0a) {
      position = end + 1
      let line = rest[position...]
      if line.starts(with: "{\"".utf8),
        let tree = try? JSONTree(line.prefix(while: { $0 != 0x0a })), AppleReport.isHead(tree)
      {
        return rest[..<position]
      }
    }
    return rest
  }

  /// Whether a line of a report in text says which exception ended the process.
  private static func namesException(_ text: ArraySlice<UInt8>) -> Bool {
    text.split(separator: 0x0a).contains { $0.starts(with: "Exception Type:".utf8) }
  }

  /// The events of an export that is a list of them, each as a separate document; otherwise the export as a whole.
  private static func events(_ tree: JSONTree) -> [JSONTree] {
    let keys = ["exception", "exceptions", "threads", "crash", "entries", "crashDiagnostics"]
    guard tree.nodes[0].kind == .list else { return [tree] }
    let values = tree.values(of: 0)
    guard values.count > 1,
      values.allSatisfy({ value in
        tree.nodes[value].kind == .object && keys.contains { tree[value, $0] != nil }
      })
    else { return [tree] }
    var lines = JSONTree.AscendingLines(tree)
    let events = values.compactMap { value in
      try? JSONTree(
        tree.bytes[Int(tree.nodes[value].start)...],
        firstLine: lines.line(of: value)
      )
    }
    return events.count == values.count ? events : [tree]
  }

  /// The documents of one report, and of the reports that are in its strings if `isOuter`.
  private func read(
    _ tree: JSONTree,
    _ head: ReportFacts?,
    isOuter: Bool = true
  ) -> [ReportDocument] {
    let crashes = MetricKitReport.diagnostics(tree)
    if !crashes.isEmpty { return crashes.map { MetricKitReport.document(tree, $0) } }
    let isApple = AppleReport.isReport(tree)
    let words = JSONWords(tree) { node in
      isApple && tree.nodes[node].kind != .string
        && ["threads", "usedImages", "lastExceptionBacktrace"].contains {
          tree.isKey(Int(tree.nodes[node].key), $0)
        }
    }
    var document = ReportDocument(CleanText(words.bytes[...]))
    document.isLog = words.isLog
    let structured = isApple ? AppleReport.stacks(tree) : ServiceReport.stacks(tree)
    if !structured.isEmpty { document.stacks = structured }
    var facts =
      isApple || tree[0, "bug_type"] != nil ? AppleReport.facts(tree) : ServiceFacts.facts(tree)
    if let head { facts.complete(from: head) }
    document.take(facts, lines: words.lines)
    guard isOuter else { return [document] }
    // Services wrap whole reports in strings; one level is read.
    return [document]
      + words.embedded.flatMap { report in
        inner(report.bytes[...], report.line).map { document in
          var document = document
          document.facts.complete(from: facts)
          // Its line ends are escaped: all of it is in one line.
          document.inputLines = document.inputLines.map { _ in report.line }
          document.firstLine = report.line
          return document
        }
      }
  }

  /// The documents of a report in a string, of both its parts if it has a head.
  private func inner(_ bytes: ArraySlice<UInt8>, _ line: Int) -> [ReportDocument] {
    guard let tree = try? JSONTree(bytes, firstLine: line) else { return [] }
    let rest = bytes[tree.end...].drop { $0 <= 0x20 }
    guard AppleReport.isHead(tree), tree[0, "description"] == nil, !rest.isEmpty else {
      return read(tree, nil, isOuter: false)
    }
    let head = AppleReport.facts(tree)
    if let body = try? JSONTree(rest, firstLine: line) { return read(body, head, isOuter: false) }
    var document = ReportDocument(CleanText(rest, firstLine: line))
    document.facts.complete(from: head)
    return [document]
  }
}

extension ReportDocument {
  /// Adds the facts that the form has besides its text, whose lines in the input are `lines`.
  mutating func take(_ known: ReportFacts, lines: [Int]) {
    var known = known
    known.complete(from: facts)
    facts = known
    inputLines = inputLines.map { lines.isEmpty ? firstLine : lines[min($0, lines.count) - 1] }
    if let first = lines.first { firstLine = first }
  }
}
