import Testing

@testable import KVORules

@Suite("The frames of a stack")
struct FoldedFramesTests {
  private func runs(_ names: String) -> [[Int]] {
    let frames = names.map { Finding.StackFrame(symbol: String($0), file: "A.swift", line: 1) }
    return FoldedFrames(frames).runs.map { [$0.start, $0.count, $0.repeatCount] }
  }

  @Test("are folded where three or more repeat, also in turns, and are all there otherwise")
  func runs() {
    #expect(runs("") == [])
    #expect(runs("abc") == [[0, 3, 1]])
    #expect(runs("aab") == [[0, 3, 1]])
    #expect(runs("baaac") == [[0, 1, 1], [1, 1, 3], [4, 1, 1]])
    #expect(runs("xabababa") == [[0, 1, 1], [1, 2, 3], [7, 1, 1]])
    #expect(runs("abcabcabcd") == [[0, 3, 3], [9, 1, 1]])
  }

  @Test("of a recursion are a few lines of a report, which keep their numbers")
  func text() {
    let deep = Array(repeating: "Tree.walk() (Tree.swift:9)", count: 60)
    let log = SampleLog {
      $0.remove(stack: ["close() (A.swift:1)"] + deep + ["main (main.swift:3)"])
    }
    let lines = log.report().split(separator: "\n").map(String.init)
    #expect(
      lines[2...5] == [
        "  > #0 close()       A.swift:1", "    #1 Tree.walk()   Tree.swift:9",
        "    … this frame 60 times", "    #61 main         main.swift:3",
      ]
    )
  }

  @Test(
    "of the runtime and of a test framework are no one's own, however they are linked and named"
  )
  func runtime() {
    for symbol in [
      "swift::runJobInEstablishedExecutorContext(swift::Job*)", "$s7Testing6RunnerC3runyyYaF",
      "_$s7Testing6RunnerC3runyyYaF",
    ] {
      let log = SampleLog { $0.remove(stack: [symbol, "close() (A.swift:1)"]) }
      let builder = FindingBuilder(names: log.names, profile: .swift)
      let own = log.verdicts().first.map(builder.finding)?.stacks.first?.frames.first(
        where: \.isFirstOwn
      )
      #expect(own?.symbol == "close()")
    }
    let log = SampleLog { $0.remove(stack: ["$s4Bank6ScreenC4showyyF", "close() (A.swift:1)"]) }
    let frames = FindingBuilder(names: log.names, profile: .swift)
      .finding(for: log.verdicts()[0]).stacks[0].frames
    #expect(frames.count == 2)
  }
}
