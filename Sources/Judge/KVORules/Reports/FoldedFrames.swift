/// The frames of a stack in runs: recursion repeats some of them, which readers only need to count.
struct FoldedFrames: Equatable {
  /// Some frames in a row.
  struct Run: Equatable {
    /// The index of its first frame in the stack.
    var start: Int
    /// How many frames are shown.
    var count: Int
    /// How often they occur, one after the other.
    var repeatCount: Int
  }

  /// The runs, innermost first; together they are the whole stack.
  let runs: [Run]

  /// The longest chain of calls that is known to repeat.
  private static let longest = 8
  /// How often frames must repeat to be folded.
  private static let fewest = 3

  /// Complexity: O(frames).
  init(_ frames: [Finding.StackFrame]) {
    let names = frames.map { "\($0.shownFunction) \(FindingText.location(of: $0))" }
    var runs: [Run] = []
    var index = 0
    while index < names.count {
      let (count, repeatCount) = Self.repetition(at: index, names)
      if repeatCount == 1, let last = runs.last, last.repeatCount == 1 {
        runs[runs.count - 1].count += 1
      } else {
        runs.append(Run(start: index, count: count, repeatCount: repeatCount))
      }
      index += count * repeatCount
    }
    self.runs = runs
  }

  /// How many names, from `start` on, repeat, and how often: (1, 1) if none do.
  private static func repetition(at start: Int, _ names: [String]) -> (Int, Int) {
    for count in 1...longest {
      var end = start + count
      while end < names.count, names[end] == names[end - count] { end += 1 }
      let repeatCount = (end - start) / count
      if repeatCount >= fewest { return (count, repeatCount) }
    }
    return (1, 1)
  }
}
