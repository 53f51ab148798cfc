import Foundation
import KVOAudit
import KVOExport
import TestSupport
import Testing

@Suite("A trace for Perfetto") struct TimelineExportTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func trace(_ log: String) throws -> String {
    let path = try folder.file("a.jsonl", log)
    var bytes: [UInt8] = []
    try TimelineExport(of: .file(path: path)).run {
      bytes += $0
      return true
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let log = """
    {"event":"process","schema":1,"pid":7,"executable":"/bin/app"}
    {"event":"threadName","t":1000,"thread":1,"name":"main"}
    {"event":"register","t":2000,"thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"},"keyPath":"balance","registration":5,"site":"Screen.swift:12"}
    {"event":"willChange","t":3001,"thread":2,"subject":{"class":"Account","id":"12"},"key":"balance","change":9}
    {"event":"notify","t":3500,"thread":2,"registration":5,"change":9,"phase":"prior"}
    {"event":"notifyEnd","t":3700,"thread":2,"registration":5,"change":9,"phase":"prior"}
    {"event":"didChange","t":4000,"thread":2,"subject":{"class":"Account","id":"12"},"key":"balance","change":9}
    {"event":"notify","t":4100,"thread":"worker","registration":5,"change":9,"phase":"after"}
    {"event":"notifyEnd","t":4250,"thread":"worker","registration":5,"change":9,"phase":"after"}
    {"event":"remove","t":5000,"thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"},"keyPath":"balance","registration":5}
    {"event":"register","t":6000,"thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"},"keyPath":"owner"}
    {"event":"deinit","t":7000,"thread":1,"object":{"class":"Screen","id":"3"}}

    """

  @Test("has slices for observations, changes and callbacks, and arrows between them")
  func whole() throws {
    #expect(
      try trace(Self.log) == """
        {"displayTimeUnit":"ns","traceEvents":[
        {"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"app"}},
        {"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"name":"main"}},
        {"ph":"b","name":"Account#12.balance ← Screen#3","cat":"observation","ts":2,"pid":7,"tid":1,"id":"7-5","args":{"site":"Screen.swift:12"}},
        {"ph":"s","name":"delivery","cat":"delivery","ts":3.001,"pid":7,"tid":2,"id":"7-1"},
        {"ph":"f","name":"delivery","cat":"delivery","ts":3.500,"pid":7,"tid":2,"id":"7-1","bp":"e"},
        {"ph":"X","name":"Account#12.balance ← Screen#3","cat":"notification","ts":3.500,"dur":0.200,"pid":7,"tid":2,"args":{"phase":"prior"}},
        {"ph":"X","name":"Account#12.balance","cat":"change","ts":3.001,"dur":0.999,"pid":7,"tid":2},
        {"ph":"M","name":"thread_name","pid":7,"tid":2147483645,"args":{"name":"worker"}},
        {"ph":"s","name":"delivery","cat":"delivery","ts":3.001,"pid":7,"tid":2,"id":"7-2"},
        {"ph":"f","name":"delivery","cat":"delivery","ts":4.100,"pid":7,"tid":2147483645,"id":"7-2","bp":"e"},
        {"ph":"X","name":"Account#12.balance ← Screen#3","cat":"notification","ts":4.100,"dur":0.150,"pid":7,"tid":2147483645,"args":{"phase":"after"}},
        {"ph":"e","name":"Account#12.balance ← Screen#3","cat":"observation","ts":5,"pid":7,"tid":1,"id":"7-5","args":{"ended by":"remove"}},
        {"ph":"b","name":"Account#12.owner ← Screen#3","cat":"observation","ts":6,"pid":7,"tid":1,"id":"7-unnumbered-1"},
        {"ph":"i","name":"deinit Screen#3","cat":"lifetime","ts":7,"pid":7,"tid":1,"s":"t"},
        {"ph":"e","name":"Account#12.owner ← Screen#3","cat":"observation","ts":7,"pid":7,"tid":1,"id":"7-unnumbered-1","args":{"ended by":"live at the end"}}
        ]}

        """
    )
  }

