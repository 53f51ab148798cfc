import KVOFindings
import KVORules
import Testing

/// A report of kvo-audit in a text, as the log of a build service has it.
@Suite("Own reports in a text") struct OwnReportTests {
  private static let report = [
    "WARNING: KVOSafety: notification sent to a deallocated observer (KVO008 delivery-to-dead)",
    "  An observer was notified of a key path of an object after it was deallocated",
    "    #0 object_isClass                          (libobjc.A.dylib)",
    "    #1 NSKeyValueWillChangeWithPerThreadPendingNotifications (Foundation)",
    "    #2 -[Meter setLevel:]                      (Gauges)",
    "  Fix: remove the observer from what it observes before it is deallocated",
    "  Signature: 2:298e901562 · seen once · line 5 · error, crash on apple-modern",
    "  Why: a change was delivered to an observer that had been deallocated",
    "  Exception: EXC_BAD_ACCESS", "  In: 1 report",
  ]
  private static let raised = [
    "WARNING: KVOSafety: removal of an observation that was never made (KVO002 remove-unregistered)",
    "  GaugeView#1 removed an observation of \"level\" from Meter#1 that was not registered",
    "    #0 __exceptionPreprocess   (CoreFoundation)",
    "    #1 objc_exception_throw    (libobjc.A.dylib)",
    "    #2 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:] (Foundation)",
    "  > #3 -[MeterTests testStop]  (GaugeTests)",
    "  Signature: 2:8eceb9c205 · seen once · line 1 · error, crash on apple-modern",
    "  Exception: NSRangeException",
  ]
  private static let crash = [
    "*** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer "
      + "<GaugeView 0x1a0> for the key path \"level\" from <Meter 0x2b0> because it is not registered as an "
      + "observer.'", "*** First throw call stack:",
    "0   CoreFoundation   0x18b3e83e8 __exceptionPreprocess + 16",
    "1   Gauges   0x1004d1388 -[GaugeView stop] + 16",
  ]

  @Test(
    "a report of kvo-audit is skipped; a crash before or after it is found",
    arguments: [
      "", "2026-11-27T09:00:00.1234567Z ", "[09:00:00] ",
      "test\tRun kvo-audit\t2026-11-27T09:00:00.1234567Z ",
    ]
  )
  func skipped(leader: String) {
    func log(_ lines: [String]) -> ImportedText {
      Reading.imported(Array(lines.map { leader + $0 + "\n" }.joined().utf8))
    }
    for report in [Self.report, Self.raised] {
      let own = log(["Run the audit", ""] + report + ["", "SUMMARY: 1 error, 0 warnings"])
      #expect(own.findings.isEmpty && own.hasOwnReport && !own.isCrash)
      let says = ["KVO002 Meter.level < GaugeView"]
      for lines in [report + [""] + Self.crash, Self.crash + [""] + report, report + Self.crash] {
        let mixed = log(lines)
        #expect(mixed.findings.map(Reading.summary) == says && mixed.hasOwnReport)
        #expect(mixed.findings.first?.stacks.first?.frames.last?.symbol == "-[GaugeView stop]")
      }
    }
    #expect(!log(Self.crash).hasOwnReport)
  }

  @Test("the Markdown of kvo-audit is skipped, and what the library prints while a program runs")
  func otherForms() {
    let markdown =
      "## KVO audit: 1 error\n\n| error | KVO002 remove-unregistered | removed an observation of \"level\" |\n\n"
      + "<details><summary>KVO002</summary>\n\n```\n" + Self.raised.joined(separator: "\n")
      + "\n```\n\n</details>\n"
    let imported = Reading.imported(Array(markdown.utf8))
    #expect(imported.findings.isEmpty && imported.hasOwnReport)
    // Without a signature: the first line that is not indented is the program's own again.
    let live = Self.raised.prefix(6) + Self.crash
    #expect(
      Reading.summary(live.joined(separator: "\n")) == ["KVO002 Meter.level < GaugeView"]
    )
  }
}
