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
}
