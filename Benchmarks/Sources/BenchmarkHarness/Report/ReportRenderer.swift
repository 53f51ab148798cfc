/// Writes the measurements as Markdown.
///
/// Every figure comes from the run: if there is none, the report says why.
package struct ReportRenderer {
  private let suite: Suite
  private let measurements: [String: RowOutcome]
  private let run: RunDescription
  /// The name of a row in a target: its title, or the lower bound.
  private let titles: [String: String]

  package init(suite: Suite, measurements: [String: RowOutcome], run: RunDescription) {
    self.suite = suite
    self.measurements = measurements
    self.run = run
    titles = Dictionary(
      suite.rows.map { ($0.id, $0.kind == .bound ? "the lower bound" : $0.title) }
    ) { first, _ in first }
  }

  /// The report.
  package func render() -> String {
    var lines = ["# \(suite.title)", "", "| | |", "|---|---|"]
    lines += run.rows.map { "| \($0.name) | \($0.value) |" }
    lines += ["", Self.reading]
    for table in suite.tables { lines += render(table) }
    if !suite.figures.isEmpty {
      lines += ["", "## Further figures", "", "| | |", "|---|---|"]
      lines += suite.figures.map(line)
    }
    lines += explanations
    return lines.joined(separator: "\n") + "\n"
  }

  private static let reading = """
    Times are CPU time, user and system, of one operation: the median over the rounds, and in
    brackets the range that the middle half of them lies in. The rows of all tables took turns, one
    run each a round. Ratios are taken between the runs of one round; the median is shown.
    *All threads* is the CPU time of the whole process where it differs from that of the threads that
    do the operations. Instructions are callgrind's count in user space, without the kernel and its
    clock (`clock_gettime` is a system call under valgrind): they are the repeatable figure, the
    times depend on what else the machine does.
    """

  private func render(_ table: Table) -> [String] {
    var lines = ["", "## \(table.title)", ""]
    for remark in table.remarks { lines += [remark, ""] }
    lines.append(
      "| per \(table.unit) | | CPU time | all threads | ÷ lower bound | instructions | target | |"
    )
    lines.append("|---|---|---|---|---|---|---|---|")
    lines += table.rows.map { line($0, bound: table.bound) }
    return lines
  }

  private func line(_ row: Row, bound: String?) -> String {
    let measurement = measurements[row.id]
    var cells = [row.title, row.kind.rawValue]
    if case .notRun(let missing)? = measurement {
      let verb = missing.count == 1 ? "is" : "are"
      cells.append("not run: \(missing.joined(separator: ", ")) \(verb) not installed")
      cells += ["", "", ""]
    } else {
      let samples = measurement?.samples ?? []
      cells.append(Statistics(samples.map(\.perOperation)).map(Figures.spread) ?? "")
      cells.append(Self.ofProcess(samples))
      let ratio = bound.flatMap { measurements[$0] }.flatMap { measurement?.ratio(to: $0) }
      cells.append(row.id == bound ? "1" : ratio.map(Figures.ratio) ?? "")
      cells.append(measurement?.instructions.map(Figures.number) ?? "")
    }
    let verdict = verdict(on: row)
    cells += [verdict?.target ?? "", verdict?.outcome?.text ?? ""]
    return "| \(cells.joined(separator: " | ")) |"
  }

  private func line(_ figure: Suite.Figure) -> String {
    switch figure {
    case .value(let title, let value): return "| \(title) | \(value) |"
    case .ratio(let title, let row, let other):
      let ratio = measurements[other].flatMap { measurements[row]?.ratio(to: $0) }
      return "| \(title) | \(ratio.map(Figures.ratio) ?? "not run") |"
    }
  }

  private func verdict(on row: Row) -> Verdict? {
    row.target.map {
      Verdict(of: row.id, target: $0, measurements: measurements, titles: titles)
    }
  }

  /// Empty if other threads took less than a fiftieth of the time.
  private static func ofProcess(_ samples: [Sample]) -> String {
    guard let own = Statistics(samples.map(\.perOperation)),
      let all = Statistics(samples.map(\.perOperationOfProcess)),
      all.median > own.median * 1.02
    else { return "" }
    return Figures.time(all.median)
  }

  private var explanations: [String] {
    let missed = suite.rows.filter { verdict(on: $0)?.outcome?.isMet == false }
    guard !missed.isEmpty else { return [] }
    var lines = ["", "## What holds the rows that miss their target", ""]
    for row in missed {
      lines.append("- *\(row.title)*: \(suite.explanations[row.id] ?? "not examined yet.")")
    }
    return lines
  }
}
