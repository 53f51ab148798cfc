import KVOAudit
import KVOFindings
import KVOReports
import KVORules
import Testing

@Suite("A suppression") struct SuppressionTests {
  private static let today = CalendarDay("2027-01-15")

  /// The sample report with `lines` as a file of suppressions.
  private func report(
    _ lines: String,
    callSites: [CallSiteCount]? = nil,
    of sample: AuditReport = .sample
  ) throws -> AuditReport {
    var report = sample
    report.callSites = callSites
    let file = try SuppressionFile(path: "kvo", bytes: Array(lines.utf8))
    report.suppress(file.suppressions, on: try #require(Self.today))
    return report
  }

  private static let site = CallSiteCount(
    site: CallSite(
      subject: "Account",
      keyPath: "balance",
      observer: "Screen",
      stack: Finding.Stack(
        role: .registered,
        event: 0,
        frames: [Finding.StackFrame(symbol: "Screen.init()", file: "/src/Screen.swift", line: 12)]
      )
    ),
    madeCount: 3
  )

  @Test(
    "matches by rule, class, key path, frame and signature, all that it names",
    arguments: [
      "KVO001", "double-remove", "KVO00*", "*-remove class=Account", "KVO001 class=Screen",
      "KVO001 class=Sc*", "KVO001 path=balance", "KVO001 frame=Screen.deinit",
      "KVO001 frame=Screen.swift", "KVO001 frame=Screen.swift:41", "KVO001 frame=app",
      "* signature=5f0c2a91", "KVO001 class=Account path=bal* frame=Screen.* signature=5f*",
    ]
  )
  func matches(pattern: String) throws {
    let report = try report("\(pattern) until=2027-01-15 because it is known")
    #expect(report.findings[0].isSuppressed)
    #expect(
      report.findings[0].suppression
        == SuppressionNote(reason: "it is known", until: "2027-01-15", location: "kvo:1")
    )
    #expect(report.suppressions.map(\.state) == [.used])
    // What a pattern of rules matches may be a consequence, too.
    #expect(report.suppressions.map(\.matchCount) == [pattern == "KVO00*" ? 2 : 1])
    #expect(report.summary.errorCount == 0 && report.summary.suppressedCount == 1)
    #expect(!report.hasFindings(atLeast: .note))
  }

  @Test(
    "does not match if one of them differs",
    arguments: [
      "KVO002", "KVO001 class=Accoun", "KVO001 path=*.balance", "KVO001 frame=deinit",
      "KVO001 frame=Screen.swift:4", "* signature=5f0c2a92", "KVO001 class=Account path=owner",
    ]
  )
  func differs(pattern: String) throws {
    let report = try report("\(pattern) until=2027-01-15 because it is known")
    #expect(!report.findings[0].isSuppressed)
    #expect(report.suppressions.map(\.state) == [.unused])
    #expect(report.hasFindings(atLeast: .error))
  }

  @Test("matches a frame by what it has of function, file, line and image")
  func frames() throws {
    let frames = [
      (Finding.StackFrame(file: "/", line: 3), ["/", "/:3"]),
      (Finding.StackFrame(module: "/bin/app", file: "", line: 3), [":3", "/bin/app", "app"]),
      (Finding.StackFrame(symbol: "f", file: "/src/A.swift"), ["f", "/src/A.swift", "A.swift"]),
    ]
    let patterns = Set(frames.flatMap(\.1) + ["3", "app:3", "A.swift:0", "src"])
    for (frame, names) in frames {
      var sample = AuditReport.sample
      sample.findings[0].stacks = [Finding.Stack(role: .failed, event: 1, frames: [frame])]
      sample.findings[0].stacks += [Finding.Stack(role: .registered, event: 0)]
      for pattern in patterns.sorted() {
        let report = try report("KVO001 frame=\(pattern) until=2027-01-15 because x", of: sample)
        #expect(report.findings[0].isSuppressed == names.contains(pattern), "\(frame) \(pattern)")
      }
    }
  }

  @Test("of a consequence leaves its root")
  func consequence() throws {
    let report = try report("KVO008 until=2027-01-15 because x")
    #expect(!report.findings[0].isSuppressed)
    #expect(report.findings[0].consequences[0].isSuppressed)
    #expect(report.suppressions.map(\.state) == [.used])
  }

