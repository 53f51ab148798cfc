import Foundation
import KVORules
import Testing

/// What crash services export, in words of our own, with the keys and the nesting of what each publishes.
@Suite("Exports of crash services") struct ServiceExportTests {
  static let fault = ReportedFault("", .removal, "Meter", ["level"], "GaugeView")
  static let images = "/private/var/containers/Bundle/Application/1F/Gauges.app/Gauges"
  static let foundation = "/System/Library/Frameworks/Foundation.framework/Foundation"
  static let removal =
    "-[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:]"

  static let facts = CrashFacts(
    exception: "NSRangeException",
    process: "Gauges",
    version: "1.9",
    system: "iOS 16.2",
    date: "2024-03-05 10:11:12"
  )

  /// The one finding of `export`, which must say all that it has.
  static func finding(_ export: [String: Any]) throws -> Finding {
    let found = Reading.findings(Container.json(export))
    #expect(found.map(Reading.summary) == fault.says)
    return try #require(found.first)
  }

  static func own(_ finding: Finding) -> Finding.StackFrame? {
    finding.stacks.first?.frames.first(where: \.isFirstOwn)
  }

  // MARK: - Bugsnag

  /// As sent by bugsnag-cocoa: the reason occurs three times, images are paths, and the oldest frame is last.
  @Test("a Bugsnag event has the same reason three times, and is one finding")
  func bugsnagEvent() throws {
    let finding = try Self.finding([
      "payloadVersion": "4.0", "notifier": ["name": "iOS Bugsnag Notifier", "version": "6.30.0"],
      "events": [
        [
          "exceptions": [
            [
              "errorClass": "NSRangeException", "message": Self.fault.sentence, "type": "cocoa",
              "stacktrace": [
                [
                  "method": "__exceptionPreprocess", "frameAddress": "0x1804c88b4",
                  "machoFile": "/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation",
                ],
                [
                  "method": Self.removal, "frameAddress": "0x180f98604",
                  "machoFile": Self.foundation, "machoUUID": "6EC60314-780A-318F-8BDB-5D173B13970E",
                ],
                [
                  "method": "-[GaugeView dealloc]", "frameAddress": "0x104aa6290",
                  "machoFile": Self.images, "machoLoadAddress": "0x104aa4000", "inProject": true,
                  "lineNumber": 88, "file": "GaugeView.m",
                ],
              ],
            ]
          ],
          "threads": [
            [
              "id": "0", "errorReportingThread": true, "type": "cocoa",
              "stacktrace": [
                ["method": "__pthread_kill", "frameAddress": "0x1", "isPC": true],
                ["method": "abort", "frameAddress": "0x2"],
              ],
            ]
          ],
          "app": ["id": "org.example.gauges", "version": "1.9", "bundleVersion": "12"],
          "device": ["osName": "iOS", "osVersion": "16.2", "time": "2024-03-05T10:11:12.000Z"],
          "metaData": [
            "app": ["name": "Gauges"],
            "error": [
              "type": "nsexception", "reason": Self.fault.sentence,
              "nsexception": ["name": "NSRangeException"],
              "crashInfo":
                "*** Terminating app due to uncaught exception 'NSRangeException', reason: '\(Self.fault.sentence)'",
            ],
          ],
        ]
      ],
    ])
    #expect(finding.crashFacts == Self.facts)
    #expect(Self.own(finding)?.line == 88)
  }

  /// As its interface for data gives an event.
  @Test("an event of Bugsnag's data interface has names with underscores")
  func bugsnagData() throws {
    let finding = try Self.finding([
      "id": "1", "received_at": "2024-03-05T10:11:12.000Z",
      "exceptions": [
        [
          "error_class": "NSRangeException", "message": Self.fault.sentence,
          "stacktrace": [
            [
              "method": Self.removal, "frame_address": "0x180f98604",
              "macho_file": Self.foundation,
            ],
            [
              "method": "-[GaugeView dealloc]", "frame_address": "0x104aa6290",
              "macho_file": Self.images, "line_number": 88, "file": "GaugeView.m",
            ],
          ],
        ]
      ],
      "app": ["name": "Gauges", "version": "1.9"],
      "device": ["os_name": "iOS", "os_version": "16.2"],
    ])
    #expect(finding.crashFacts == Self.facts)
    #expect(finding.stacks.first?.frames.map(\.module) == [Self.foundation, Self.images])
    #expect(Self.own(finding)?.line == 88)
  }

  // MARK: - Crashlytics

  static var crashlyticsFrames: [[String: Any]] {
    [
      [
        "symbol": removal, "library": "Foundation", "owner": "SYSTEM", "address": 0x1_80f9_8604,
        "blamed": false,
      ],
      [
        "symbol": "-[GaugeView dealloc]", "library": "Gauges", "owner": "DEVELOPER", "line": 88,
        "file": "GaugeView.m", "address": 0x1_04aa_6290, "blamed": true,
      ],
    ]
  }

