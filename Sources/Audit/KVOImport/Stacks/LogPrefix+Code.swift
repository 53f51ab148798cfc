/// What tools of version control and search put before each line of source code.
extension LogPrefix {
  /// After `1a2b3c4d (Jane Doe 2016-09-03 10:11:12 +0100 12) `, by which git says who wrote the line of a file.
  static func blamed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let hash = line.drop { $0 == UInt8(ascii: "^") }.prefix(while: \.isHexDigit)
    let head = line[hash.endIndex...].prefix(240).prefix { $0 != 0x0a }
    guard (7...40).contains(hash.count), head.first?.isBlank == true,
      let open = head.firstIndex(of: UInt8(ascii: "(")),
      let close = head[open...].firstIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let words = head[(open + 1)..<close].split(separator: 0x20).suffix(4).map { $0 + [0x20] }
    guard words.count == 4, dated(([words[0], words[1]].joined() + [0x20])[...])?.isEmpty == true,
      words[2].first == UInt8(ascii: "+") || words[2].first == UInt8(ascii: "-"),
      words[3].dropLast().allSatisfy(\.isASCIIDigit)
    else { return nil }
    return line[(close + 1)...].drop(while: \.isBlank)
  }

  /// The suffixes of files of source code.
  private static let suffixes: Set<String> = [
    "m", "mm", "h", "c", "cc", "cpp", "hpp", "swift", "java", "kt", "js", "jsx", "ts", "tsx", "py",
    "rb", "go", "rs", "cs", "dart",
  ]

  /// After `Sources/Gauge.m-12-` or, above a comment, `Sources/Gauge.m:12:`, by which a tool that searches files of source
  /// code says where the line is.
  ///
  /// Compilers and test runners write the second before other words.
  static func searched(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let word = line.prefix(200).prefix { $0 > 0x20 }
    // Most lines end here.
    guard word.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "-") }),
      let dot = word.indices.first(where: { index in
        guard word[index] == UInt8(ascii: ".") else { return false }
        let suffix = word[(index + 1)...].prefix(while: \.isASCIILetter)
        return suffixes.contains(String(decoding: suffix, as: UTF8.self))
      })
    else { return nil }
    let rest = line[(dot + 1)...].drop(while: \.isASCIILetter)
    let number = rest.dropFirst().prefix(while: \.isASCIIDigit)
    let words = rest.dropFirst(1 + number.count)
    guard let sign = rest.first, sign == UInt8(ascii: ":") || sign == UInt8(ascii: "-"),
      !number.isEmpty, words.first == sign
    else { return nil }
    let text = words.dropFirst()
    let next = text.drop(while: \.isBlank)
    let isComment = next.starts(with: "//".utf8) || next.starts(with: "/*".utf8)
    return sign == UInt8(ascii: "-") || isComment ? text : nil
  }
}
