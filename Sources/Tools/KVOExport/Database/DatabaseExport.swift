package import KVOAudit
import KVOReplay
import KVORules
import KVOTrace

/// Makes an SQLite database of logs and what an audit found in them.
package struct DatabaseExport {
  /// Why it could not be made.
  package enum Failure: Error {
    /// An input is not a log.
    case input(InputFailure)
    /// The database cannot be written, in SQLite's words.
    case database(String)
  }

  private let report: AuditReport
  private let database: DatabaseFile
  private var nextID: Int64 = 0

  /// Begins a database.
  ///
  /// - Parameters:
  ///   - report: what was found, with the call sites that register.
  ///   - path: a file that is empty or not there.
  /// - Throws: ``Failure/database(_:)``.
  package init(_ report: AuditReport, path: String) throws(Failure) {
    self.report = report
    database = try Self.writing { () throws(DatabaseFile.Failure) in
      try DatabaseFile(path: path, schema: Self.schema)
    }
  }

  /// Writes everything, the events of `inputs` last.
  ///
  /// - Parameters:
  ///   - inputs: what the report is of; each is read once more. What the report could not read is
  ///     left out.
  ///   - progress: as of ``Audit/report(on:progress:)``.
  /// - Throws: ``Failure``.
  /// - Complexity: O(bytes).
  package mutating func run(
    _ inputs: [AuditInput],
    progress: Audit.Progress? = nil
  ) throws(Failure) {
    let unreadable = Set(report.failures.map(\.input))
    try Self.writing { () throws(DatabaseFile.Failure) in
      for (index, input) in report.inputs.enumerated() {
        try database.insert(
          into: "inputs",
          [
            .integer(index), .text(input.path), .text(input.kind.rawValue),
            .integer(input.eventCount),
          ]
        )
      }
      for finding in report.findings { try insert(finding, parent: nil) }
      for count in report.callSites ?? [] { try insert(count) }
      for row in report.growth { try insert(row) }
    }
    let readable = inputs.filter { !unreadable.contains($0.label) }
    for (index, input) in readable.enumerated() {
      try insertEvents(of: input, at: index, progress)
    }
    try Self.writing { () throws(DatabaseFile.Failure) in try database.finish() }
  }

  private static func writing<Result>(
    _ body: () throws(DatabaseFile.Failure) -> Result
  ) throws(Failure) -> Result {
    do throws(DatabaseFile.Failure) {
      return try body()
    } catch {
      throw .database(error.message)
    }
  }

  // MARK: - Tables

  private mutating func makeID() -> Int64 {
    nextID += 1
    return nextID
  }

  private mutating func insert(
    _ finding: Finding,
    parent: Int64?
  ) throws(DatabaseFile.Failure) {
    let id = makeID()
    try database.insert(
      into: "findings",
      [
        .integer(id), parent.map { .integer($0) } ?? .null, .text(finding.signature),
        .text(finding.code.rawValue), .text(finding.code.slug), .text(finding.severity.rawValue),
        .text(finding.consequence.rawValue), .text(finding.message),
        .text(finding.subject?.className), .text(finding.observer?.className),
        .text(finding.keyPath), .integer(finding.count), .integer(finding.processCount),
        .integer(finding.runCount), .flag(finding.isLibrary), .flag(finding.isSuppressed),
        .integer(finding.input), .flag(finding.isExpected),
      ]
    )
    for (number, stack) in finding.stacks.enumerated() {
      for (depth, frame) in stack.frames.enumerated() {
        try database.insert(
          into: "finding_frames",
          [.integer(id), .integer(number), .text(stack.role.rawValue), .integer(depth)]
            + frame.values + [.flag(frame.isFirstOwn)]
        )
      }
    }
    for consequence in finding.consequences { try insert(consequence, parent: id) }
  }

  private mutating func insert(_ count: CallSiteCount) throws(DatabaseFile.Failure) {
    let id = makeID()
    try database.insert(
      into: "call_sites",
      [.integer(id)] + count.site.values + [.integer(count.madeCount), .integer(count.liveCount)]
    )
    for (depth, frame) in count.site.stack.frames.enumerated() {
      try database.insert(
        into: "call_site_frames",
        [.integer(id), .integer(depth)] + frame.values
      )
    }
  }

  private func insert(_ row: ScopeGrowthRow) throws(DatabaseFile.Failure) {
    for point in row.points {
      try database.insert(
        into: "growth",
        [.integer(row.input), .text(row.scope)] + row.site.values
          + [.integer(point.run), .integer(point.count), .flag(row.isGrowing)]
      )
    }
  }

  private func insertEvents(
    of input: AuditInput,
    at index: Int,
    _ progress: Audit.Progress?
  ) throws(Failure) {
    var failure: DatabaseFile.Failure?
    let source = LogSource(input, text: { _ in true }) { progress?(input.label, $0, $1) }
    do throws(InputFailure) {
      _ = try source.read { content, names in
        guard failure == nil, case .events(let events, let first) = content else { return }
        let names = names()
        do throws(DatabaseFile.Failure) {
          for (offset, event) in events.enumerated() {
            try database.insert(
              into: "events",
              [.integer(index), .integer(first + offset)] + EventRow(event, names).values
            )
          }
        } catch {
          failure = error
        }
      }
    } catch {
      throw .input(error)
    }
    if let failure { throw .database(failure.message) }
  }
}

extension Finding.StackFrame {
  fileprivate var values: [DatabaseFile.Value] {
    [.text(symbol), .text(file), .integer(line > 0 ? line : nil), .text(module)]
  }
}

extension CallSite {
  fileprivate var values: [DatabaseFile.Value] {
    [.text(subject), .text(keyPath), .text(observer), .text(location)]
  }
}