  @Test("an observation ends with its token or its object, and not with its observer")
  func deallocations() throws {
    let text = try trace(
      """
      {"event":"register","t":1000,"subject":{"class":"Account","id":"1"},"token":{"class":"Token","id":"2"},"keyPath":"balance","registration":1}
      {"event":"register","t":2000,"subject":{"class":"Account","id":"1"},"observer":{"class":"Screen","id":"3"},"keyPath":"owner","registration":2}
      {"event":"deinitEnd","t":3000,"object":{"class":"Screen","id":"3"}}
      {"event":"deinit","t":4000,"object":{"class":"Token","id":"2"}}
      {"event":"deinitEnd","t":5000,"object":{"class":"Token","id":"2"}}
      {"event":"deinitEnd","t":6000,"object":{"class":"Account","id":"1"}}
      {"event":"exit","t":7000,"status":0}

      """
    )
    let ends = text.split(separator: "\n").filter { $0.contains("\"ph\":\"e\"") }
    #expect(
      ends == [
        #"{"ph":"e","name":"Account#1.balance","cat":"observation","ts":5,"pid":1,"tid":0,"id":"1-1","args":{"ended by":"deinit"}},"#,
        #"{"ph":"e","name":"Account#1.owner ← Screen#3","cat":"observation","ts":6,"pid":1,"tid":0,"id":"1-2","args":{"ended by":"deinit"}}"#,
      ]
    )
    // Each deallocation is one instant: at its beginning, or at its end if only that is in the log.
    let instants = text.split(separator: "\n").filter { $0.contains("\"ph\":\"i\"") }
    #expect(
      instants == [
        #"{"ph":"i","name":"deinit Screen#3","cat":"lifetime","ts":3,"pid":1,"tid":0,"s":"t"},"#,
        #"{"ph":"i","name":"deinit Token#2","cat":"lifetime","ts":4,"pid":1,"tid":0,"s":"t"},"#,
        #"{"ph":"i","name":"deinit Account#1","cat":"lifetime","ts":6,"pid":1,"tid":0,"s":"t"},"#,
      ]
    )
  }

  @Test("has the callback and the change in which the process crashed")
  func open() throws {
    let subject = #""subject":{"class":"Account","id":"1"}"#
    let ends = """
      {"event":"willChange","t":1000,"thread":1,\(subject),"key":"name","change":1}
      {"event":"notify","t":1100,"thread":1,"registration":1,"change":1,"phase":"after"}
      {"event":"notifyEnd","t":1200,"thread":1,"registration":1,"change":1,"phase":"after"}
      {"event":"didChange","t":1300,"thread":1,\(subject),"key":"name","change":1}

      """
    let crash = """
      {"event":"willChange","t":2000,"thread":1,\(subject),"key":"balance","change":2}
      {"event":"notify","t":2500,"thread":1,"registration":1,"change":2,"phase":"prior"}
      {"event":"crash","t":3000,"thread":1,"signal":"SIGSEGV"}

      """
    let open = try trace(ends + crash).split(separator: "\n").filter { $0.contains("at the end") }
    #expect(
      open == [
        #"{"ph":"X","name":"Account#1.balance","cat":"change","ts":2,"dur":1,"pid":1,"tid":1,"args":{"ended by":"open at the end"}},"#,
        #"{"ph":"X","name":"ended observation","cat":"notification","ts":2.500,"dur":0.500,"pid":1,"tid":1,"args":{"phase":"prior","ended by":"open at the end"}}"#,
      ]
    )
    // The twin: in a log without any end, nothing is known to be open.
    #expect(try !trace(crash).contains("at the end"))
  }

  @Test("satisfies the format for each kind of event, whatever the log omits or repeats")
  func fields() throws {
    let lines = Self.log.split(separator: "\n")
    for left in 0...lines.count {
      var some = lines
      if left < lines.count { some.remove(at: left) }
      let text = try trace(
        some.joined(separator: "\n") + "\n" + some.joined(separator: "\n") + "\n"
      )
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
      let events = try #require((object as? [String: Any])?["traceEvents"] as? [[String: Any]])
      var open: [String: Int] = [:]
      var flows: [String: Int] = [:]
      for event in events {
        let phase = try #require(event["ph"] as? String)
        #expect(event["name"] is String && event["pid"] is Int && event["tid"] is Int)
        #expect((event["ts"] is NSNumber) == (phase != "M"))
        #expect((event["dur"] is NSNumber) == (phase == "X"))
        #expect((event["id"] is String) == ["b", "e", "s", "f"].contains(phase))
        #expect((event["cat"] is String) == (phase != "M"))
        let id = event["id"] as? String ?? ""
        if phase == "b" { open[id, default: 0] += 1 }
        if phase == "e" { open[id, default: 0] -= 1 }
        if phase == "s" || phase == "f" { flows[id, default: 0] += 1 }
      }
      #expect(open.values.allSatisfy { $0 == 0 })
      #expect(flows.values.allSatisfy { $0.isMultiple(of: 2) })
    }
  }

  @Test("of a log without times has a microsecond for each event")
  func timeless() throws {
    let text = try trace(Self.log.replacing(/"t":\d+,/, with: ""))
    #expect(text.contains(#""cat":"observation","ts":3,"#))
    #expect(text.contains(#""cat":"change","ts":4,"dur":3,"#))
  }

  @Test("of an input that is not a log is empty")
  func refused() {
    #expect(throws: InputFailure.self) {
      try TimelineExport(of: .file(path: folder.path("none"))).run { _ in true }
    }
  }
}
