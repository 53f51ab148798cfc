import Foundation
import KVOFindings
import KVORules
import Testing

/// Events by the schema of getsentry/sentry-data-schemas, and as the page of an issue gives them.
extension ServiceExportTests {
  /// By the event schema of getsentry/sentry-data-schemas: frames stand oldest first, whatever they name.
  @Test("a Sentry event has its frames oldest first")
  func sentryEvent() throws {
    let finding = try Self.finding([
      "event_id": "fc6d8c0c43fc4630ad850ee518f1b9d0", "platform": "cocoa",
      "timestamp": "2024-03-05T10:11:12Z", "level": "fatal", "release": "gauges@1.9",
      "contexts": [
        "os": ["type": "os", "name": "iOS", "version": "16.2", "build": "20C65"],
        "app": [
          "app_name": "Gauges", "app_version": "1.9", "app_identifier": "org.example.gauges",
        ],
      ],
      "exception": [
        "values": [
          [
            "type": "NSRangeException", "value": Self.fault.sentence, "thread_id": 0,
            "mechanism": [
              "type": "nsexception", "handled": false,
              "meta": ["signal": ["number": 6, "name": "SIGABRT"]],
            ],
            "stacktrace": [
              "frames": [
                [
                  "function": "-[Pump run]", "package": Self.images, "in_app": true,
                  "instruction_addr": "0x104aa6288",
                ],
                [
                  "function": "-[GaugeView dealloc]", "package": Self.images, "in_app": true,
                  "filename": "GaugeView.m", "lineno": 88, "instruction_addr": "0x104aa6290",
                ],
                [
                  "function": Self.removal, "package": Self.foundation, "in_app": false,
                  "instruction_addr": "0x180f98604",
                ],
              ]
            ],
          ]
        ]
      ],
    ])
    #expect(finding.crashFacts == Self.facts)
    #expect(finding.stacks.first?.frames.first?.symbol == Self.removal)
    #expect(Self.own(finding)?.line == 88)
  }

  @Test("a Sentry event of a bad access has its stack with the crashed thread")
  func sentryBadAccess() throws {
    let export: [String: Any] = [
      "event_id": "1", "platform": "cocoa",
      "exception": [
        "values": [
          [
            "type": "EXC_BAD_ACCESS", "value": "Exception 1, Code 1, Subcode 16",
            "mechanism": ["type": "mach", "handled": false],
          ]
        ]
      ],
      "threads": [
        "values": [
          [
            "id": 0, "crashed": true, "current": true,
            "stacktrace": [
              "frames": [
                ["function": "-[Meter setLevel:]", "package": Self.images, "lineno": 16],
                ["function": "NSKeyValueNotifyObserver", "package": Self.foundation],
                ["function": "objc_msgSend", "package": "/usr/lib/libobjc.A.dylib"],
              ]
            ],
          ],
          [
            "id": 1, "crashed": false,
            "stacktrace": [
              "frames": [
                ["function": "start_wqthread", "package": "/usr/lib/libsystem_pthread.dylib"],
                ["function": "__workq_kernreturn", "package": "/usr/lib/libsystem_kernel.dylib"],
              ]
            ],
          ],
        ]
      ],
    ]
    let found = Reading.findings(Container.json(export))
    #expect(found.map(Reading.summary) == ["KVO008 ?.? < ?"])
    #expect(Self.own(try #require(found.first))?.symbol == "-[Meter setLevel:]")
  }

  /// The page of an issue gives the same as entries, with names of its own.
  @Test("an event from Sentry's web interface is read by its entries")
  func sentryEntries() throws {
    let finding = try Self.finding([
      "eventID": "1", "dateCreated": "2024-03-05T10:11:12Z", "platform": "cocoa",
      "contexts": [
        "os": ["name": "iOS", "version": "16.2"],
        "app": ["app_name": "Gauges", "app_version": "1.9"],
      ],
      "entries": [
        [
          "type": "exception",
          "data": [
            "values": [
              [
                "type": "NSRangeException", "value": Self.fault.sentence,
                "stacktrace": [
                  "frames": [
                    [
                      "function": "-[GaugeView dealloc]", "package": Self.images, "lineNo": 88,
                      "instructionAddr": "0x104aa6290", "absPath": "/b/GaugeView.m",
                    ],
                    [
                      "function": Self.removal, "package": Self.foundation,
                      "instructionAddr": "0x180f98604",
                    ],
                  ]
                ],
              ]
            ]
          ],
        ]
      ],
    ])
    #expect(finding.crashFacts == Self.facts)
    #expect(finding.stacks.first?.frames.map(\.address) == [0x1_80f9_8604, 0x1_04aa_6290])
    #expect(Self.own(finding)?.line == 88)
  }

  @Test("a list of events is a report for each")
  func list() throws {
    func event(_ subject: String, _ system: String) -> [String: Any] {
      let fault = ReportedFault("", .removal, subject, ["level"], "GaugeView")
      return [
        "exception": ["values": [["type": "NSRangeException", "value": fault.sentence]]],
        "contexts": ["os": ["name": "iOS", "version": system]],
      ]
    }
    let data = try JSONSerialization.data(
      withJSONObject: [event("Meter", "16.2"), event("Pump", "10.3")]
    )
    let imported = Reading.imported(Array(data))
    #expect(imported.reportCount == 2)
    #expect(
      imported.findings.map(Reading.summary) == [
        "KVO002 Meter.level < GaugeView", "KVO002 Pump.level < GaugeView",
      ]
    )
    #expect(imported.findings.map(\.profile) == [.appleModern, .appleLegacy])
  }
}