  @Test("of a root suppresses its consequences with it, for its reason")
  func consequences() throws {
    var sample = AuditReport.sample
    sample.findings[0].consequences[0].isExpected = false
    let lines = "KVO001 until=2027-01-15 because x\nKVO008 until=2027-01-16 because y"
    for lines in [lines, String(lines.prefix { $0 != "\n" })] {
      let report = try report(lines, of: sample)
      let note = SuppressionNote(reason: "x", until: "2027-01-15", location: "kvo:1")
      let all = report.findings.flatMap(\.withConsequences)
      #expect(all.map(\.isSuppressed) == [true, true])
      #expect(all.map(\.suppression) == [note, note])
      #expect(report.suppressions.allSatisfy { $0.state == .used && $0.matchCount == 1 })
      // The table of all runtimes lists consequences like other findings, and none of these counts.
      let cells = ProfileMatrix([(.swift, report)]).rows.flatMap(\.cells.values)
      #expect(cells.map(\.counts) == [false, false])
    }
    // The twin: an expired one suppresses neither.
    let expired = try report("KVO001 until=2027-01-14 because x", of: sample)
    let all = expired.findings.flatMap(\.withConsequences)
    #expect(all.map(\.isSuppressed) == [false, false])
    #expect(ProfileMatrix([(.swift, expired)]).rows.count == 2)
  }

