import KVORules

/// The functions and files of stacks that a page does not show, for its search.
enum StackWords {
  /// The most text for one finding, in Unicode scalars.
  static let limit = 600

  /// The different functions and files of `frames`, or nil if there are none.
  ///
  /// Complexity: O(frames), as far as the text has space.
  static func text(of frames: some Sequence<Finding.StackFrame>) -> String? {
    var known: Set<String> = []
    var text = ""
    var length = 0
    for frame in frames {
      let location = FindingText.location(of: frame)
      for word in [frame.symbol ?? "", location] where !word.isEmpty {
        guard known.insert(word).inserted else { continue }
        length += word.unicodeScalars.count + 3
        if length > limit { return text.isEmpty ? nil : text }
        text += (text.isEmpty ? "" : " · ") + word
      }
    }
    return text.isEmpty ? nil : text
  }
}
