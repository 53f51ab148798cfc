/// Frames that are strings of an array, as Swift prints `callStackSymbols`.
extension FrameLine {
  /// The frames of `["0   App  0x1a2b start + 4", "1   …"]`, of two on; empty: the line has none.
  ///
  /// Code that has such a list assigns or passes it.
  static func quotedFrames(_ line: ArraySlice<UInt8>) -> [StackTrace.Frame] {
    guard let open = line.firstIndex(of: UInt8(ascii: "\"")), first("\", \"1 ", in: line) != nil
    else { return [] }
    let front = trimmed(line[..<open])
    let lead = trimmed(front.dropLast())
    guard front.last == UInt8(ascii: "["),
      lead.ends(with: "Optional(") || lead.last.map({ !"=(,[{".utf8.contains($0) }) ?? true
    else { return [] }
    var frames: [StackTrace.Frame] = []
    for part in line[open...].split(separator: UInt8(ascii: "\""))
    where part.first?.isASCIIDigit == true {
      guard let frame = FrameLine(part).frame(isInside: false), frame.number == frames.count else {
        break
      }
      frames.append(frame)
    }
    return frames.count > 1 ? frames : []
  }

  /// The frame in `"0   App  0x1a2b start + 4",` or, as debuggers print an array, `0 : "0   App  0x1a2b start + 4"`.
  static func quoted(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = trimmed(line)
    let index = rest.prefix(while: \.isASCIIDigit)
    if !index.isEmpty, rest.dropFirst(index.count).starts(with: " : ".utf8) {
      rest = rest.dropFirst(index.count + 3)
    }
    if rest.last == UInt8(ascii: ",") { rest = rest.dropLast() }
    guard rest.count > 2, rest.first == UInt8(ascii: "\""), rest.last == UInt8(ascii: "\"") else {
      return nil
    }
    let inside = rest.dropFirst().dropLast()
    return inside.first?.isASCIIDigit == true && !inside.contains(UInt8(ascii: "\"")) ? inside : nil
  }
}
