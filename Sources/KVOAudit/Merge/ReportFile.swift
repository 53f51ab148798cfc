private import Foundation
private import KVORules

/// Reads back the reports that ``JSONReportRenderer`` writes.
package enum ReportFile {
  /// The report in the file at `path`.
  ///
  /// Complexity: O(bytes).
  ///
  /// - Throws: ``InputFailure`` where it cannot be read, is no report or is one of another schema.
  package static func read(_ path: String) throws(InputFailure) -> AuditReport {
    try report(in: ByteSource.contents(of: path), label: path)
  }

  /// The report that `bytes` are, which come from `label`.
  package static func report(
    in bytes: [UInt8],
    label: String
  ) throws(InputFailure) -> AuditReport {
    let data = Data(bytes)
    let decoder = JSONDecoder()
    guard let head = try? decoder.decode(ReportHead.self, from: data) else {
      throw InputFailure(
        input: label,
        reason: "not a report: it is no JSON object with a \"schema\"; \(origin)"
      )
    }
    guard head.schema == JSONReportRenderer.schema else {
      throw InputFailure(
        input: label,
        reason: "a report of schema \(head.schema); this version (\(AuditVersion.current)) reads "
          + "schema \(JSONReportRenderer.schema); audit the logs again"
      )
    }
    guard head.hasFindings else {
      throw InputFailure(
        input: label,
        reason: "not a report: it has no \"findings\"; \(origin)"
      )
    }
    guard head.omittedCount == 0 else {
      throw InputFailure(
        input: label,
        reason: "a report that leaves out \(Wording.count(head.omittedCount, "finding")), so that "
          + "nothing can be compared with it; audit the logs again with --no-limits"
      )
    }
    do {
      return try decoder.decode(AuditReport.self, from: data)
    } catch let error as DecodingError {
      throw InputFailure(input: label, reason: "a damaged report: \(error.reason)")
    } catch {
      throw InputFailure(input: label, reason: "a damaged report: \(error)")
    }
  }

  /// Whether a file that begins with `head` is to be read as a report, not as a log.
  ///
  /// A report is one object whose first key is its schema; in a log each line is an object with an
  /// event.
  static func isReport(head: some Collection<UInt8>) -> Bool {
    let text = head.lazy.filter { !" \t\r\n".utf8.contains($0) }
    guard text.starts(with: #"{"schema":"#.utf8) else { return false }
    let line = head.drop { " \t\r\n".utf8.contains($0) }.prefix { $0 != UInt8(ascii: "\n") }
    return !String(decoding: line, as: UTF8.self).contains("\"event\"")
  }

  private static let origin = "`kvo-audit --format json=FILE` writes one"
}

/// What a report has in front of what only its schema says how to read.
private struct ReportHead: Decodable {
  var schema: Int
  var hasFindings: Bool

  var omittedCount: Int

  private enum Key: CodingKey { case schema, findings, omittedFindings }

  init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    schema = try keys.decode(Int.self, forKey: .schema)
    hasFindings = keys.contains(.findings)
    omittedCount = try keys.decodeIfPresent(Int.self, forKey: .omittedFindings) ?? 0
  }
}

extension DecodingError {
  /// Where it is and what is wrong there.
  fileprivate var reason: String {
    switch self {
    case .keyNotFound(let key, let context): Self.at(context, "no \"\(key.stringValue)\"")
    case .valueNotFound(_, let context): Self.at(context, "null where something is needed")
    case .typeMismatch(_, let context): Self.at(context, "a value of another kind than is needed")
    case .dataCorrupted(let context): Self.at(context, context.debugDescription)
    @unknown default: "\(self)"
    }
  }

  private static func at(_ context: Context, _ what: String) -> String {
    let path = context.codingPath.map { key in
      key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
    }
    let place = path.joined().drop { $0 == "." }
    return place.isEmpty ? what : "at \(place): \(what)"
  }
}
