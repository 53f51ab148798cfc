/// What Apple's unified log puts before each line, as `log show` and `log stream` print it.
extension LogPrefix {
  /// After `0x1a2b  Error  0x0  1234  0  App: (Library) [com.example.app:main] ` of Apple's unified log, with its process.
  static func unified(
    _ line: ArraySlice<UInt8>
  ) -> (rest: ArraySlice<UInt8>, name: ArraySlice<UInt8>, process: Int)? {
    var rest = line
    // The thread, the kind, the activity, the process, and how many days the line is kept.
    var fields: [ArraySlice<UInt8>] = []
    for _ in 0..<5 {
      let word = rest.prefix(24).prefix { !$0.isBlank }
      rest = rest.dropFirst(word.count)
      guard !word.isEmpty, rest.first?.isBlank == true else { return nil }
      rest = rest.drop(while: \.isBlank)
      fields.append(word)
    }
    guard fields[0].starts(with: "0x".utf8), fields[2].starts(with: "0x".utf8),
      fields[1].allSatisfy(\.isASCIILetter), fields[4].allSatisfy(\.isASCIIDigit),
      let process = Int(String(decoding: fields[3], as: UTF8.self))
    else { return nil }
    let name = rest.prefix(64).prefix { $0 != UInt8(ascii: ":") }
    guard !name.isEmpty, rest.dropFirst(name.count).starts(with: ": ".utf8) else { return nil }
    rest = rest.dropFirst(name.count + 2)
    for (open, close) in [("(", UInt8(ascii: ")")), ("[", UInt8(ascii: "]"))]
    where rest.starts(with: open.utf8) {
      let inside = rest.prefix(120).prefix { $0 != close }
      guard !inside.contains(where: \.isBlank),
        rest.dropFirst(inside.count).dropFirst().first == 0x20
      else { break }
      rest = rest.dropFirst(inside.count + 2)
    }
    return (rest, name, process)
  }
}
