import KVOAudit
import KVOReplay
import KVOReports
import KVORules
import TestSupport
import Testing

@Suite("The growth of registrations") struct GrowthTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// A scope that is run `runCount` times: the first place leaves a registration each time, the second
  /// one in all, the third none.
  private func log(runCount: Int) -> String {
    var text = ""
    var id = 0
    func register(_ place: String, run: Int, key: String) -> Int {
      id += 1
      text += """
        {"event":"register","scope":\(run),"subject":{"class":"Account","id":"a\(id)"},\
        "observer":{"class":"Screen","id":"s\(id)"},"keyPath":"\(key)","registration":\(id),\
        "site":"\(place)"}

        """
      return id
    }
    for run in 1...runCount {
      text += #"{"event":"scopeBegin","id":\#(run),"name":"open","repetition":\#(run - 1)}"# + "\n"
      _ = register("Screen.swift:12", run: run, key: "balance")
      if run == 2 { _ = register("Once.swift:3", run: run, key: "owner") }
      let ended = register("Good.swift:5", run: run, key: "name")
      text += #"{"event":"cancel","registration":\#(ended),"by":"user"}"# + "\n"
      text += #"{"event":"scopeEnd","id":\#(run)}"# + "\n"
    }
    return text + LogText.exit
  }

  private func report(_ logs: [String]) throws -> AuditReport {
    let inputs = try logs.enumerated().map {
      AuditInput.file(path: try folder.file("\($0).jsonl", $1))
    }
    return Audit(options: AuditOptions(gathersCallSites: true)).report(on: inputs)
  }

  private func text(_ report: AuditReport) -> String {
    String(decoding: report.growthText, as: UTF8.self).replacing(folder.path + "/", with: "")
  }

  @Test("is a table of call sites, and one of the observations that each run left")
  func tables() throws {
    #expect(
      try text(report([log(runCount: 4)])) == """
        CALL SITES: 9 registrations from 3 call sites, 5 live at the end
          made  live  observed  key path  observer  registered at
             4     4  Account   balance   Screen    Screen.swift:12
             4     0  Account   name      Screen    Good.swift:5
             1     1  Account   owner     Screen    Once.swift:3

        GROWTH: what 4 runs of "open" left live
          run 1  run 2  run 3  run 4         observed  key path  observer  registered at
              0      1      1      1         Account   owner     Screen    Once.swift:3
              1      2      3      4  grows  Account   balance   Screen    Screen.swift:12

        """
    )
  }

  @Test("has one row for stacks that differ in a frame which no row shows")
  func innerFrames() throws {
    let stacks = ["one", "two"].map {
      #"[{"symbol":"kvos_\#($0)","module":"/app/App"},"Screen.show() (Screen.swift:12)","#
        + #"{"symbol":"way_\#($0)","module":"/app/App"}]"#
    }
    var text = ""
    for id in 1...4 {
      text += #"{"event":"scopeBegin","id":\#(id),"name":"open"}"# + "\n"
      for (place, stack) in stacks.enumerated() {
        let registration = id * 10 + place
        text += """
          {"event":"register","scope":\(id),"subject":{"class":"Account","id":"1"},\
          "observer":{"class":"Screen","id":"s\(registration)"},"keyPath":"balance",\
          "registration":\(registration),"stack":\(stack)}

          """
      }
      text += #"{"event":"scopeEnd","id":\#(id)}"# + "\n"
    }
    #expect(
      try self.text(report([text + LogText.exit])) == """
        CALL SITES: 8 registrations from 1 call site, 8 live at the end
          made  live  observed  key path  observer  registered at
             8     8  Account   balance   Screen    Screen.swift:12

        GROWTH: what 4 runs of "open" left live
          run 1  run 2  run 3  run 4         observed  key path  observer  registered at
              2      4      6      8  grows  Account   balance   Screen    Screen.swift:12

        """
    )
  }

  @Test("adds up over logs, of which each keeps its own runs")
  func logs() throws {
    let text = try text(report([log(runCount: 3), LogText.exit, log(runCount: 2)]))
    #expect(text.hasPrefix("CALL SITES: 12 registrations from 3 call sites, 7 live at the end\n"))
    #expect(text.contains("\nGROWTH: what 3 runs of \"open\" left live in 0.jsonl\n"))
    #expect(text.contains("\nGROWTH: what 2 runs of \"open\" left live in 2.jsonl\n"))
  }

  @Test("of many runs is thinned out, with the first and the last run")
  func many() throws {
    let report = try report([log(runCount: 1_000)])
    let row = try #require(report.growth.first { $0.site.keyPath == "balance" })
    #expect(row.runCount == 1_000 && row.isGrowing)
    #expect(row.points.count <= RunSeries.limit + 1)
    #expect(row.points.first == RunSeries.Point(run: 1, count: 1))
    #expect(row.points.last == RunSeries.Point(run: 1_000, count: 1_000))
    let heading = try #require(text(report).split(separator: "\n").first { $0.contains("run 1 ") })
    #expect(heading.matches(of: /run [0-9,]+/).count == 10)
    #expect(heading.contains("run 1,000"))
  }

  @Test("is JSON, too")
  func json() throws {
    let report = try report([log(runCount: 1).replacing("Screen.swift:12", with: #"a\"b"#)])
    #expect(
      String(decoding: report.growthJSON, as: UTF8.self).replacing(folder.path + "/", with: "")
        .contains(
          #"""
            "growth": [
              {
                "input": 0,
                "scope": "open",
                "runs": 1,
                "grows": false,
                "points": [
                  {
                    "run": 1,
                    "live": 1
                  }
                ],
                "class": "Account",
                "keyPath": "balance",
                "observer": "Screen",
                "place": "a\"b",
                "stack": {
                  "role": "registered",
                  "thread": null,
                  "frames": [],
                  "threadName": null,
                  "event": null,
                  "site": "a\"b",
                  "function": null
                }
              }
            ],
            "unreadable": []
          }
          """#
        )
    )
  }

  @Test("is not collected unless it is requested")
  func unasked() throws {
    let report = Audit().report(on: [.file(path: try folder.file("a.jsonl", log(runCount: 3)))])
    #expect(report.callSites == nil && report.growth.isEmpty)
    #expect(
      text(AuditReport()) == "CALL SITES: 0 registrations from 0 call sites, 0 live at the end\n"
    )
  }
}
