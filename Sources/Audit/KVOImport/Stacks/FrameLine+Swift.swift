/// The frames that Swift's runtime prints when a program crashes.
///
/// Observed with Swift 6.3 and `SWIFT_BACKTRACE=enable=yes`; see https://github.com/swiftlang/swift/blob/main/docs/Backtracing.rst.
extension FrameLine {
  /// `[ra] 0x0000562554a81de0 Screen.close() + 159 in App at /src/Screen.swift:2:24`, after the number; the words in brackets
  /// and the address may be missing, and the offset of an inlined function.
  func swiftBacktrace(_ body: ArraySlice<UInt8>) -> StackTrace.Frame? {
    guard body.first == UInt8(ascii: "[") || Self.first(" in ", in: body) != nil else { return nil }
    var frame = StackTrace.Frame()
    var rest = body
    var isMarked = false
    while rest.first == UInt8(ascii: "["),
      let close = rest.prefix(16).firstIndex(of: UInt8(ascii: "]"))
    {
      frame.isInSystem = frame.isInSystem || rest[...close].elementsEqual("[system]".utf8)
      isMarked = true
      rest = Self.trimmed(rest[(close + 1)...])
    }
    if let hex = hexadecimal(in: rest), hex.range.lowerBound == rest.startIndex {
      frame.address = hex.value
      rest = Self.trimmed(rest[hex.range.upperBound...])
      if rest.isEmpty { return isMarked ? frame : nil }
    }
    var isLocated = false
    if let at = Self.last(" at ", in: rest) {
      at.readLocation(of: rest, skipping: 4, into: &frame)
      isLocated = frame.file != nil
      if isLocated { rest = rest[..<at] }
    }
    guard let separator = Self.last(" in ", in: rest) else { return nil }
    let image = Self.trimmed(rest[(separator + 4)...])
    let name = rest[..<separator]
    let offset = Self.lastOffset(in: name)
    guard isMarked || isLocated || offset != nil, !image.isEmpty, !name.isEmpty,
      !image.contains(where: { "()[]<>:".utf8.contains($0) })
    else { return nil }
    frame.image = String(decoding: image, as: UTF8.self)
    frame.symbol = function(name).symbol
    return frame
  }
}
