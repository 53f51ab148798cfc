import Foundation
import KVOAudit
import KVOReports
import KVORules
import TestSupport
import Testing

@Suite("A log on each runtime") struct ProfileMatrixTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Added twice and removed twice, which GNUstep 1.28 takes for one addition; and a removal of what was
  /// never added, which it takes without harm.
  private static let log = """
    {"event":"register","thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"},"keyPath":"balance","registration":5}
    {"event":"register","thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"},"keyPath":"balance","registration":6}
    {"event":"remove","thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"},"keyPath":"balance","registration":6}
    {"event":"remove","thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"},"keyPath":"balance","registration":5}
    {"event":"remove","thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"9"},"keyPath":"balance"}

    """

  private func matrix() throws -> ProfileMatrix {
    Audit().matrix(on: [.file(path: try folder.file("a.jsonl", Self.log))])
  }

  @Test("is a table of the consequences of each fault")
  func text() throws {
    #expect(
      String(decoding: try matrix().text, as: UTF8.self) == """
        PROFILES: what becomes of each fault on each runtime (-: not a fault there)
          rule        signature     swift      apple-modern  apple-legacy  gnustep-1.28  gnustep-modern
          KVO002      2:5e158e4537  contained  crash         crash         none          crash
            Screen#9 removed an observation of "balance" from Account#12 that was not registered, on thread 1
          KVO005      2:feccf57dd6  wrong      wrong         wrong         wrong         wrong
            Screen#3 observes "balance" of Account#12 twice under the same context, on thread 1
          errors                    1          1             1             0             1
          warnings                  1          1             1             2             1
          not judged                23         23            23            23            23
        Not judged is not clean; with one runtime, kvo-audit lists those rules, and why.

        """
    )
  }

  @Test("has the consequence of each fault on each runtime as JSON, and null if there is none")
  func json() throws {
    #expect(
      String(decoding: try matrix().json, as: UTF8.self)
        .replacing(folder.url.path + "/", with: "") == #"""
          {
            "schema": 1,
            "inputs": [
              {
                "path": "a.jsonl",
                "kind": "jsonl",
                "events": 5,
                "damaged": [],
                "damagedCount": 0,
                "ended": [
                  "open"
                ],
                "cutAt": null
              }
            ],
            "faults": [
              {
                "code": "KVO002",
                "slug": "remove-unregistered",
                "signature": "2:5e158e45375efc1230fbbe822bc94e46",
                "message": "Screen#9 removed an observation of \"balance\" from Account#12 that was not registered, on thread 1",
                "profiles": {
                  "swift": {
                    "severity": "error",
                    "consequence": "contained",
                    "count": 1
                  },
                  "apple-modern": {
                    "severity": "error",
                    "consequence": "crash",
                    "count": 1
                  },
                  "apple-legacy": {
                    "severity": "error",
                    "consequence": "crash",
                    "count": 1
                  },
                  "gnustep-1.28": {
                    "severity": "warning",
                    "consequence": "none",
                    "count": 1
                  },
                  "gnustep-modern": {
                    "severity": "error",
                    "consequence": "crash",
                    "count": 1
                  }
                }
              },
              {
                "code": "KVO005",
                "slug": "duplicate-registration",
                "signature": "2:feccf57dd611e287ca61e6b5cb6d8660",
                "message": "Screen#3 observes \"balance\" of Account#12 twice under the same context, on thread 1",
                "profiles": {
                  "swift": {
                    "severity": "warning",
                    "consequence": "wrong",
                    "count": 1
                  },
                  "apple-modern": {
                    "severity": "warning",
                    "consequence": "wrong",
                    "count": 1
                  },
                  "apple-legacy": {
                    "severity": "warning",
                    "consequence": "wrong",
                    "count": 1
                  },
                  "gnustep-1.28": {
                    "severity": "warning",
                    "consequence": "wrong",
                    "count": 1
                  },
                  "gnustep-modern": {
                    "severity": "warning",
                    "consequence": "wrong",
                    "count": 1
                  }
                }
              }
            ],
            "notJudged": {
              "swift": [
                "KVO008",
                "KVO009",
                "KVO010",
                "KVO011",
                "KVO012",
                "KVO013",
                "KVO014",
                "KVO015",
                "KVO016",
                "KVO017",
                "KVO018",
                "KVO019",
                "KVO021",
                "KVO022",
                "KVO023",
                "KVO024",
                "KVO025",
                "KVO026",
                "KVO027",
                "KVO028",
                "KVO030",
                "KVO032",
                "KVO039"
              ],
              "apple-modern": [
                "KVO008",
                "KVO009",
                "KVO010",
                "KVO011",
                "KVO012",
                "KVO013",
                "KVO014",
                "KVO015",
                "KVO016",
                "KVO017",
                "KVO018",
                "KVO019",
                "KVO021",
                "KVO022",
                "KVO023",
                "KVO024",
                "KVO025",
                "KVO026",
                "KVO027",
                "KVO028",
                "KVO030",
                "KVO032",
                "KVO039"
              ],
              "apple-legacy": [
                "KVO008",
                "KVO009",
                "KVO010",
                "KVO011",
                "KVO012",
                "KVO013",
                "KVO014",
                "KVO015",
                "KVO016",
                "KVO017",
                "KVO018",
                "KVO019",
                "KVO021",
                "KVO022",
                "KVO023",
                "KVO024",
                "KVO025",
                "KVO026",
                "KVO027",
                "KVO028",
                "KVO030",
                "KVO032",
                "KVO039"
              ],
              "gnustep-1.28": [
                "KVO008",
                "KVO009",
                "KVO010",
                "KVO011",
                "KVO012",
                "KVO013",
                "KVO014",
                "KVO015",
                "KVO016",
                "KVO017",
                "KVO018",
                "KVO019",
                "KVO021",
                "KVO022",
                "KVO023",
                "KVO024",
                "KVO025",
                "KVO026",
                "KVO027",
                "KVO028",
                "KVO030",
                "KVO032",
                "KVO039"
              ],
              "gnustep-modern": [
                "KVO008",
                "KVO009",
                "KVO010",
                "KVO011",
                "KVO012",
                "KVO013",
                "KVO014",
                "KVO015",
                "KVO016",
                "KVO017",
                "KVO018",
                "KVO019",
                "KVO021",
                "KVO022",
                "KVO023",
                "KVO024",
                "KVO025",
                "KVO026",
                "KVO027",
                "KVO028",
                "KVO030",
                "KVO032",
                "KVO039"
              ]
            },
            "unreadable": [],
            "crashes": [],
            "suppressions": []
          }

          """#
    )
  }

  @Test("fails from the severity on that any runtime gives a fault")
  func threshold() throws {
    let matrix = try matrix()
    #expect(matrix.hasFindings(atLeast: .error))
    let swift = Audit(options: AuditOptions(profile: .swift))
    let twice = try folder.file(
      "b.jsonl",
      Self.log.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
    )
    let onlyWarnings = Audit().matrix(on: [.file(path: twice)])
    #expect(!onlyWarnings.hasFindings(atLeast: .error))
    #expect(onlyWarnings.hasFindings(atLeast: .warning))
    #expect(swift.report(on: [.file(path: twice)]).findings.map(\.code) == [.duplicateRegistration])
    #expect(onlyWarnings.rows.map(\.code) == [.duplicateRegistration])
  }

  @Test("counts no fault that follows from another one on that runtime")
  func consequences() throws {
    let log = """
      {"event":"register","thread":1,"subject":{"class":"A","id":"1"},"observer":{"class":"S","id":"2"},"keyPath":"k","registration":5,"context":"0x10"}
      {"event":"remove","thread":1,"subject":{"class":"A","id":"1"},"observer":{"class":"S","id":"2"},"keyPath":"k","context":"0x20"}
      {"event":"deinitEnd","thread":1,"object":{"class":"S","id":"2"}}

      """
    let input = AuditInput.file(path: try folder.file("c.jsonl", log))
    let matrix = Audit().matrix(on: [input])
    #expect(matrix.rows.map(\.code) == [.removeWrongContext, .observerDeinitWhileRegistered])
    let lines = String(decoding: matrix.text, as: UTF8.self).split(separator: "\n")
    let errors = lines.first { $0.hasPrefix("  errors") }?.split(separator: " ").dropFirst()
    #expect(errors.map(Array.init) == ["1", "1", "1", "1", "1"])
    let report = Audit(options: AuditOptions(profile: .swift)).report(on: [input])
    #expect(report.findings.map(\.code) == [.removeWrongContext])
  }

  @Test("has the faults that a test expects, which do not count")
  func expected() throws {
    let log = """
      {"event":"scopeBegin","thread":1,"id":1,"name":"t"}
      {"event":"expects","thread":1,"rules":["KVO002"],"scope":1}
      {"event":"remove","thread":1,"subject":{"class":"A","id":"1"},"observer":{"class":"S","id":"2"},"keyPath":"k"}
      {"event":"scopeEnd","thread":1,"id":1}

      """
    let matrix = Audit().matrix(on: [.file(path: try folder.file("e.jsonl", log))])
    let text = String(decoding: matrix.text, as: UTF8.self)
    #expect(text.contains("(contained)  (crash)       (crash)       (none)        (crash)\n"))
    #expect(text.contains("errors                    0            0             0             0"))
    #expect(text.contains("In parentheses: a test expects it, or it is suppressed, and it does"))
    #expect(String(decoding: matrix.json, as: UTF8.self).contains("\"expected\": true"))
    #expect(!matrix.hasFindings(atLeast: .note))
  }

  @Test("is not clean if a process crashed and nothing was found in it")
  func crash() throws {
    let crash = #"{"event":"crash","signal":"SIGSEGV"}"# + "\n"
    let matrix = Audit().matrix(on: [.file(path: try folder.file("d.jsonl", crash))])
    #expect(matrix.hasFindings(atLeast: .error))
    let text = String(decoding: matrix.text, as: UTF8.self)
    #expect(text.contains("d.jsonl: a process crashed, and nothing was found in it. SIGSEGV\n"))
    let path = try folder.file("f.jsonl", Self.log + crash)
    let explained = Audit().matrix(on: [.file(path: path)])
    #expect(explained.crashes.isEmpty)
  }

  @Test("has the inputs that crash on every runtime, and takes linear time for them")
  func manyCrashes() throws {
    var report = AuditReport()
    for number in 0..<20_000 {
      var input = AuditReport.Input(path: "\(number).ips", kind: .ips, eventCount: 0)
      input.isCrash = number > 0
      report.inputs.append(input)
    }
    var other = report
    other.inputs[2].reportCount = 1
    let matrix = ProfileMatrix(Profile.allCases.map { ($0, $0 == .swift ? report : other) })
    #expect(matrix.crashedInputs == [1] + Array(3..<20_000))
    let text = String(decoding: matrix.text, as: UTF8.self)
    #expect(text.contains("19999.ips: a process crashed, and nothing was found in it\n"))
  }
}
