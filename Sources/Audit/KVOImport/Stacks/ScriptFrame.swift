/// Reads lines of stacks that C# and JavaScript print.
///
/// Bridges let both call native code: their frames are those of the callers, and the only ones with user names if the
/// native stack ends in generated code.
enum ScriptFrame {
  /// The frame in `line`, or nil if it is something else.
  static func frame(_ line: ArraySlice<UInt8>) -> StackTrace.Frame? {
    guard line.count < 600 else { return nil }
    if line.starts(with: "at ".utf8) { return called(FrameLine.trimmed(line.dropFirst(3))) }
    return javaScript(line)
  }

  /// `Shop.Entry.Dispose (System.Boolean disposing) [0x00020] in /src/Entry.cs:88`, or
  /// `name (file.js:12:3)`.
  private static func called(_ text: ArraySlice<UInt8>) -> StackTrace.Frame? {
    // Services print native functions so, too: `null.-[Screen show](Screen.m:null)`.
    let isNative = FrameLine.first("-[", in: text) ?? FrameLine.first("+[", in: text)
    if let start = isNative {
      guard let close = text[start...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let location = text[(close + 1)...].drop { $0 == UInt8(ascii: "(") }
        .prefix { $0 != UInt8(ascii: ")") }
      var frame = StackTrace.Frame(symbol: String(decoding: text[start...close], as: UTF8.self))
      let parts = String(decoding: location, as: UTF8.self).split(separator: ":")
      frame.file = parts.first.flatMap { $0 == "null" ? nil : String($0) }
      frame.line = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
      return frame
    }
    guard let open = text.firstIndex(of: UInt8(ascii: "(")), open > text.startIndex else {
      return nil
    }
    var name = FrameLine.trimmed(text[..<open])
    let isWrapped = name.starts(with: "null.".utf8)
    if isWrapped { name = name.dropFirst(5) }
    guard !name.isEmpty, name.count < 300, !name.contains(where: \.isBlank) else { return nil }
    var frame = StackTrace.Frame(symbol: String(decoding: name, as: UTF8.self))
    if let separator = FrameLine.first(" in ", in: text[open...]) {
      frame.isManaged = true
      read(text[(separator + 4)...], into: &frame)
    } else if let close = text[open...].lastIndex(of: UInt8(ascii: ")")) {
      let inside = text[(open + 1)..<close]
      guard inside.contains(UInt8(ascii: ":")) else { return nil }
      frame.isManaged = !isWrapped
      read(inside, into: &frame)
    } else {
      return nil
    }
    return frame
  }

  /// `start@file:///app/main.js:234:26`, numbered or not.
  private static func javaScript(_ line: ArraySlice<UInt8>) -> StackTrace.Frame? {
    let body = line.drop(while: \.isASCIIDigit).drop(while: \.isBlank)
    guard let at = body.firstIndex(of: UInt8(ascii: "@")), at - body.startIndex < 120 else {
      return nil
    }
    let name = body[..<at]
    let location = body[(at + 1)...]
    guard name.allSatisfy(\.isNamePart) else { return nil }
    if location.starts(with: "[native code]".utf8) {
      return StackTrace.Frame(symbol: String(decoding: name, as: UTF8.self), isManaged: true)
    }
    guard
      FrameLine.first(".js:", in: location) != nil
        || FrameLine.first(".bundle:", in: location) != nil
    else { return nil }
    var frame = StackTrace.Frame(
      symbol: name.isEmpty ? nil : String(decoding: name, as: UTF8.self),
      isManaged: true
    )
    read(location, into: &frame)
    return frame
  }

  /// Reads `path/File.cs:88` or `file.js:12:3`; the last part of a path is sufficient.
  private static func read(_ location: ArraySlice<UInt8>, into frame: inout StackTrace.Frame) {
    let text = String(decoding: FrameLine.trimmed(location), as: UTF8.self)
    let name = text.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
    let parts = name.split(separator: ":")
    guard parts.count > 1, let line = Int(parts[1]), let file = parts.first, file != "null" else {
      return
    }
    frame.file = String(file)
    frame.line = line
  }
}
