import KVOAudit
import KVOFindings
import KVORules
import KVOText

/// A finding whose text is in a temporary file.
struct SpooledFinding {
  /// What determines its position; the input is that of its report until ``setInput(_:)``.
  private(set) var position: Finding.ReportPosition
  /// The index of the report that it is from, which numbers the inputs in its text; ``noReport``: the merged one.
  let report: Int
  private let offset: Int
  private let byteCount: Int32
  /// Where the number of its input is in the text; -1: consequences have numbers, too.
  private let inputOffset: Int32
  let counts: Bool
  let mayFail: Bool
  let isLibrary: Bool
  let isSuppressed: Bool

  static let noReport = -1
  /// How deep findings are in the text of a report.
  private static let depth = 2
  /// A line break is escaped in a string: this is the key, wherever it is found.
  private static let inputKey = Array("\n      \"input\": ".utf8)

  /// Writes `finding` to `texts`.
  ///
  /// - Throws: ``InputFailure`` if there is no space.
  init(_ finding: Finding, report: Int, in texts: SpooledBytes) throws(InputFailure) {
    position = finding.reportPosition
    self.report = report
    counts = finding.counts
    mayFail = finding.mayFail
    isLibrary = finding.isLibrary
    isSuppressed = finding.isSuppressed
    var text = JSONText(depth: Self.depth)
    text.write(finding)
    let bytes = text.bytes
    inputOffset = finding.consequences.isEmpty ? Int32(Self.inputOffset(in: bytes)) : -1
    byteCount = Int32(bytes.count)
    offset = try texts.append(bytes)
  }

  /// Replaces the index of its input by that in `indices`; the text stays.
  mutating func setInput(_ indices: [Int]) {
    position.input = indices.indices.contains(position.input) ? indices[position.input] : 0
  }

  /// Whether only its own input is in its text.
  var hasOneInput: Bool { inputOffset >= 0 }

  /// The finding, with inputs of the merged report.
  ///
  /// - Parameters:
  ///   - texts: where its text is.
  ///   - inputs: the inputs of each report in the merged one.
  /// - Returns: the finding.
  /// - Throws: ``InputFailure`` if it cannot be read.
  func read(from texts: SpooledBytes, inputs: [[Int]]) throws(InputFailure) -> Finding {
    var reader = OrderedReader(try texts.bytes(at: offset, count: Int(byteCount)))
    var finding: Finding
    do throws(OrderedReader.Refusal) {
      finding = try reader.object()
    } catch {
      throw InputFailure(
        input: "the findings",
        reason: "cannot be read again: the temporary file was changed"
      )
    }
    guard report != Self.noReport else { return finding }
    let indices = inputs[report]
    finding.setInput { indices.indices.contains($0) ? indices[$0] : 0 }
    return finding
  }

  /// Appends its text, with inputs of the merged report.
  ///
  /// - Parameters:
  ///   - bytes: the text of the report so far.
  ///   - texts: where its text is.
  ///   - inputs: the inputs of each report in the merged one.
  ///   - listed: the index in the written report of an input of the merged one.
  /// - Throws: ``InputFailure`` if it cannot be read.
  func write(
    to bytes: inout [UInt8],
    from texts: SpooledBytes,
    inputs: [[Int]],
    _ listed: (Int) -> Int
  ) throws(InputFailure) {
    guard hasOneInput else {
      var finding = try read(from: texts, inputs: inputs)
      finding.setInput(listed)
      var text = JSONText(depth: Self.depth)
      text.write(finding)
      bytes += text.bytes
      return
    }
    let text = try texts.bytes(at: offset, count: Int(byteCount))
    let start = Int(inputOffset)
    bytes += text[..<start]
    bytes += String(listed(position.input)).utf8
    bytes += text[start...].drop { $0 != UInt8(ascii: ",") }
  }

  /// Where the number of the last input is in the text of a finding.
  private static func inputOffset(in bytes: [UInt8]) -> Int {
    var start = bytes.count - inputKey.count
    while start >= 0, !bytes[start...].starts(with: inputKey) { start -= 1 }
    return start + inputKey.count
  }
}
