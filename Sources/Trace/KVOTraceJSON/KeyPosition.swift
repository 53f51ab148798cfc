/// Finds keys in the text of a line, for the column of a problem.
enum KeyPosition {
  /// The offset of the innermost key of `keys`, each searched after the previous one; that of the last one found; 0 if
  /// none is.
  ///
  /// Meant for the rare broken line. A key that is spelled with escapes is not found.
  ///
  /// Complexity: O(length) per key.
  static func offset(of keys: [String], in line: ArraySlice<UInt8>) -> Int {
    var found = line.startIndex
    var rest = line
    for key in keys {
      guard let position = position(of: Array("\"\(key)\"".utf8), in: rest) else { break }
      found = position
      rest = line[(position + key.utf8.count + 2)...]
    }
    return found - line.startIndex
  }

  /// Where `quoted` is followed by a colon: without the colon it is a value.
  private static func position(of quoted: [UInt8], in line: ArraySlice<UInt8>) -> Int? {
    var start = line.startIndex
    while start + quoted.count <= line.endIndex {
      let end = start + quoted.count
      if line[start..<end].elementsEqual(quoted),
        line[end...].first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: ":")
      {
        return start
      }
      start += 1
    }
    return nil
  }
}
