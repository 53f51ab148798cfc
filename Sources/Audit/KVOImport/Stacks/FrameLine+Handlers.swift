/// Frames in the forms of crash handlers that are not part of Apple's systems.
extension FrameLine {
  /// `0x1041a0a28 - /path/App.app/libmono.dylib : mono_handle_native_crash`, as Mono's handler of signals has it.
  func mono(_ rest: ArraySlice<UInt8>) -> StackTrace.Frame? {
    guard rest.starts(with: "0x".utf8) else { return nil }
    let digits = rest.dropFirst(2).prefix(while: \.isHexDigit)
    let body = rest[digits.endIndex...]
    guard let address = UInt64(String(decoding: digits, as: UTF8.self), radix: 16),
      body.starts(with: " - ".utf8), let colon = Self.first(" : ", in: body)
    else { return nil }
    let image = Self.trimmed(body[(body.startIndex + 3)..<colon])
    guard !image.isEmpty, image.count < 1_000 else { return nil }
    var frame = function(body[(colon + 3)...])
    if frame.symbol == "Unknown" { frame.symbol = nil }
    frame.address = address
    frame.image = String(decoding: image, as: UTF8.self)
    return frame
  }

  /// `Foundation!NSKeyValueDidChange + 0x1c0`, `App!-[Screen stop] [Screen.m : 51 + 0x22]`, or an image alone,
  /// `AppKit + 0x2794a`, as the tools of Breakpad have it.
  func breakpad(_ body: ArraySlice<UInt8>) -> StackTrace.Frame? {
    let image = body.prefix(80).prefix { $0.isNamePart || $0 == 0x20 || $0 == UInt8(ascii: "-") }
    let rest = body[image.endIndex...]
    var frame = StackTrace.Frame()
    if rest.first == UInt8(ascii: "!"), image.first?.isASCIILetter == true, image.last != 0x20 {
      var name = rest.dropFirst()
      if let open = Self.first(" [", in: name), name.last == UInt8(ascii: "]") {
        let parts = name[(open + 2)...].split(separator: 0x20)
        if parts.count > 2, parts[1].elementsEqual(":".utf8) {
          frame.file = String(decoding: parts[0], as: UTF8.self)
          frame.line = Int(String(decoding: parts[2], as: UTF8.self)) ?? 0
        }
        name = name[..<open]
      } else if let plus = Self.first(" + 0x", in: name) {
        name = name[..<plus]
      }
      frame.symbol = function(name).symbol
    } else {
      guard rest.starts(with: "+ 0x".utf8), rest.dropFirst(4).allSatisfy(\.isHexDigit) else {
        return nil
      }
    }
    frame.image = String(decoding: Self.trimmed(image), as: UTF8.self)
    return frame
  }

  /// Whether `line` is what the tools of Breakpad print below a frame: registers, or how the frame was found.
  static func isBelowFrame(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.drop(while: \.isBlank)
    if words.starts(with: "Found by: ".utf8) { return true }
    let name = words.prefix(5).prefix { $0.isASCIILetter || $0.isASCIIDigit }
    return !name.isEmpty && words.dropFirst(name.count).starts(with: " = 0x".utf8)
  }
}
