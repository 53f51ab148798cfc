package import KVOAudit
import KVOFindings
import KVORules
import KVOText
import KVOTrace

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// Writes and reads a report as a file.
package enum ReportFile {
  /// The number that goes up when a key changes its meaning or goes away.
  package static let schema = 1
  /// The largest count that is read: those of many reports can be added.
  static let countLimit = Int.greatestCount
  private static let file = FileKind("a report", byteLimit: FileKind.outputByteLimit)

  /// The file of `report` as UTF-8, with a newline at its end.
  ///
  /// Complexity: O(size of the report).
  package static func bytes(of report: AuditReport) -> [UInt8] {
    var text = JSONText()
    text.write(report)
    text.end()
    return text.bytes
  }

  /// The report in the file at `path`.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - decompression: recognizes compressed files; nil: there are none.
  /// - Returns: the report.
  /// - Throws: ``InputFailure`` if it cannot be read, is not a report or has another schema.
  /// - Complexity: O(bytes).
  package static func read(
    _ path: String,
    decompression: (any InputDecompression)? = nil
  ) throws(InputFailure) -> AuditReport {
    let source = try ByteSource(path: path, decompression: decompression)
    return try report(in: source, after: [], label: path)
  }

  /// The first bytes of a report, which are read from `source` after `head`.
  ///
  /// - Throws: ``InputFailure`` if they cannot be read, or no report begins with them.
  static func beginning(
    in source: ByteSource,
    after head: [UInt8] = [],
    label: String
  ) throws(InputFailure) -> [UInt8] {
    let head = try source.head(after: head, byteCount: InputKind.headByteCount, as: file)
    guard ReportForm.mayBegin(with: head) else {
      throw InputFailure(input: label, reason: noReportReason)
    }
    return head
  }

  /// The report in `head`, which was read from `source`, and the bytes after it.
  static func report(
    in source: ByteSource,
    after head: [UInt8],
    label: String
  ) throws(InputFailure) -> AuditReport {
    let beginning = try Self.beginning(in: source, after: head, label: label)
    let bytes = try source.rest(after: beginning, as: file)
    if let damage = source.damage {
      throw InputFailure(
        input: label,
        reason: "a damaged report: byte \(Wording.grouped(damage.offset)): \(damage.reason)"
      )
    }
    return try report(in: bytes, label: label)
  }

  /// The report in `bytes`, which come from `label`.
  package static func report(
    in bytes: [UInt8],
    label: String
  ) throws(InputFailure) -> AuditReport {
    if let report = ordered(bytes) { return report }
    let data = Data(bytes)
    let decoder = JSONDecoder()
    guard let head = try? decoder.decode(ReportHead.self, from: data) else {
      throw InputFailure(input: label, reason: noReportReason)
    }
    guard head.schema == schema else {
      throw InputFailure(
        input: label,
        reason: "a report of schema \(head.schema); this version (\(AuditVersion.current)) reads "
          + "schema \(schema); audit the logs again"
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
      return try decoder.decode(ReadReport<AuditReport>.self, from: data).value
    } catch let error as DecodingError {
      throw InputFailure(input: label, reason: "a damaged report: \(error.reason)")
    } catch {
      throw InputFailure(input: label, reason: "a damaged report: \(error)")
    }
  }

  /// The report, if it is as this version writes it.
  private static func ordered(_ bytes: [UInt8]) -> AuditReport? {
    var rest: [UInt8]? = bytes
    var stream = ReportStream {
      defer { rest = nil }
      return rest ?? []
    }
    var findings: [Finding] = []
    guard var report = stream.read({ findings.append($0) }) else { return nil }
    report.findings = findings
    return report
  }

  private static let noReportReason =
    "not a report: it is not a JSON object with a \"schema\"; \(origin)"
  private static let origin = "`kvo-audit --format json=FILE` writes one"
}

/// The start of a report, which can be read independently of its schema.
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
  /// The location, and the error there.
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
    let location = path.joined().drop { $0 == "." }
    return location.isEmpty ? what : "at \(location): \(what)"
  }
}
