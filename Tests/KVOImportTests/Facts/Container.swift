import Foundation

/// What reports stand in, in words of our own by the published schema of each.
enum Container: String, CaseIterable, Sendable {
  case sentence, console, xctest, xcode, crash, crashlytics, hockey, ips, ipsReason, sentry, bugsnag
  case crashlyticsExport, kscrash, embrace, metricKit, metricKitSingle, metricKit27, csharp
  case drained, syslog, lldb, gdb, html, htmlTwice, logLine, flutter, plcrash, markdown, csv

  /// `fault` as it stands in this container.
  func text(_ fault: ReportedFault) -> String {
    let sentence = fault.sentence
    let name = fault.exception ?? "NSInternalInconsistencyException"
    let line = sentence.replacing("\n", with: " ")
    switch self {
    case .sentence: return sentence + "\n"
    case .console:
      let lead =
        fault.exception.map { "*** Terminating app due to uncaught exception '\($0)', reason: '" }
        ?? ""
      return "2024-03-05 10:11:12.345678+0100 Gauges[812:99001] \(lead)\(sentence)"
        + "\(lead.isEmpty ? "" : "'")\n" + Self.addresses
    case .xctest:
      return "GaugeTests.m:12: error: -[GaugeTests testLevel] : failed: caught \"\(name)\", "
        + "\"\(sentence)\"\n"
    case .xcode: return "Thread 1: \"\(Self.escaped(sentence))\"\n"
    case .crash:
      return "Process:             Gauges [812]\nVersion:             1.9 (12)\n"
        + "OS Version:          iPhone OS 12.4 (16G77)\nException Type:  EXC_CRASH (SIGABRT)\n\n"
        + "Application Specific Information:\n*** Terminating app due to uncaught exception '\(name)', "
        + "reason: '\(sentence)'\n\nThread 0 Crashed:\n"
        + "0   libsystem_kernel.dylib  0x0000000180f5a2ec __pthread_kill + 8\n"
    case .crashlytics: return "Fatal Exception: \(name)\n\(line)\n" + Self.frames
    case .hockey:
      return "<pre>GaugeView;layoutSubviews;GaugeView.m;88\n-;main;main.m;9</pre>\n\nReason\n\n"
        + "*** Terminating app due to uncaught exception '\(name)', reason: '\(sentence)'\n"
    case .ips:
      return #"{"app_name":"Gauges","bug_type":"309","os_version":"iPhone OS 15.1 (19B74)"}"# + "\n"
        + Self.json([
          "procName": "Gauges", "faultingThread": 0,
          "asi": [
            "CoreFoundation": [
              "*** Terminating app due to exception '\(name)', reason: '\(sentence)'"
            ]
          ],
          "threads": [
            ["triggered": true, "frames": [["symbol": "__pthread_kill", "imageIndex": 0]]]
          ],
          "usedImages": [["name": "libsystem_kernel.dylib", "base": 1]],
        ])
    case .ipsReason:
      return #"{"app_name":"Gauges","bug_type":"309","os_version":"iPhone OS 17.1 (21B74)"}"# + "\n"
        + Self.json([
          "procName": "Gauges", "faultingThread": 0,
          "exceptionReason": [
            "composed_message": sentence, "format_string": "Cannot %@ an observer %p", "name": name,
            "type": "objc-exception", "class": "NSException", "arguments": ["remove", "it"],
          ],
          "threads": [
            ["triggered": true, "frames": [["symbol": "__pthread_kill", "imageIndex": 0]]]
          ],
          "usedImages": [["name": "libsystem_kernel.dylib", "base": 1]],
        ])
    case .sentry:
      return Self.json([
        "event_id": "a1", "platform": "cocoa", "release": "gauges@1.9",
        "contexts": ["os": ["name": "iOS", "version": "16.2"]],
        "exception": [
          "values": [["type": name, "value": sentence, "mechanism": ["handled": false]]]
        ],
      ])
    case .bugsnag:
      return Self.json([
        "events": [
          [
            "exceptions": [["errorClass": name, "message": sentence, "stacktrace": []]],
            "device": ["osName": "iOS", "osVersion": "16.2"], "app": ["id": "org.example.gauges"],
          ]
        ]
      ])
    case .crashlyticsExport:
      return Self.json([
        "issue_title": "GaugeView.m line 88", "event_timestamp": "2024-03-05 10:11:12 UTC",
        "operating_system": ["display_version": "16.2", "name": "iOS"],
        "exceptions": [
          [
            "type": name, "exception_message": sentence, "blamed": true,
            "frames": [
              ["symbol": "__exceptionPreprocess", "library": "CoreFoundation", "address": 1],
              ["symbol": "-[GaugeView layoutSubviews]", "library": "Gauges", "line": 88],
            ],
          ]
        ],
      ])
    case .kscrash: return Self.json(Self.ksCrash(name, sentence))
    case .embrace:
      return Self.json([
        "name": "emb-ios-crash",
        "attributes": [
          "emb.payload": Self.json(Self.ksCrash(name, sentence)), "emb.state": "foreground",
        ],
      ])
    case .metricKit: return Self.json(["crashDiagnostics": [Self.diagnostic(name, sentence)]])
    case .metricKitSingle: return Self.json(Self.diagnostic(name, sentence))
    case .metricKit27:
      return Self.json(["results": [["crash": ["_0": Self.diagnostic27(name, sentence)]]]])
    case .drained, .syslog, .lldb, .gdb, .html, .htmlTwice, .logLine, .flutter, .plcrash, .markdown,
      .csv:
      return pasted(fault, sentence, name)
    case .csharp:
      return
        "Objective-C exception thrown.  Name: \(name) Reason: \(sentence)\nNative stack trace:\n"
        + "\t0   CoreFoundation  0x0000000107b988db __exceptionPreprocess + 331\n"
        + "\t1   libobjc.A.dylib 0x000000011597cac5 objc_exception_throw + 48\n"
        + "\t2   Gauges.iOS      0x0000000106fada99 xamarin_dyn_objc_msgSend + 217\n\n"
        + "  at ObjCRuntime.Runtime.ThrowNSException (System.IntPtr exception) [0x00000] in /b/Runtime.cs:44\n"
        + "  at Gauges.iOS.LevelView.Dispose (System.Boolean disposing) [0x00020] in /b/LevelView.cs:88\n"
    }
  }

