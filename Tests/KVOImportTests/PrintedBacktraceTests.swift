import KVOFindings
import KVORules
import Testing

/// Reports of macOS in which the stack of an exception is a text, as AppKit has it when it ends the process.
@Suite("Printed backtraces") struct PrintedBacktraceTests {
  private static let frames = [
    "0   CoreFoundation                      0x00007ff8188d343b __exceptionPreprocess + 242",
    "1   libobjc.A.dylib                     0x00007ff81861a0f0 objc_exception_throw + 48",
    "2   Foundation                          0x00007ff81861b0f0 "
      + "-[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:] + 604",
    "3   Gauges                              0x0000000104a0b0f0 -[GaugeView stop] + 16",
    "4   Gauges                              0x0000000104a0b1f0 Gauges + 45552", "",
  ]

  private static func report(_ reason: String, _ more: [String: Any] = [:]) -> String {
    let body: [String: Any] = [
      "procName": "Gauges", "faultingThread": 0,
      "exception": ["type": "EXC_BREAKPOINT", "signal": "SIGTRAP"],
      "asi": ["CoreFoundation": [reason]],
      "asiBacktraces": [frames.joined(separator: "\n")],
      "threads": [
        [
          "triggered": true,
          "frames": [
            ["symbol": "-[NSApplication _crashOnException:]", "imageIndex": 0],
            ["symbol": "main", "imageIndex": 1],
          ],
        ]
      ],
      "usedImages": [
        ["name": "AppKit", "base": 0x1_8000_0000, "size": 0x10000],
        ["name": "Gauges", "base": 0x1_04a0_0000, "size": 0x10000],
      ],
    ]
    let head =
      #"{"app_name":"Gauges","bug_type":"309","os_version":"macOS 15.1 (24B83)","name":"Gauges"}"#
    return head + "\n" + Container.json(body.merging(more) { $1 })
  }

  private static let symbols = [
    "__exceptionPreprocess", "objc_exception_throw",
    "-[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:]",
    "-[GaugeView stop]", nil,
  ]

  @Test("the stack is that of the exception, with or without its words")
  func stack() throws {
    let words = "*** Terminating app due to uncaught exception 'NSRangeException', reason: '"
    for (reason, says) in [
      (words + RemovalCrash.sentence + "'", "KVO002 Meter.level < GaugeView"),
      ("abort() called", "KVO002 ?.? < ?"),
    ] {
      let findings = Reading.findings(Self.report(reason))
      #expect(findings.map(Reading.summary) == [says])
      let stack = try #require(findings.first?.stacks.first)
      #expect(stack.frames.map(\.symbol) == Self.symbols)
      #expect(stack.frames.first(where: \.isFirstOwn)?.symbol == "-[GaugeView stop]")
    }
  }

  @Test("a list of frames is better than the text")
  func both() {
    let list: [String: Any] = [
      "lastExceptionBacktrace": [
        ["symbol": "__exceptionPreprocess", "imageIndex": 0],
        ["symbol": "-[GaugeView dealloc]", "imageIndex": 1],
      ]
    ]
    let findings = Reading.findings(Self.report(RemovalCrash.sentence, list))
    #expect(findings.map(Reading.summary) == ["KVO002 Meter.level < GaugeView"])
    #expect(
      findings.first?.stacks.first?.frames.map(\.symbol)
        == ["__exceptionPreprocess", "-[GaugeView dealloc]"]
    )
  }
}
