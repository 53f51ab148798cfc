import Foundation
import KVOAudit
import KVOLogTools
import TestSupport
import Testing

@Suite("The census") struct CensusTests {
  private func text(_ log: String, saysImages: Bool = false) throws -> String {
    let folder = try ScratchFolder()
    let path = try folder.file("a.jsonl", log)
    return try Census(of: .file(path: path), saysImages: saysImages).text
      .replacing(folder.url.path + "/", with: "")
  }

  private func register(_ number: Int, subject: String, rest: String) -> String {
    """
    {"event":"register","subject":{"class":"\(subject)","id":"\(number)"},"registration":\(number),\(rest)}

    """
  }

  @Test("counts live registrations by class, key path, observer and call site, frequent ones first")
  func rows() throws {
    let screen = #""observer":{"class":"Screen","id":"900"}"#
    var log = ""
    for number in 1...3 {
      log += register(
        number,
        subject: "Account",
        rest: #""keyPath":"balance",\#(screen),"site":"Screen.swift:12""#
      )
    }
    log += register(4, subject: "Account", rest: #""keyPath":"owner.name",\#(screen)"#)
    log += register(
      5,
      subject: "Person",
      rest: #""keyPath":"name","form":"token","stack":["Feed.start() (/src/Feed.swift:7)"]"#
    )
    log += #"{"event":"cancel","registration":2,"by":"user"}"# + "\n"
    #expect(
      try text(log) == """
        CENSUS: 4 observations live at the end of a.jsonl (no end is recorded: the process was killed, or runs on)
          count  observed  key path    observer   registered at
              2  Account   balance     Screen     Screen.swift:12
              1  Account   owner.name  Screen     (not recorded)
              1  Person    name        (closure)  Feed.swift:7

        """
    )
  }

  @Test("lists the registering image on request, and distinguishes rows by it")
  func images() throws {
    let frame = { (image: String) in
      #""keyPath":"balance","stack":[{"symbol":"-[NSObject addObserver:]","module":"/usr/lib/libgnustep-base.so"},"#
        + #"{"symbol":"-[Panel watch:]","module":"/plugins/\#(image)","file":"Panel.m","line":4}]"#
    }
    let log =
      register(1, subject: "Account", rest: frame("Fast"))
      + register(2, subject: "Account", rest: frame("Slow"))
      + register(3, subject: "Account", rest: #""keyPath":"balance","site":"Screen.swift:12""#)
    #expect(
      try text(log, saysImages: true) == """
        CENSUS: 3 observations live at the end of a.jsonl (no end is recorded: the process was killed, or runs on)
          count  observed  key path  observer   registered at    image
              1  Account   balance   (closure)  Panel.m:4        /plugins/Fast
              1  Account   balance   (closure)  Panel.m:4        /plugins/Slow
              1  Account   balance   (closure)  Screen.swift:12  (not known)

        """
    )
    #expect(try text(log).contains("\n      2  Account   balance   (closure)  Panel.m:4\n"))
  }

  @Test("of nothing is one line")
  func nothing() throws {
    #expect(
      try text(LogText.doubleRemove(process: 1) + LogText.exit)
        == "CENSUS: 0 observations live at the end of a.jsonl (the process ended)\n"
    )
  }

  private func parkedText(_ log: String) throws -> String {
    let folder = try ScratchFolder()
    let path = try folder.file("a.jsonl", log)
    return try ParkedCensus(of: .file(path: path)).text.replacing(folder.url.path + "/", with: "")
  }

  /// Three loops of one line, of which one was left, and a continuation that was dropped.
  private static let consumers = """
    {"event":"consumerBegin","t":1000,"consumer":1,"awaited":"Account.balance","site":"Screen.swift:12 show()","task":"b","priority":21}
    {"event":"consumerBegin","t":1000,"consumer":2,"awaited":"Account.balance","site":"Screen.swift:12 show()","task":"a","priority":25}
    {"event":"consumerBegin","t":1000,"consumer":3,"awaited":"Account.balance","site":"Screen.swift:12 show()"}
    {"event":"consumerEnd","t":2000,"consumer":3,"why":"left"}
    {"event":"parked","t":4000,"consumer":4,"waitsIn":"continuation","awaited":"reply","site":"Client.swift:30","since":1000000500,"orphaned":true}

    """

  @Test("of consumers counts those that have not ended, and says which are known to wait")
  func parked() throws {
    let log =
      Self.consumers + """
        {"event":"parked","t":90000000000,"consumer":1,"awaited":"Account.balance","site":"Screen.swift:12 show()","task":"b","priority":21,"since":1000000000}
        {"event":"parked","t":90000000000,"consumer":3,"awaited":"Account.balance","site":"Screen.swift:12 show()","since":1000000000}
        {"event":"exit","t":90100000000,"status":0}

        """
    // The state of 3 was written as it ended. The clock of `since` is that of `t`.
    #expect(
      try parkedText(log) == """
        CENSUS: 3 consumers have not ended at the end of a.jsonl (the process ended), 2 wait
          count  waiting  longest  orphaned  awaited          made at          priority  tasks
              2        1   89.1 s         0  Account.balance  Screen.swift:12  high      a, b
              1        1   89.0 s         1  reply            Client.swift:30  -

        """
    )
  }

  @Test("of consumers does not say of a killed process that they wait")
  func parkedOfKilled() throws {
    #expect(
      try parkedText(Self.consumers.split(separator: "\n").prefix(2).joined(separator: "\n") + "\n")
        == """
        CENSUS: 2 consumers have not ended at the end of a.jsonl (no end is recorded: the process was killed, or runs on), 0 wait
          count  waiting  longest  orphaned  awaited          made at          priority  tasks
              2        0        -         0  Account.balance  Screen.swift:12  high      a, b

        """
    )
    #expect(
      try parkedText(LogText.exit)
        == "CENSUS: 0 consumers have not ended at the end of a.jsonl (the process ended)\n"
    )
  }
}
