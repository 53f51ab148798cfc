import Foundation
import TestSupport
import Testing

@Suite("kvo-audit stats") struct StatsCommandTests {
  private static let log = """
    {"event":"willChange","t":1000000000,"thread":1,"subject":{"class":"Account","id":"12"},"key":"balance","change":1}
    {"event":"didChange","t":1001000000,"thread":1,"subject":{"class":"Account","id":"12"},"key":"balance","change":1}
    {"event":"willChange","t":1003000000,"thread":2,"subject":{"class":"Account","id":"12"},"key":"balance","change":2,"stack":["0x10","0x20"]}
    {"event":"dropped","count":3}

    """

  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    _ = try folder.file("a.jsonl", Self.log)
  }

  @Test("counts events by kind, names, stacks, time and losses")
  func text() throws {
    let run = try CommandRun(["stats", "a.jsonl"], in: folder.url)
    #expect(run.complaint == "")
    #expect(
      run.output == """
        a.jsonl: 4 events in \(Self.log.utf8.count) bytes, 100.2 an event
          willChange             2      13.0 bytes each as a binary record
          didChange              1       9.0 bytes each as a binary record
          dropped                1       6.0 bytes each as a binary record
          threads: 2
          strings: 2
          distinct stacks: 1, 2.0 frames on average, 2 at most
          events a second, over time:
               0.000 s         1,000  ########################################
               0.001 s         1,000  ########################################
               0.002 s             0
               0.003 s         1,000  ########################################
          3 events dropped

        """
    )
    #expect(run.status == 0)
  }

  @Test("has the same figures for the binary form, and as JSON")
  func json() throws {
    let run = try CommandRun(
      shell: """
        $audit convert a.jsonl -o a.kvolog
        $audit stats --format json a.kvolog none.kvolog
        echo $?
        """,
      in: folder.url
    )
    #expect(run.complaint == "kvo-audit: none.kvolog: no such file\n")
    #expect(
      run.output == """
        {
          "schema": 1,
          "inputs": [
            {
              "path": "a.kvolog",
              "kind": "kvolog",
              "events": 4,
              "bytes": 12288,
              "byKind": [
                {
                  "event": "willChange",
                  "count": 2,
                  "bytes": 26
                },
                {
                  "event": "didChange",
                  "count": 1,
                  "bytes": 9
                },
                {
                  "event": "dropped",
                  "count": 1,
                  "bytes": 6
                }
              ],
              "threads": 2,
              "strings": 2,
              "stacks": 1,
              "frames": 2,
              "deepestStack": 2,
              "timeline": {
                "start": 1000000000,
                "span": 1000000,
                "counts": [1, 1, 0, 1]
              },
              "dropped": 3,
              "damagedCount": 0,
              "lostBytes": 0,
              "lostSegments": 0
            }
          ]
        }
        65

        """
    )
  }
}
