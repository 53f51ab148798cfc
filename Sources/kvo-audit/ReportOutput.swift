import ArgumentParser
import KVOAudit
import KVOCompression
import KVOReports
import KVORules

/// One form of the report and its destination, as `--format` specifies them: `sarif=audit.sarif`.
struct ReportOutput: ExpressibleByArgument {
  enum Format: String, CaseIterable {
    case text
    case json
    case markdown
    case sarif
    case junit
    case html
    case gitlab
    case github
  }

  var format: Format
  /// The file, or nil for standard output.
  var path: String?
  /// Whether nothing may be omitted, regardless of the size.
  var isUnlimited = false
  /// The repository of the source files, for forges.
  var repository = Repository()

  init(format: Format, path: String? = nil) {
    self.format = format
    self.path = path
  }

  /// The size limit of the form.
  private var limit: ReportLimit? {
    if isUnlimited { return nil }
    return switch format {
    case .json: .json
    case .markdown: .markdown
    case .sarif: .sarif
    case .junit: .junit
    case .gitlab: .gitlab
    // Annotations are few, the page has its own limits, and text is for a terminal.
    case .html, .text, .github: nil
    }
  }

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let format = Format(rawValue: String(parts[0])), parts.last != "" else { return nil }
    // As with inputs, - is the standard stream.
    self.init(format: format, path: parts.count == 2 && parts[1] != "-" ? String(parts[1]) : nil)
  }

  static var allValueStrings: [String] { Format.allCases.map(\.rawValue) }

  /// Writes the report.
  ///
  /// - Parameters:
  ///   - report: the report.
  ///   - isColored: whether text on standard output is colored.
  ///   - showsSuppressed: whether reports for people include suppressed findings.
  ///   - groupsByImage: whether text groups findings by the images that registered observers.
  ///   - severity: the lowest severity that makes the exit status 1, or nil.
  ///   - pages: whether a report for people that is longer than the terminal is shown in a pager.
  /// - Throws: ``ExitStatus/unwritable`` if it cannot be written, after printing the error.
  func write(
    _ report: AuditReport,
    isColored: Bool,
    showsSuppressed: Bool,
    groupsByImage: Bool,
    failingFrom severity: Severity?,
    pages: Bool
  ) throws {
    let bytes =
      switch format {
      case .text:
        TextReportRenderer(
          isColored: isColored && path == nil,
          showsSuppressed: showsSuppressed,
          groupsByImage: groupsByImage,
          namesFailures: path != nil || !StandardStreams.shareDestination
        ).render(report)
      case .json: JSONReportRenderer().render(report, within: limit)
      case .markdown:
        MarkdownReportRenderer(showsSuppressed: showsSuppressed).render(report, within: limit)
      case .sarif:
        SARIFReportRenderer(
          root: repository.root,
          category: repository.category,
          byteCount: GzipSize.byteCount
        ).render(report, within: limit)
      case .gitlab: GitLabReportRenderer(root: repository.root).render(report, within: limit)
      case .github: GitHubAnnotationRenderer(root: repository.root).render(report)
      case .html: HTMLReportRenderer(showsSuppressed: showsSuppressed).render(report)
      case .junit: JUnitReportRenderer(failingFrom: severity).render(report, within: limit)
      }
    if path == nil, format == .text { return try Terminal.show(bytes, pages: pages) }
    try deliver(bytes)
  }

  /// Writes the table of all runtimes: as JSON if that is the form, otherwise as text.
  ///
  /// - Throws: ``ExitStatus/unwritable`` if it cannot be written, after printing the error.
  func write(_ matrix: ProfileMatrix) throws {
    try deliver(format == .json ? matrix.json : matrix.text)
  }

  private func deliver(_ bytes: [UInt8]) throws {
    guard let path else { return try StandardStreams.deliver(bytes) }
    let sink = OutputSink(path: path)
    sink.take(bytes)
    try sink.finish()
  }
}
