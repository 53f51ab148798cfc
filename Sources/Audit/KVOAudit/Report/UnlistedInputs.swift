// A report on a fleet has as many inputs as the fleet has logs: beyond a limit it counts those of which there is
// nothing to say, or only how many events they lack.

import KVOFindings
import KVOTrace

extension AuditReport {
  /// Inputs of the same kind and state that a report counts instead of listing them.
  package struct UnlistedInputs: Hashable, Sendable {
    package var kind: InputKind
    /// How their processes ended, each ending once, in the order of ``Ending``.
    package var endings: [Ending]
    /// How many inputs.
    package var count: Int
    /// How many crash reports, or passages of text, in them report a fault; 0 in all of them, or in none.
    package var reportCount: Int
    /// How many events the recorders of them could not record; 0 of each of them, or of none.
    package var droppedEventCount: UInt64 = 0

    package init(kind: InputKind, endings: [Ending], count: Int, reportCount: Int) {
      self.kind = kind
      self.endings = endings
      self.count = count
      self.reportCount = reportCount
    }
  }

  /// How many inputs a report lists before it counts others.
  package static let listedInputLimit = 1_000

  /// How many inputs could be read.
  package var inputCount: Int { unlistedInputs.reduce(inputs.count) { $0.addingCount($1.count) } }

  /// Sets what the summary says of inputs that are texts: it is in the inputs alone.
  package mutating func countTexts() {
    let unlistedTextCount = unlistedInputs.reduce(0) {
      $0.addingCount($1.kind.isText ? $1.count : 0)
    }
    summary.textCount = inputs.count { $0.kind.isText } + unlistedTextCount
    summary.reportCount =
      (inputs.map(\.reportCount) + unlistedInputs.map(\.reportCount))
      .reduce(0) { $0.addingCount($1) }
  }

  /// Counts inputs instead of listing them, if there are more than a limit.
  ///
  /// Those that are damaged, cut or partly unknown stay, those that a finding, a crash or a figure
  /// refers to, and the first by path as samples, also of crashes without a finding. Those whose recorder lost events
  /// do not: in a fleet these may be most of them. The result depends only on the inputs of the report, not on how they
  /// were grouped when reports were merged.
  ///
  /// - Parameters:
  ///   - limit: the number of inputs, listed or not, up to which all stay.
  ///   - referenced: more inputs that stay.
  /// - Returns: the new index of each input that stays; nil: all stay.
  /// - Complexity: O(n log n) in the inputs, and O(n) in the findings.
  @discardableResult
  package mutating func collapseInputs(
    limit: Int = Self.listedInputLimit,
    keeping referenced: Set<Int> = []
  ) -> [Int: Int]? {
    guard inputCount > limit else { return nil }
    var kept = referenced.union(inputs.indices.filter { inputs[$0].isNotable })
    let first = inputs.indices.sorted { (inputs[$0].path, $0) < (inputs[$1].path, $1) }
    kept.formUnion(first.prefix(NotJudged.AffectedInputs.limit))
    // Their number may be that of all inputs, but that there are any makes the exit status 1.
    let crashed = first.filter { inputs[$0].isCrashWithoutFault }
    kept.formUnion(crashed.prefix(NotJudged.AffectedInputs.limit))
    mapInputs { index in
      kept.insert(index)
      return index
    }
    var indices: [Int: Int] = [:]
    var listed: [Input] = []
    for (index, input) in inputs.enumerated() {
      if kept.contains(index) {
        indices[index] = listed.count
        listed.append(input)
      } else {
        unlistedInputs.append(UnlistedInputs(input))
      }
    }
    inputs = listed
    unlistedInputs = UnlistedInputs.sums(unlistedInputs)
    mapInputs { indices[$0] ?? $0 }
    return indices
  }

  /// Changes the index of each input that something in the report refers to.
  private mutating func mapInputs(_ index: (Int) -> Int) {
    for position in findings.indices { findings[position].setInput(index) }
    for position in omitted.indices { omitted[position].setInput(index) }
    for position in crashes.indices { crashes[position].input = index(crashes[position].input) }
    for position in growth.indices { growth[position].input = index(growth[position].input) }
    for position in processes.indices {
      processes[position].input = index(processes[position].input)
    }
    activity.setInput(index)
    snapshot?.setInput(index)
  }
}

extension AuditReport.UnlistedInputs {
  /// One input.
  init(_ input: AuditReport.Input) {
    let endings = Set(input.endings)
    self.init(
      kind: input.kind,
      endings: AuditReport.Ending.allCases.filter(endings.contains),
      count: 1,
      reportCount: input.reportCount
    )
    droppedEventCount = input.droppedEventCount
  }

  /// One element for each kind and state, sorted.
  package static func sums(_ all: [Self]) -> [Self] {
    struct State: Hashable {
      var kind: InputKind
      var endings: [AuditReport.Ending]
      var hasReports: Bool
      var lacksEvents: Bool
    }
    var sums: [State: Self] = [:]
    for inputs in all {
      let state = State(
        kind: inputs.kind,
        endings: inputs.endings,
        hasReports: inputs.reportCount > 0,
        lacksEvents: inputs.droppedEventCount > 0
      )
      sums[
        state,
        default: Self(kind: inputs.kind, endings: inputs.endings, count: 0, reportCount: 0)
      ]
      .add(inputs)
    }
    return sums.values.sorted { $0.order.lexicographicallyPrecedes($1.order) }
  }

  private mutating func add(_ other: Self) {
    count = count.addingCount(other.count)
    reportCount = reportCount.addingCount(other.reportCount)
    droppedEventCount = droppedEventCount.addingSaturated(other.droppedEventCount)
  }

  private var order: [String] {
    [
      kind.rawValue, endings.map(\.rawValue).joined(separator: " "), reportCount > 0 ? "1" : "0",
      droppedEventCount > 0 ? "1" : "0",
    ]
  }
}

extension AuditReport.Input {
  /// Whether something of it is missing or unknown.
  fileprivate var isNotable: Bool {
    damageCount > 0 || cutAt != nil || ignoredEventCount > 0 || earlierEventCount > 0
      || sampledShare != nil || keptReason != nil
  }
}
