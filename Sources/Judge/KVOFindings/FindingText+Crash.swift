package import KVORules

extension FindingText {
  /// The lines of `crash`, each ended by a line feed.
  ///
  /// Complexity: O(frames).
  package func render(_ crash: RecordedCrash) -> String {
    var parts = crash.phrases.map(ShownText.escaped)
    if let count = crash.liveCount {
      parts.append("with \(count) \(count == 1 ? "observation" : "observations") live")
    }
    let lines = lines(of: crash.stack.shown)
    return (["\(painted("CRASHED:", "1;31")) \(parts.joined(separator: ", "))"] + lines)
      .joined(separator: "\n") + "\n"
  }
}
