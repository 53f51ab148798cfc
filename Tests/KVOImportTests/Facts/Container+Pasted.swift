import Foundation

/// What people copy out of consoles, debuggers, pages and files.
extension Container {
  /// `sentence` as it stands in this container, raised as an exception of this name.
  func pasted(_ fault: ReportedFault, _ sentence: String, _ name: String) -> String {
    let line = sentence.replacing("\n", with: " ")
    let raised =
      fault.exception == nil
      ? sentence
      : "*** Terminating app due to uncaught exception '\(name)', reason: '\(sentence)'"
    switch self {
    case .drained:
      let stamp = "2019-04-02 09:11:54.120311+0200 Gauges[4711:52013]"
      return
        "\(stamp) [general] Caught exception during autorelease pool drain \(name): \(sentence) userInfo: "
        + "(null)\n\(stamp) \(raised)\n"
    case .syslog: return "Mar  5 10:11:12 phone Gauges(Foundation)[812] <Error>: \(raised)\n"
    case .lldb:
      return
        "\(raised)\n*** First throw call stack:\n(0x185036fe0 0x183a98538)\n"
        + "libc++abi: terminating due to uncaught exception of type NSException\n"
        + "* thread #1, queue = 'com.apple.main-thread', stop reason = signal SIGABRT\n"
        + "  * frame #0: 0x00000001b0f99ec4 libsystem_kernel.dylib`__pthread_kill + 8\n"
        + "    frame #1: 0x0000000180f98604 Gauges`-[GaugeView layoutSubviews](self=0x1) at GaugeView.m:88\n"
        + "(lldb) po $arg1\n\(sentence)\n"
    case .gdb:
      return
        "Program received signal SIGABRT, Aborted.\n(gdb) po reason\n\(sentence)\n(gdb) bt\n"
        + "#0  0x00007fff in __pthread_kill ()\n#1  0x0001e2b3 in -[GaugeView layoutSubviews] () at GaugeView.m:88\n"
    case .html:
      return
        "<div class=\"log\"><p>It crashes:</p><pre><code>\(Self.entities(raised))</code></pre></div>\n"
    case .htmlTwice:
      return
        "&lt;p&gt;\(Self.entities(Self.entities(raised)).replacing("\n", with: "&lt;br /&gt;"))&lt;/p&gt;\n"
    case .logLine:
      return Self.json(["level": "error", "logger": "crash", "msg": raised, "ts": 1_709_633_472])
        + "\n"
    case .flutter:
      return
        "Launching lib/main.dart on phone in debug mode...\nflutter: Observatory listening on 127.0.0.1\n"
        + "\(raised)\n*** First throw call stack:\n(0x185036fe0 0x183a98538)\nLost connection to device.\n"
    case .plcrash:
      return
        "Incident Identifier: 1F3A\nHardware Model:      iPhone10,4\nProcess:         Gauges [812]\n"
        + "OS Version:      iPhone OS 12.4 (16G77)\nException Type:  SIGABRT\nCrashed Thread:  0\n\n"
        + "Application Specific Information:\n\(raised)\n\nLast Exception Backtrace:\n"
        + "0   CoreFoundation  0x0000000181 0x180f5a2ec + 8\n"
        + "1   Gauges          0x0000000182 -[GaugeView layoutSubviews] (GaugeView.m:88)\n"
    case .markdown:
      return
        "| # | what | where |\n|---|---|---|\n| 1 | `\(line.replacing("|", with: "\\|"))` | start |\n"
    case .csv: return "id,count,reason\n17,204,\"\(line.replacing("\"", with: "\"\""))\"\n"
    default: return sentence
    }
  }

  /// Whether the fault can stand in this container: a notice is no exception, and stands in consoles only.
  func holds(_ fault: ReportedFault) -> Bool {
    fault.exception != nil
      || [.sentence, .console, .syslog, .lldb, .html, .htmlTwice, .logLine, .flutter].contains(self)
  }

  /// Whether the container is one still: words of JSON that are wrapped or in bold are damaged JSON.
  func survives(_ damage: Damage) -> Bool {
    let isJSON: Bool =
      switch self {
      case .ips, .ipsReason, .sentry, .bugsnag, .crashlyticsExport, .kscrash, .embrace, .metricKit,
        .metricKitSingle, .metricKit27, .logLine:
        true
      default: false
      }
    // A table's cell is one line, and a file's row.
    let isRow = self == .markdown || self == .csv
    switch damage {
    case .windows: return true
    case .quoted, .entities, .commented, .numbered, .table: return !isRow
    case .wrapped, .bold: return !isJSON && !isRow
    }
  }

  private static func entities(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
