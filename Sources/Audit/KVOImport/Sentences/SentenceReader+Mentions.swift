/// Words about a sentence of a runtime: what will be raised, and what is no longer.
extension SentenceReader {
  private static let forecasts: [StaticString] = [
    "willthrow", "wouldthrow", "willraise", "wouldraise", "willcrash", "wouldcrash", "mightthrow",
    "mightraise", "maythrow", "mayraise", "withthischange", "nolongercrash", "nolongercrashes",
    "nolongerthrow", "nolongerthrows", "nolongerraise", "nolongerraises", "doesnotcontain",
    "doesntcontain", "shouldnotcontain", "mustnotcontain",
  ]

  /// Words for what a reader will meet: someone who met it adds the objects.
  private static let promises: [StaticString] = [
    "youwillget", "youllget", "youwouldget", "youdget", "youmayget", "youmightget", "youcouldget",
    "youwillsee", "youllsee", "youwouldsee", "youdsee", "youmaysee", "youmightsee", "youcouldsee",
  ]

  /// Whether a person says right before the sentence that it would be raised, or after it that it no longer is:
  /// `KVO will throw: Cannot remove …`, `… is no longer raised`.
  func isForetold(_ complaint: Complaint, at offset: Int) -> Bool {
    let words = withoutWords(
      ["with", "exception", "error", "an", "the", "this", "following", "like"],
      before: offset
    )
    let isAnonymous = complaint.observer.address == nil && complaint.subject.address == nil
    if (Self.forecasts + (isAnonymous ? Self.promises : [])).contains(where: {
      text.skeleton.has($0, at: words - $0.utf8CodeUnitCount)
    }) {
      return true
    }
    let end = text.skeletonOffset(at: complaint.range.upperBound)
    let after = end..<min(text.skeleton.count, end + Self.sentenceEnd)
    return text.skeleton.first("isnolonger", in: after) != nil
      || text.skeleton.first("arenolonger", in: after) != nil
  }

  /// How many letters of the sentence, and of the words about it, are after what distinguishes it.
  private static let sentenceEnd = 60

  /// The headings of what a list of changes says is repaired.
  private static let headings: Set<String> = [
    "bug fixes", "bugfixes", "fixes", "fixed", "fixed issues", "resolved issues",
  ]

  /// Whether the line ends in the number of a change, under the heading of a list of those that repair something.
  func isItemOfChanges(at offset: Int) -> Bool {
    let line = text.line(at: position(offset))
    guard Self.endsInNumber(FrameLine.trimmed(text.bytes[text.lineRange(line)])) else {
      return false
    }
    return (max(0, line - 30)..<line).contains { above in
      let words = FrameLine.trimmed(text.bytes[text.lineRange(above)])
      guard words.count < 40 else { return false }
      return Self.headings.contains(String(decoding: words, as: UTF8.self).lowercased().trimmed)
    }
  }

  /// `… (#123)`.
  private static func endsInNumber(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.last == UInt8(ascii: ")"), let open = line.lastIndex(of: UInt8(ascii: "(")) else {
      return false
    }
    let number = line[(open + 1)...].dropLast()
    return number.first == UInt8(ascii: "#") && number.count > 1
      && number.dropFirst().allSatisfy(\.isASCIIDigit)
  }
}