  /// A crash diagnostic of MetricKit, whose trees have neither functions nor an end but the last frame's.
  static func diagnostic(_ name: String, _ sentence: String) -> [String: Any] {
    [
      "version": "1.0.0",
      "callStackTree": [
        "callStackPerThread": true,
        "callStacks": [
          [
            "threadAttributed": true,
            "callStackRootFrames": [
              [
                "binaryName": "CoreFoundation", "address": 7_000_000_100, "sampleCount": 1,
                "binaryUUID": "11111111-2222-3333-4444-555555555555",
                "offsetIntoBinaryTextSegment": 100,
                "subFrames": [
                  [
                    "binaryName": "Gauges", "address": 4_295_000_200, "sampleCount": 1,
                    "binaryUUID": "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE",
                    "offsetIntoBinaryTextSegment": 200,
                  ]
                ],
              ]
            ],
          ]
        ],
      ],
      "diagnosticMetaData": [
        "bundleIdentifier": "org.example.gauges", "appVersion": "1.9",
        "osVersion": "iPhone OS 17.4 (21E219)",
        "exceptionType": 10, "signal": 6,
        "objectiveCexceptionReason": [
          "composedMessage": sentence, "formatString": "%@", "arguments": [sentence],
          "exceptionName": name, "className": "NSException", "exceptionType": "objc-exception",
        ],
      ],
    ]
  }

