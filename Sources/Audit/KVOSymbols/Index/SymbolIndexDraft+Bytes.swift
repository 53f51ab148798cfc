extension SymbolIndexDraft {
  /// The bytes of the index, or nil for an image that an index cannot represent completely.
  ///
  /// - Parameter key: the key of the index.
  /// - Returns: memory that the caller owns, with an alignment of 16.
  /// - Complexity: O(n log n) in the rows, and demangling each name once.
  mutating func bytes(key: UInt64) -> UnsafeMutableRawBufferPointer? {
    typealias Layout = SymbolIndexLayout
    let rows = sortedRows()
    let names = names.all()
    guard isExact, let base = rows.first?.start, let last = rows.last?.start,
      UInt32(exactly: last - base) != nil,
      // A function without a name is looked up in the symbol table; here that was decided before.
      !names.contains(where: \.text.isEmpty)
    else { return nil }
    var texts = Texts(paths)
    var modules: [String: UInt32] = [:]
    let named = names.map { name -> (function: UInt32, module: UInt32) in
      let function = texts.append(name.text)
      guard let module = name.swiftModule else { return (function, 0) }
      // Names of modules are identifiers: no two of them are equal but spelled differently.
      let number = modules[module] ?? texts.append(module)
      modules[module] = number
      return (function, number)
    }

    let words =
      rows.count * Layout.rowColumnCount + scopes.count * Layout.scopeColumnCount + texts.ends.count
    let byteCount = Layout.headerByteCount + words * 4 + texts.byteCount
    guard byteCount <= Layout.byteLimit else { return nil }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
    func set(_ word: Layout.Word, _ value: UInt64) {
      bytes.storeBytes(of: value, toByteOffset: word.rawValue * 8, as: UInt64.self)
    }
    set(.magic, Layout.magic)
    set(.version, Layout.version)
    set(.key, key)
    set(.base, base)
    set(.rowCount, UInt64(rows.count))
    set(.scopeCount, UInt64(scopes.count))
    set(.textCount, UInt64(texts.ends.count))
    set(.textByteCount, UInt64(texts.byteCount))
    set(.reserved, 0)

    var offset = Layout.headerByteCount
    func column<Element>(_ elements: [Element], _ value: (Element) -> UInt32) {
      for element in elements {
        bytes.storeBytes(of: value(element), toByteOffset: offset, as: UInt32.self)
        offset += 4
      }
    }
    column(rows) { UInt32($0.start - base) }
    column(rows, \.scope)
    column(rows, \.file)
    column(rows, \.line)
    column(scopes) { $0.name == 0 ? 0 : named[Int($0.name) - 1].function }
    column(scopes) { $0.name == 0 ? 0 : named[Int($0.name) - 1].module }
    column(scopes, \.parent)
    column(scopes, \.callFile)
    column(scopes, \.callLine)
    column(texts.ends) { $0 }
    for text in texts.texts {
      for byte in text.utf8 {
        bytes[offset] = byte
        offset += 1
      }
    }
    let checked = UnsafeRawBufferPointer(rebasing: bytes[Layout.checksumEnd...])
    set(.checksum, Layout.checksum(checked))
    return bytes
  }
}

/// The column of texts.
private struct Texts {
  private(set) var texts: [String] = []
  private(set) var ends: [UInt32] = []
  private(set) var byteCount = 0

  /// Begins with `texts`, whose numbers are their indices plus 1.
  init(_ texts: [String]) {
    for text in texts { _ = append(text) }
  }

  mutating func append(_ text: String) -> UInt32 {
    texts.append(text)
    byteCount += text.utf8.count
    // If the end does not fit, the index is too large.
    ends.append(UInt32(truncatingIfNeeded: byteCount))
    return UInt32(ends.count)
  }
}
