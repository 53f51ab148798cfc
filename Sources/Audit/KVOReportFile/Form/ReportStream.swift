package import KVOAudit
package import KVORules

/// Reads a report one finding at a time.
///
/// A report of any size takes the memory of its largest finding, and of what it has besides findings.
package struct ReportStream {
  private var reader = OrderedReader([])
  /// The report without its findings.
  private var head: [UInt8] = []
  /// The next bytes, none at the end.
  private let more: () -> [UInt8]

  /// - Parameter more: returns the next bytes of the report; none at its end, or if it cannot be read any further.
  package init(_ more: @escaping () -> [UInt8]) { self.more = more }

  /// Reads the report.
  ///
  /// Complexity: O(bytes).
  ///
  /// - Parameter take: called with each finding, also with those of a report that is refused later.
  /// - Returns: the rest of the report; nil: it is damaged, omits findings, or is not as this version writes it, and is
  ///   to be read by ``ReportFile/report(in:label:)``.
  package mutating func read(_ take: (Finding) -> Void) -> AuditReport? {
    do throws(OrderedReader.Refusal) {
      try whole { reader throws(OrderedReader.Refusal) in
        reader.skipSpace()
        try reader.take(UInt8(ascii: "{"))
      }
      head = [UInt8(ascii: "{")]
      var isFirst = true
      while let key = try nextKey(isFirst: isFirst) {
        if !isFirst { head.append(UInt8(ascii: ",")) }
        isFirst = false
        head += "\"\(key)\":".utf8
        if key == "findings" { try readFindings(take) } else { try readValue(of: key) }
      }
      head.append(UInt8(ascii: "}"))
      try end()
      var reader = OrderedReader(head)
      return try reader.object()
    } catch {
      return nil
    }
  }

  /// The next key, or nil after the last one.
  private mutating func nextKey(isFirst: Bool) throws(OrderedReader.Refusal) -> String? {
    try whole { reader throws(OrderedReader.Refusal) in
      reader.skipSpace()
      if reader.next == UInt8(ascii: "}") {
        reader.position += 1
        return nil
      }
      if !isFirst { try reader.take(UInt8(ascii: ",")) }
      reader.skipSpace()
      let key = try reader.string()
      // Keys of this version have no escapes.
      guard
        key.utf8.allSatisfy({ $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 >= 0x20 })
      else { throw OrderedReader.Refusal() }
      reader.skipSpace()
      try reader.take(UInt8(ascii: ":"))
      reader.skipSpace()
      guard !reader.isStarved else { throw OrderedReader.Refusal() }
      return key
    }
  }

  private mutating func readFindings(_ take: (Finding) -> Void) throws(OrderedReader.Refusal) {
    head += "[]".utf8
    var isOver = try whole { reader throws(OrderedReader.Refusal) in
      try reader.take(UInt8(ascii: "["))
      reader.skipSpace()
      guard !reader.isStarved else { throw OrderedReader.Refusal() }
      guard reader.next == UInt8(ascii: "]") else { return false }
      reader.position += 1
      return true
    }
    while !isOver {
      take(
        try whole { reader throws(OrderedReader.Refusal) in
          reader.skipSpace()
          return try reader.object()
        }
      )
      isOver = try whole { reader throws(OrderedReader.Refusal) in
        reader.skipSpace()
        let mark = reader.next
        reader.position += 1
        guard [UInt8(ascii: ","), UInt8(ascii: "]")].contains(mark) else {
          throw OrderedReader.Refusal()
        }
        return mark == UInt8(ascii: "]")
      }
    }
  }

  private mutating func readValue(of key: String) throws(OrderedReader.Refusal) {
    let value = try whole { reader throws(OrderedReader.Refusal) in
      let start = reader.position
      try reader.skipValue()
      return Array(reader.bytes[start..<reader.position])
    }
    // The other reader has the words for these.
    if key == "schema", value != Array("\(ReportFile.schema)".utf8) {
      throw OrderedReader.Refusal()
    }
    if key == "omittedFindings" { throw OrderedReader.Refusal() }
    head += value
  }

  /// Nothing but white space may follow.
  private mutating func end() throws(OrderedReader.Refusal) {
    repeat {
      reader.skipSpace()
      guard reader.isStarved else { throw OrderedReader.Refusal() }
    } while fill(from: reader.position)
  }

  /// The result of `body`, which is called again with more bytes if they are wanting.
  private mutating func whole<Result>(
    _ body: (inout OrderedReader) throws(OrderedReader.Refusal) -> Result
  ) throws(OrderedReader.Refusal) -> Result {
    let start = reader.position
    do throws(OrderedReader.Refusal) {
      return try body(&reader)
    } catch {
      guard reader.isStarved, fill(from: start) else { throw error }
      return try whole(body)
    }
  }

  /// Reads at least as many bytes again as those from `start` on, so that long values are not read often; returns
  /// whether there are any.
  private mutating func fill(from start: Int) -> Bool {
    let known = reader.bytes.count - start
    var bytes = more()
    reader.resume(from: start, with: bytes)
    while !bytes.isEmpty, reader.bytes.count < 2 * known {
      let start = reader.position
      bytes = more()
      reader.resume(from: start, with: bytes)
    }
    return reader.bytes.count > known
  }
}
