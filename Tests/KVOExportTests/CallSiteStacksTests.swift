import Foundation
import KVOAudit
import KVOExport
import KVORules
import Testing

@Suite("Flame graphs of call sites") struct CallSiteStacksTests {
  private static func count(
    _ frames: [Finding.StackFrame],
    keyPath: String,
    made: Int,
    live: Int,
    site: String? = nil
  ) -> CallSiteCount {
    CallSiteCount(
      site: CallSite(
        subject: "Account",
        keyPath: keyPath,
        observer: "Screen",
        stack: Finding.Stack(role: .registered, event: 4, site: site, frames: frames)
      ),
      madeCount: made,
      liveCount: live
    )
  }

  private static let main = Finding.StackFrame(symbol: "main", file: "/a/main.swift", line: 9)
  private let stacks = CallSiteStacks([
    count(
      [Finding.StackFrame(symbol: "Screen.init(a;b:)", file: "/a/Screen.swift", line: 12), main],
      keyPath: "balance",
      made: 5,
      live: 2
    ),
    count([Finding.StackFrame(address: 0xff), main], keyPath: "owner", made: 3, live: 0),
    count([], keyPath: "x", made: 1, live: 1, site: "Other.swift:3"),
    count([], keyPath: "y", made: 1, live: 0),
  ])

  @Test("collapsed have a line for each stack, outermost frame first")
  func collapsed() {
    #expect(
      String(decoding: stacks.collapsed(.made), as: UTF8.self) == """
        (not recorded);Account.y 1
        Other.swift:3;Account.x 1
        main;0xff;Account.owner (0xff) 3
        main;Screen.init(a:b:);Account.balance (Screen.swift:12) 5

        """
    )
    #expect(
      String(decoding: stacks.collapsed(.live), as: UTF8.self) == """
        Other.swift:3;Account.x 1
        main;Screen.init(a:b:);Account.balance (Screen.swift:12) 2

        """
    )
    #expect(CallSiteStacks([]).collapsed(.made) == [])
  }

  @Test("for speedscope share their frames and have a profile for each count")
  func speedscope() {
    #expect(
      String(decoding: stacks.speedscope(name: "a.kvolog"), as: UTF8.self)
        .replacing(AuditVersion.current, with: "VERSION") == """
          {"$schema":"https://www.speedscope.app/file-format-schema.json","name":"a.kvolog",\
          "exporter":"kvo-audit VERSION","activeProfileIndex":0,"shared":{"frames":[
          {"name":"main","file":"/a/main.swift","line":9},
          {"name":"Screen.init(a;b:)","file":"/a/Screen.swift","line":12},
          {"name":"Account.balance (Screen.swift:12)"},
          {"name":"0xff"},
          {"name":"Account.owner (0xff)"},
          {"name":"Other.swift:3"},
          {"name":"Account.x"},
          {"name":"(not recorded)"},
          {"name":"Account.y"}
          ]},
          "profiles":[
          {"type":"sampled","name":"registrations made","unit":"none","startValue":0,"endValue":10,
          "samples":[[0,1,2],[0,3,4],[5,6],[7,8]],
          "weights":[5,3,1,1]},
          {"type":"sampled","name":"registrations live","unit":"none","startValue":0,"endValue":3,
          "samples":[[0,1,2],[5,6]],
          "weights":[2,1]}]}

          """
    )
  }

  @Test("for speedscope satisfy its schema of a sampled profile")
  func schema() throws {
    for stacks in [stacks, CallSiteStacks([])] {
      let data = Data(stacks.speedscope(name: "n\"\n"))
      let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      let shared = try #require(file["shared"] as? [String: Any])
      let frames = try #require(shared["frames"] as? [[String: Any]])
      #expect(frames.allSatisfy { $0["name"] is String })
      let profiles = try #require(file["profiles"] as? [[String: Any]])
      #expect(profiles.count == 2)
      for profile in profiles {
        #expect(profile["type"] as? String == "sampled" && profile["unit"] as? String == "none")
        let samples = try #require(profile["samples"] as? [[Int]])
        let weights = try #require(profile["weights"] as? [Int])
        #expect(samples.count == weights.count)
        #expect(samples.joined().allSatisfy(frames.indices.contains))
        #expect(profile["startValue"] as? Int == 0)
        #expect(profile["endValue"] as? Int == weights.reduce(0, +))
      }
    }
  }
}
