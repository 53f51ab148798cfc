import ArgumentParser
import KVOAudit
import KVOReports
import KVORules
import KVOSymbols

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `kvo-audit watch`: the findings in a log while it is written.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Follow a log that is being written: who observes now, and the findings.",
    usage: "kvo-audit watch [<options>] <log>",
    discussion: """
      On a terminal, shows a table of registering call sites, with their live registrations, and new \
      findings. If standard output is not a terminal, each new finding is printed once, in full. Ends \
      with the whole report and its exit status when the log says that the process ended; until then, \
      Control-C ends it. If the log does not exist yet, waits for it.

      With --serve, a browser shows the page of the audit, which follows the log, at an address that is \
      reachable only on this machine. It is served until Control-C, even after the process has ended.

      Each update reads the whole log, so that rotated and damaged logs are followed, too; if that takes \
      long, updates are less frequent, so that at most a quarter of a processor is used.

      EXAMPLES
        kvo-audit watch app.kvolog
        kvo-audit watch --every 5 app.kvolog | tee findings.txt
        kvo-audit watch app.kvolog --serve
        kvo-audit watch app.kvolog --serve 0
      """
  )

  @Argument(help: ArgumentHelp("The log.", valueName: "log"), completion: .file())
  var log: String?

  @Option(
    defaultAsFlag: ServeChoice.usual,
    help: ArgumentHelp(
      "Serve the page of the audit to a browser on this machine, on this port; 0: any free port.",
      valueName: "port"
    )
  )
  var serve: ServeChoice?

  @Option(help: ArgumentHelp("The number of seconds between updates.", valueName: "seconds"))
  var every = 1.0

  @OptionGroup
  var modules: ModuleOptions

  @OptionGroup
  var configuration: ConfigurationOptions

  @Option(help: "The lowest severity that makes the exit status 1.")
  var failOn: ReportOptions.FailOn = .error

  @OptionGroup(title: "Known issues")
  var suppressing: SuppressionOptions

  @OptionGroup(title: "Known issues")
  var known: TriageOptions

  mutating func validate() throws {
    if case .outOfRange(let number) = serve {
      throw ValidationError("--serve \(number): a port from 0 to 65535, such as 8080; 0 is any")
    }
    if case .other(let word) = serve {
      guard log == nil else {
        throw ValidationError(
          "--serve \(word): a port from 0 to 65535, such as 8080; one log is watched"
        )
      }
      (log, serve) = (word, .usual)
    }
    guard let log, !log.isEmpty else {
      throw ValidationError("name the log to watch: kvo-audit watch app.kvolog")
    }
    if log == "-" {
      throw ValidationError(
        "each look reads the log anew, which standard input cannot: name a file"
      )
    }
    if OutputFile.exists(log), !OutputFile.isFile(log), !OutputFile.isFolder(log) {
      throw ValidationError(
        "each look reads the log anew, and \"\(log)\" is a pipe or a device: name a file"
      )
    }
    guard every >= 0.1, every <= 3_600 else {
      throw ValidationError("--every \(every): a number of seconds from 0.1 to 3600, such as 1")
    }
  }

  func run() throws {
    let triage = try known.load(with: suppressing)
    let clock = ContinuousClock()
    let feed = try serve.map {
      try PageFeed(port: $0.port, showsSuppressed: known.showSuppressed)
    }
    let text = FindingText(isColored: ReportOptions.Coloring.auto.isOn)
    let audit = Audit(
      options: AuditOptions(
        appModules: modules.appModules,
        gathersCallSites: true,
        followsActivity: feed != nil
      ),
      resolver: DwarfFrameResolver.withIndices()
    )
    if let feed { StandardStreams.complain("kvo-audit: \(feed.address) follows \(path)") }
    // The address stays visible, because people look at the page.
    let isTerminal = StandardStreams.isOutputTerminal && feed == nil
    var screen = WatchScreen()
    var refusals = Refusals()
    while true {
      let start = clock.now
      var report = look(audit)
      if let failure = report.failures.first, refusals.add(size: byteCount) {
        StandardStreams.complain("kvo-audit: \(failure.message)")
        throw ExitStatus.unreadable
      }
      triage.apply(to: &report)
      let new = screen.take(report)
      let shown =
        isTerminal
        ? drawing(of: screen, report) : new.map { text.render($0) + "\n" }.joined()
      // The reader closed the pipe.
      guard try show(shown) else { return }
      if let feed {
        guard feed.show(report) else { throw ExitStatus.unavailable }
      } else if !report.inputs.isEmpty, report.isOver {
        return try end(report, isTerminal: isTerminal)
      }
      wait(max(.seconds(every), start.duration(to: clock.now) * 3))
    }
  }

  /// The log, which ``validate()`` has checked.
  private var path: String { log ?? "" }

  /// The number of times that the log was refused while it did not grow.
  ///
  /// The first line of a log that is being written may be incomplete.
  private struct Refusals {
    private var count = 0
    private var size = -1

    /// Counts a refusal of a log of `size` bytes.
    ///
    /// - Returns: whether waiting will not help.
    mutating func add(size: Int) -> Bool {
      count = size == self.size ? count + 1 : 0
      self.size = size
      return count >= 3
    }
  }

  /// The size of the log; 0 if it does not exist.
  private var byteCount: Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The current findings; none if the log does not exist yet, or is still empty.
  private func look(_ audit: Audit) -> AuditReport {
    byteCount == 0 ? AuditReport() : audit.report(on: [AuditInput.named(by: path)])
  }

  private func wait(_ pause: Duration) {
    let (seconds, rest) = pause.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest / 1_000_000_000))
    nanosleep(&time, nil)
  }

  /// Writes `text`; returns false if its reader is closed.
  private func show(_ text: String) throws -> Bool {
    StandardStreams.ignoreFileSizeSignal()
    let code = StandardStreams.write(Array(text.utf8), to: STDOUT_FILENO)
    if code == EPIPE { return false }
    guard code == 0 else {
      let reason = String(cString: strerror(code))
      StandardStreams.complain("kvo-audit: standard output cannot be written: \(reason)")
      throw ExitStatus.unwritable
    }
    return true
  }

  private func drawing(of screen: WatchScreen, _ report: AuditReport) -> String {
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let lines = screen.lines(
      of: report,
      label: path,
      columnCount: isKnown ? Int(size.ws_col) : 80,
      rowCount: isKnown ? Int(size.ws_row) - 1 : 23
    )
    // Moves the cursor home, clears the rest of each line, and everything below.
    return "\u{1b}[H" + lines.map { "\($0)\u{1b}[K\n" }.joined() + "\u{1b}[J"
  }

  private func end(_ report: AuditReport, isTerminal: Bool) throws {
    if isTerminal { try StandardStreams.deliver(Array("\u{1b}[H\u{1b}[J".utf8)) }
    let renderer = TextReportRenderer(
      isColored: ReportOptions.Coloring.auto.isOn,
      showsSuppressed: known.showSuppressed
    )
    try StandardStreams.deliver(renderer.render(report))
    IncompleteInput.complain(report.incompleteness)
    if report.isIncomplete { throw ExitStatus.unreadable }
    if let severity = failOn.severity, report.hasFindings(atLeast: severity) {
      throw ExitStatus.findings
    }
  }
}