  @Test("holds on its last day, and not on the next, when it is a finding itself")
  func expiry() throws {
    let report = try report("KVO001 until=2027-01-14 because x\nKVO002 until=2027-01-14 because y")
    #expect(!report.findings[0].isSuppressed)
    #expect(report.suppressions.map(\.state) == [.expired, .expired])
    #expect(report.suppressions.map(\.severity) == [.error, .error])
    #expect(
      report.suppressions.map(\.advice) == [
        "ended on 2027-01-14, and 1 finding that it matched counts again; fix it or set another day",
        "ended on 2027-01-14, and nothing matches it any more; remove it",
      ]
    )
    var clean = report
    clean.findings = []
    #expect(clean.hasFindings(atLeast: .error))
  }

  @Test("counts on the table of all runtimes as it does on one")
  func matrix() throws {
    let expired = try report("KVO001 until=2027-01-14 because x")
    let used = try report("KVO001 until=2027-01-15 because x")
    let unused = try report("KVO002 until=2027-01-15 because x")
    #expect(ProfileMatrix([(.swift, expired)]).hasFindings(atLeast: .error))
    #expect(!ProfileMatrix([(.swift, used)]).hasFindings(atLeast: .note))
    let matrix = ProfileMatrix([(.swift, used), (.appleModern, unused)])
    #expect(matrix.suppressions.map(\.state) == [.used, .unused])
    let line = "  error: kvo:1 ended on 2027-01-14, and 1 finding that it matched counts again; "
    let text = String(decoding: ProfileMatrix([(.swift, expired)]).text, as: UTF8.self)
    #expect(text.contains("\nSUPPRESSIONS to look at:\n\(line)"))
  }

  @Test("is stale if its registrations were recorded and judged, otherwise unused")
  func stale() throws {
    let lines = """
      KVO002 class=Account path=balance frame=Screen.swift until=2027-02-01 because a
      KVO002 class=Other until=2027-02-01 because b
      KVO014 class=Account until=2027-02-01 because c
      KVO002 signature=00000000 until=2027-02-01 because d
      """
    #expect(
      try report(lines, callSites: [Self.site]).suppressions.map(\.state)
        == [.stale, .unused, .unused, .unused]
    )
    #expect(try report(lines).suppressions.map(\.state) == [.unused, .unused, .unused, .unused])
    let report = try report(lines, callSites: [Self.site])
    #expect(report.suppressions.map(\.severity) == [.warning, .note, .note, .note])
    // Why it is not stale differs: the class, the rule, which was not judged, and the signature.
    #expect(
      Set(report.suppressions.dropFirst().map(\.advice))
        == ["matched nothing; these logs do not show whether it is still needed"]
    )
  }

  @Test("that is stale is in the figures, because it makes an audit fail at warnings")
  func staleFigures() throws {
    let line = "KVO002 class=Account until=2027-02-01 because a"
    func figures(_ callSites: [CallSiteCount]?) throws -> [String] {
      let report = try report(line, callSites: callSites, of: .wholeSample)
      let forms = [
        TextReportRenderer().render(report), MarkdownReportRenderer().render(report),
      ]
      return forms.map { form in
        let lines = String(decoding: form, as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("SUMMARY: ") || $0.hasPrefix("## ") }
        return String(line ?? "")
      }
    }
    let stale = try report(line, callSites: [Self.site])
    #expect(stale.suppressions.map(\.state) == [.stale])
    #expect(
      try figures([Self.site]) == [
        "SUMMARY: 1 error, 0 warnings, 1 stale suppression in 1,204 events from 1 process "
          + "(14 observations live at the end)",
        "## KVO audit: incomplete input, 1 error, 0 warnings, 1 stale suppression in 1,204 events",
      ]
    )
    // The twin: of one that matched nothing these logs prove nothing.
    #expect(
      try figures(nil) == [
        "SUMMARY: 1 error, 0 warnings in 1,204 events from 1 process (14 observations live at the end)",
        "## KVO audit: incomplete input, 1 error, 0 warnings in 1,204 events",
      ]
    )
  }

  private static let lines = """
    KVO001 until=2027-02-01 because the rewrite removes it
    KVO002 until=2027-01-14 because of a | pipe
    """

  @Test("hides a finding from the text, which counts it and reports what to do")
  func text() throws {
    let report = try report(Self.lines)
    let text = String(decoding: TextReportRenderer().render(report), as: UTF8.self)
    #expect(
      text == """
        SUPPRESSED: 1 finding, which --show-suppressed shows

        SUPPRESSIONS to look at:
          error: kvo:2 ended on 2027-01-14, and nothing matches it any more; remove it (it says: of a | pipe)

        NOT READ, which is not clean:
          b.jsonl: no such file

        DAMAGED: 1 line of a.jsonl cannot be read, and what it said is lost
          a.jsonl:7:3: not JSON

        NOT JUDGED, which is not clean:
          KVO014: no writes

        SUMMARY: 0 errors, 0 warnings, 1 suppressed, 1 expired suppression in 1,204 events from 1 \
        process (14 observations live at the end, 18,446,744,073,709,551,615 events dropped)

        """
    )
    let shown = TextReportRenderer(showsSuppressed: true).render(report)
    #expect(
      String(decoding: shown, as: UTF8.self).hasPrefix(
        """
        WARNING: KVOSafety: observation removed twice (KVO001 double-remove)
          Screen#3 removed "balance" twice
          > #0 Screen.deinit   Screen.swift:41
            #1 0x10
          The cycle
            Screen#3
              ↓ token
                ~~~~~ make this weak
            Token#9
          It leads to
            late (KVO008 delivery-to-dead, 00000001, seen once)
          Fix: remove it once
          Suppressed until 2027-02-01 at kvo:1: the rewrite removes it
          Signature: 5f0c2a91 · seen 3 times · events 118, 240, 377 · error, contained

        SUPPRESSIONS to look at:

        """
      )
    )
  }

  @Test("is the same in the other forms as in the text")
  func forms() throws {
    let report = try report(Self.lines, of: .wholeSample)
    let markdown = String(decoding: MarkdownReportRenderer().render(report), as: UTF8.self)
    #expect(
      markdown == """
        ## KVO audit: incomplete input, nothing found, 1 expired suppression in 1,204 events

        1 finding suppressed.

        **Suppressions to look at:**

        - error: kvo:2 ended on 2027-01-14, and nothing matches it any more; remove it (it says: of a \\| pipe)

        **Not read:**

        - b.jsonl: no such file

        <details><summary>Rules that were not judged, which is not clean</summary>

        - KVO014: no writes

        </details>

        """
    )
    let junit = JUnitReportRenderer(failingFrom: .error).render(report)
    #expect(
      String(decoding: junit, as: UTF8.self).contains(
        """
            <testcase classname="kvo-audit.suppressions" name="kvo:1"/>
            <testcase classname="kvo-audit.suppressions" name="kvo:2">
              <failure type="expired" message="error: kvo:2 ended on 2027-01-14, and nothing matches it \
        any more; remove it (it says: of a | pipe)"/>
            </testcase>

        """
      )
    )
    #expect(String(decoding: junit, as: UTF8.self).contains(#"tests="42" failures="1" errors="1""#))
    let json = String(decoding: JSONReportRenderer().render(report), as: UTF8.self)
    #expect(
      json.hasSuffix(
        """
          "suppressions": [
            {
              "file": "kvo",
              "line": 1,
              "state": "used",
              "severity": null,
              "findings": 1,
              "rule": "KVO001",
              "class": null,
              "path": null,
              "frame": null,
              "signature": null,
              "until": "2027-02-01",
              "reason": "the rewrite removes it"
            },
            {
              "file": "kvo",
              "line": 2,
              "state": "expired",
              "severity": "error",
              "findings": 0,
              "rule": "KVO002",
              "class": null,
              "path": null,
              "frame": null,
              "signature": null,
              "until": "2027-01-14",
              "reason": "of a | pipe"
            }
          ],
          "baseline": null
        }

        """
      )
    )
    let sarif = String(decoding: SARIFReportRenderer().render(report), as: UTF8.self)
    #expect(sarif.contains("\"justification\": \"the rewrite removes it\""))
    #expect(
      sarif.contains(
        """
                {
                  "ruleId": "suppression-expired",
                  "ruleIndex": 39,
                  "level": "error",
                  "message": {
                    "text": "kvo:2 ended on 2027-01-14, and nothing matches it any more; remove it"
                  },
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "kvo"
                        },
                        "region": {
                          "startLine": 2
                        }
                      }
                    }
                  ]
                }

        """
      )
    )
  }
}