  /// By the data set's schema: `exceptions` is Android's, an Apple exception is the title of a thread.
  @Test("a row of Crashlytics' data set has the exception as a thread")
  func crashlyticsRow() throws {
    let finding = try Self.finding([
      "platform": "IOS", "bundle_identifier": "Gauges", "event_id": "1", "is_fatal": true,
      "event_timestamp": "2024-03-05 10:11:12 UTC",
      "operating_system": ["display_version": "16.2", "name": "iOS", "type": "IOS"],
      "application": ["build_version": "12", "display_version": "1.9"],
      "issue_title": "GaugeView.m line 88", "issue_subtitle": "-[GaugeView dealloc]",
      "exceptions": [],
      "threads": [
        [
          "crashed": false, "blamed": true, "title": "Fatal Exception: NSRangeException",
          "subtitle": Self.fault.sentence, "frames": Self.crashlyticsFrames,
        ],
        [
          "crashed": true, "blamed": false, "thread_name": "com.apple.main-thread",
          "title": "Crashed: com.apple.main-thread",
          "frames": [
            ["symbol": "__pthread_kill", "library": "libsystem_kernel.dylib", "address": 1],
            ["symbol": "abort", "library": "libsystem_c.dylib", "address": 2],
          ],
        ],
      ],
    ])
    #expect(finding.crashFacts == Self.facts)
    #expect(finding.stacks.first?.frames.map(\.symbol) == [Self.removal, "-[GaugeView dealloc]"])
    #expect(Self.own(finding)?.line == 88)
  }

  /// By the schema of what it exports to logs, and of its web interface.
  @Test("an event of Crashlytics' log has the same in camel case")
  func crashlyticsLog() throws {
    let finding = try Self.finding([
      "name": "projects/1/apps/2/events/3", "platform": "IOS", "bundleOrPackage": "Gauges",
      "eventId": "1", "eventTime": "2024-03-05T10:11:12Z",
      "operatingSystem": ["displayVersion": "16.2", "os": "iOS", "type": "IOS"],
      "version": ["displayVersion": "1.9", "buildVersion": "12"],
      "issueTitle": "GaugeView.m line 88",
      "threads": [
        [
          "blamed": true, "title": "Fatal Exception: NSRangeException",
          "subtitle": Self.fault.sentence, "frames": Self.crashlyticsFrames,
        ]
      ],
    ])
    #expect(finding.crashFacts == Self.facts)
    #expect(Self.own(finding)?.line == 88)
  }

  @Test("a row of Crashlytics of a bad access names the signal with the crashed thread")
  func crashlyticsSignal() {
    let row = Container.json([
      "platform": "IOS", "event_id": "1",
      "threads": [
        [
          "crashed": false, "thread_name": "Thread",
          "frames": [
            ["symbol": "mach_msg_trap", "library": "libsystem_kernel.dylib", "address": 1],
            ["symbol": "__CFRunLoopRun", "library": "CoreFoundation", "address": 2],
          ],
        ],
        [
          "crashed": true, "blamed": true, "signal_name": "EXC_BAD_ACCESS", "crash_address": 16,
          "signal_code": "KERN_INVALID_ADDRESS",
          "frames": [
            ["symbol": "objc_msgSend", "library": "libobjc.A.dylib", "address": 1],
            ["symbol": "NSKeyValueNotifyObserver", "library": "Foundation", "address": 2],
            ["symbol": "-[Meter setLevel:]", "library": "Gauges", "address": 3],
          ],
        ],
      ],
    ])
    #expect(Reading.summary(row) == ["KVO008 ?.? < ?"])
  }

  // MARK: - Embrace

  /// By embrace-apple-sdk: a log record whose attribute `emb.payload` is a report in a string.
  static func embrace(_ payload: String, provider: String) -> [String: Any] {
    [
      "resourceLogs": [
        [
          "scopeLogs": [
            [
              "logRecords": [
                [
                  "severityText": "FATAL",
                  "attributes": [
                    ["key": "emb.type", "value": ["stringValue": "sys.ios.crash"]],
                    ["key": "emb.provider", "value": ["stringValue": provider]],
                    ["key": "emb.payload", "value": ["stringValue": payload]],
                  ],
                ]
              ]
            ]
          ]
        ]
      ]
    ]
  }

  @Test("a log record of Embrace carries a report of MetricKit, printed over lines or not")
  func embraceMetricKit() throws {
    let diagnostic = Container.diagnostic("NSRangeException", Self.fault.sentence)
    let lines = String(
      decoding: try JSONSerialization.data(
        withJSONObject: diagnostic,
        options: [.prettyPrinted, .sortedKeys]
      ),
      as: UTF8.self
    )
    for payload in [Container.json(diagnostic), lines] {
      let finding = try Self.finding(Self.embrace(payload, provider: "metrickit"))
      #expect(finding.stacks.first?.frames.map(\.module) == ["CoreFoundation", "Gauges"])
      #expect(finding.crashFacts?.systems == ["iOS 17.4": 1])
    }
  }

  @Test("a log record of Embrace carries a report of KSCrash")
  func embraceKSCrash() throws {
    let payload = Container.kscrash.text(Self.fault)
    let finding = try Self.finding(Self.embrace(payload, provider: "kscrash"))
    #expect(finding.crashFacts?.processes == ["Gauges": 1])
    #expect(finding.crashFacts?.exception == "NSRangeException")
    #expect(Self.own(finding)?.symbol == "-[GaugeView layoutSubviews]")
  }
}
