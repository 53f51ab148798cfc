import Foundation
import TestSupport
import Testing

@Suite("kvo-audit verify-fix") struct VerifyFixCommandTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// A process in which a screen observes an account, and what follows.
  private static func log(
    observer: String = "Screen",
    function: String = "Screen.show()",
    line: Int = 12,
    _ rest: String...
  ) -> String {
    let call =
      #""stack":[{"symbol":"\#(function)","module":"App","file":"Screen.swift","line":\#(line)}]"#
    return """
      {"event":"process","schema":1,"runtime":"swift","complete":true}
      {"event":"register","thread":1,"order":1,"subject":{"class":"Account","id":"1"},"observer":{"class":"\(observer)","id":"2"},"keyPath":"balance","context":null,"options":["new"],"registration":3,\(call)}

      """ + rest.map { $0 + "\n" }.joined()
  }

  private static let removal =
    #"{"event":"remove","thread":1,"order":2,"subject":{"class":"Account","id":"1"},"observer":{"class":"Screen","id":"2"},"keyPath":"balance","context":null,"registration":3}"#
  private static let death =
    #"{"event":"deinit","thread":1,"object":{"class":"Screen","id":"2"}}"# + "\n"
    + #"{"event":"deinitEnd","thread":1,"object":{"class":"Screen","id":"2"}}"#
  private static let end = #"{"event":"exit","status":0}"#

  /// The screen is deallocated while it observes.
  private static var faulty: String { log(death, end) }
  private static var correct: String { log(line: 40, removal, death, end) }

  private func verify(
    _ log: String,
    _ more: [String] = [],
    of faulty: String = Self.faulty
  ) throws -> CommandRun {
    _ = try folder.file("faulty.jsonl", faulty)
    _ = try folder.file("log.jsonl", log)
    let report = try CommandRun(["--format", "json", "faulty.jsonl"], in: folder.url).output
    let signature = try #require(report.firstMatch(of: #/"signature": "(2:[0-9a-f]{32})"/#)).1
    return try CommandRun(
      ["verify-fix", String(signature.prefix(12)), "log.jsonl"] + more,
      in: folder.url
    )
  }

  @Test("says that a finding is still there, and shows it")
  func present() throws {
    let run = try verify(Self.faulty)
    #expect(run.status == 1 && run.complaint == "")
    #expect(run.output.contains(" is still there:\n\nWARNING: KVOSafety: observer deallocated"))
  }

  @Test(
    "says that it is fixed if the same observation ended without it",
    arguments: [[], ["--before", "faulty.jsonl"]]
  )
  func fixed(before: [String]) throws {
    let run = try verify(Self.correct, before)
    #expect(run.status == 0 && run.complaint == "")
    #expect(
      run.output.hasSuffix(
        """
         is gone, and could have been seen:
          "balance" of Account was observed once at Screen.swift:40, and 1 of these observations ended

        """
      )
    )
    let json = try verify(Self.correct, before + ["--format", "json"])
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(object?["outcome"] as? String == "fixed" && object?["finding"] is NSNull)
  }

  @Test("says that it is fixed if the same function observes otherwise now")
  func rewritten() throws {
    let token = Self.correct.replacing(
      #"{"class":"Screen","id":"2"},"keyPath""#,
      with: #"null,"keyPath""#
    )
    #expect(try verify(token, ["--before", "faulty.jsonl"]).status == 0)
  }

  @Test("says what the same function observes now, and takes no file for a function")
  func otherKeyPath() throws {
    func observed(_ log: String) -> String { log.replacing("balance", with: "name") }
    let same = try verify(observed(Self.correct), ["--before", "faulty.jsonl"])
    #expect(same.status == 0, "\(same)")
    #expect(same.output.contains("  \"name\" of Account was observed once at Screen.swift:40, "))
    let function = #""symbol":"Screen.show()","module":"App","#
    let other = try verify(
      observed(Self.correct).replacing(function, with: ""),
      ["--before", "faulty.jsonl"],
      of: Self.faulty.replacing(function, with: "")
    )
    #expect(other.status == 2, "\(other)")
  }

  @Test("proves nothing by a log without the end that was a removal in the initial notification")
  func removedInInitial() throws {
    let began = #"{"event":"notify","thread":1,"registration":3,"phase":"initial"}"#
    let over = began.replacing("notify", with: "notifyEnd")
    let added = #"{"event":"registerEnd","thread":1,"registration":3}"#
    let faulty = Self.log(began, Self.removal, over, added, Self.end)
    let unremoved = try verify(
      Self.log(began, over, added, Self.end),
      ["--before", "faulty.jsonl"],
      of: faulty
    )
    #expect(unremoved.status == 2, "\(unremoved)")
    #expect(
      unremoved.output.contains("  the end did not come: \"balance\" of Account was observed")
    )
    let later = Self.log(began, over, added, Self.removal, Self.end)
    #expect(try verify(later, ["--before", "faulty.jsonl"], of: faulty).status == 0)
  }

  @Test(
    "proves nothing by a log in which the code did not run, or did not end, or which lacks parts"
  )
  func unproven() throws {
    func reason(_ log: String, _ more: String...) throws -> String {
      let run = try verify(log, more)
      #expect(run.status == 2 && run.complaint == "", "\(run)")
      let lines = run.output.components(separatedBy: "\n")
      #expect(lines[0].hasSuffix(" is not in the log, which does not prove that it is fixed:"))
      return lines.dropFirst().joined(separator: "\n")
    }
    let before = "--before"
    #expect(
      try reason(
        Self.log(observer: "Panel", function: "Panel.show()", Self.death, Self.end),
        before,
        "faulty.jsonl"
      )
      .contains("  the code did not run: \"balance\" of Account was not observed by Screen\n")
    )
    #expect(
      try reason(
        Self.log(
          Self.death.replacing("Screen", with: "Other").replacing(#""2""#, with: #""9""#),
          Self.end
        )
      )
      .contains(
        "  the end did not come: \"balance\" of Account was observed once, and all of these"
      )
    )
    // The log does not have all of the deallocation: the rule could not be judged.
    let half = Self.death.components(separatedBy: "\n")[0]
    #expect(
      try reason(Self.log(half, Self.end)).contains(
        "  KVO007 could not be judged: the log does not say that the deallocation at event 3 ended"
      )
    )
    #expect(
      try reason(Self.correct + #"{"event":"dropped","count":7,"why":"full"}"# + "\n").contains(
        "7 events"
      )
    )
    // Without the earlier report nothing in the log says what the signature is about.
    #expect(
      try reason(Self.log(observer: "Panel", function: "Panel.show()", Self.death, Self.end))
        .contains("(--before)")
    )
    #expect(
      try reason(Self.log(observer: "Panel", Self.end), before, "log.jsonl").contains(
        "has no such finding"
      )
    )
  }

  @Test("does not take observations for proof that a task went on")
  func task() throws {
    let parked =
      #""thread":1,"consumer":8,"waitsIn":"continuation","awaited":"reply","site":"Screen.swift:30""#
    _ = try folder.file(
      "faulty.jsonl",
      Self.log(
        #"{"event":"consumerBegin",\#(parked)}"#,
        #"{"event":"parked",\#(parked),"orphaned":true}"#,
        Self.removal,
        Self.end
      )
    )
    let report = try CommandRun(["--format", "json", "faulty.jsonl"], in: folder.url).output
    let signature = try #require(report.firstMatch(of: #/"signature": "(2:[0-9a-f]{32})"/#)).1
    // One log has observations, which have nothing to do with the task, and the other has none.
    let process = #"{"event":"process","schema":1,"runtime":"swift","complete":true}"#
    for log in [Self.correct, "\(process)\n\(Self.end)\n"] {
      _ = try folder.file("log.jsonl", log)
      let run = try CommandRun(
        ["verify-fix", String(signature), "log.jsonl", "--before", "faulty.jsonl"],
        in: folder.url
      )
      #expect(run.status == 2 && run.complaint == "")
      #expect(
        run.output == """
          \(signature.prefix(12)) is not in the log, which does not prove that it is fixed:
            whether the code ran is not known: KVO043 is about a task that waits, and only observations say so

          """
      )
    }
  }

  @Test("does not take an observation of another class for proof that keys were declared")
  func declared() throws {
    _ = try folder.file(
      "faulty.jsonl",
      Self.log(
        #"{"event":"declares","class":"Person","key":"name","affectedBy":["title"]}"#,
        #"{"event":"declares","class":"Person","key":"title","affectedBy":["name"]}"#,
        Self.removal,
        Self.end
      )
    )
    let report = try CommandRun(["--format", "json", "faulty.jsonl"], in: folder.url).output
    let signature = try #require(report.firstMatch(of: #/"signature": "(2:[0-9a-f]{32})"/#)).1
    _ = try folder.file("log.jsonl", Self.correct)
    let run = try CommandRun(
      ["verify-fix", String(signature), "log.jsonl", "--before", "faulty.jsonl"],
      in: folder.url
    )
    #expect(run.status == 2, "\(run)")
    #expect(run.output.contains("KVO028 is about the keys that a class declares"))
  }

  @Test("recognizes the signature that an audit with the options of the project prints")
  func configured() throws {
    let kit = #""stack":[{"symbol":"Kit.bind()","module":"Kit","file":"Kit.swift","line":4},"#
    let faulty = Self.faulty.replacing(#""stack":["#, with: kit)
    _ = try folder.file(".kvo-audit", "app-module = App\n")
    _ = try folder.file("faulty.jsonl", faulty)
    let report = try CommandRun(["--format", "json=old.json", "faulty.jsonl"], in: folder.url)
    #expect(report.status == 1)
    let old = try String(contentsOfFile: folder.path("old.json"), encoding: .utf8)
    let signature = try #require(old.firstMatch(of: #/"signature": "(2:[0-9a-f]{32})"/#)).1
    for more in [[], ["--before", "old.json"]] {
      let arguments = ["verify-fix", String(signature), "faulty.jsonl"] + more
      #expect(try CommandRun(arguments, in: folder.url).status == 1)
      // Without the options another function is at fault: nothing says that the finding is gone.
      let other = try CommandRun(arguments + ["--no-config"], in: folder.url)
      #expect(other.status == 2, "\(other)")
    }
  }

  @Test("proves nothing if the fault is in a function of another name now")
  func renamed() throws {
    let renamed = Self.log(function: "Screen.appear()", Self.death, Self.end)
    let run = try verify(renamed, ["--before", "faulty.jsonl"])
    #expect(run.status == 2, "\(run)")
    #expect(run.output.contains(" is not in the earlier report, and breaks the same rule"))
  }

  @Test("refuses what is not a signature, and logs that it cannot read")
  func refused() throws {
    let run = try CommandRun(["verify-fix", "KVO001", "log.jsonl"], in: folder.url)
    #expect(run.status == 64 && run.complaint.contains("\"KVO001\" is not a signature"))
    let missing = try CommandRun(["verify-fix", "2:6898ccf5d8", "none.jsonl"], in: folder.url)
    #expect(missing.status == 65 && missing.complaint.contains("none.jsonl"))
  }
}