  /// The same by the interface of iOS 27: images stand apart, in a dictionary whose keys are no strings.
  static func diagnostic27(_ name: String, _ sentence: String) -> [String: Any] {
    let images = [
      ("11111111-2222-3333-4444-555555555555", "CoreFoundation"),
      ("AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE", "Gauges"),
    ]
    return [
      "exceptionType": 10, "exceptionCode": 0, "signal": 6,
      "exceptionReason": [
        "composedMessage": sentence, "formatString": "%@", "arguments": [sentence],
        "exceptionName": name, "className": "NSException", "exceptionType": "objc-exception",
      ],
      "callStackTree": [
        "callStackPerThread": true,
        "binaryInfo": images.flatMap { uuid, name in
          [uuid, ["name": name, "uuid": uuid]] as [Any]
        },
        "callStackThreads": [
          [
            "threadAttributed": true,
            "rootFrames": [
              [
                "binaryUUID": images[0].0, "address": 7_000_000_100,
                "offsetIntoBinaryTextSegment": 100,
                "subFrames": [
                  [
                    "binaryUUID": images[1].0, "address": 4_295_000_200,
                    "offsetIntoBinaryTextSegment": 200, "subFrames": [],
                  ]
                ],
              ]
            ],
          ]
        ],
      ],
    ]
  }

  private static func ksCrash(_ name: String, _ sentence: String) -> [String: Any] {
    [
      "report": ["version": "3.3.0", "type": "standard"],
      "system": ["process_name": "Gauges", "system_name": "iOS", "system_version": "16.2"],
      "crash": [
        "error": ["type": "nsexception", "reason": sentence, "nsexception": ["name": name]],
        "threads": [
          [
            "crashed": true, "index": 0,
            "backtrace": [
              "contents": [
                [
                  "symbol_name": "__exceptionPreprocess", "object_name": "CoreFoundation",
                  "instruction_addr": 1,
                ],
                [
                  "symbol_name": "objc_exception_throw", "object_name": "libobjc.A.dylib",
                  "instruction_addr": 2,
                ],
                [
                  "symbol_name": "-[GaugeView layoutSubviews]", "object_name": "Gauges",
                  "instruction_addr": 3,
                ],
              ]
            ],
          ]
        ],
      ],
    ]
  }

  static func json(_ value: [String: Any]) -> String {
    let data = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])
    return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  private static let addresses =
    "*** First throw call stack:\n(0x185036fe0 0x183a98538 0x185036f28 0x185a93160)\n"
  private static let frames = """
    0  CoreFoundation                 0x182da6e38 __exceptionPreprocess
    1  libobjc.A.dylib                0x18240bf80 objc_exception_throw
    2  Gauges                         0x1011e3160 -[GaugeView layoutSubviews] (GaugeView.m:88)

    """
}

/// What mail, pages and trackers do to a text.
enum Damage: CaseIterable, Sendable {
  case quoted, commented, entities, windows, wrapped, bold, table, numbered

  func applied(to text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    switch self {
    case .quoted: return lines.map { "> > \($0)" }.joined(separator: "\n")
    case .commented: return lines.map { "// \($0)" }.joined(separator: "\n")
    case .entities:
      return text.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        .replacing("\"", with: "&quot;")
    case .windows: return text.replacing("\n", with: "\r\n")
    case .wrapped: return lines.map(Self.wrapped).joined(separator: "\n")
    case .bold: return "**\(text.trimmingCharacters(in: .newlines))**\n"
    case .table: return lines.map { "| \($0) |" }.joined(separator: "\n")
    case .numbered: return lines.enumerated().map { "\($0 + 1): \($1)" }.joined(separator: "\n")
    }
  }

  /// Broken at blanks, as mail does at 76 columns.
  private static func wrapped(_ line: Substring) -> String {
    var result = ""
    var column = 0
    for word in line.split(separator: " ", omittingEmptySubsequences: false) {
      if column + word.count > 76, column > 0 {
        result += "\n"
        column = 0
      } else if column > 0 {
        result += " "
      }
      result += word
      column += word.count + 1
    }
    return result
  }
}
