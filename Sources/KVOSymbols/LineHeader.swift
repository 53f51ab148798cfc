import CElfutils

/// What stands before the line program of a compile unit: its files, and how to read its opcodes.
struct LineHeader {
  /// A file as it is named here: in a folder that may be relative to the compiler's.
  struct File {
    var name: UnsafeRawBufferPointer
    /// An index into ``folders``.
    var folder: Int
  }

  /// By the number that rows and calls name them with; nil for one that the table leaves open.
  private(set) var files: [File?] = []
  /// The folders by index, of which the first is the one that the compiler ran in.
  ///
  /// Nil for one that is not known.
  private(set) var folders: [UnsafeRawBufferPointer?] = []
  private(set) var program = 0..<0
  private(set) var minimumInstructionByteCount: UInt64 = 1
  private(set) var lineBase: Int8 = 0
  private(set) var lineRange: UInt8 = 1
  private(set) var opcodeBase: UInt8 = 1
  /// How many numbers follow each standard opcode, the first of which is 1.
  private(set) var operandCounts: [UInt8] = []

  /// Reads the header at `offset` of the section of lines.
  ///
  /// Nil for a version that is not known and for a header that ends too early.
  ///
  /// - Parameters:
  ///   - offset: in bytes.
  ///   - sections: the debug information of the file.
  ///   - compilerFolder: the folder that the compiler ran in, as the unit's entry says.
  /// - Complexity: O(n) in the files of the unit.
  init?(at offset: UInt64, in sections: DebugSections, compilerFolder: UnsafeRawBufferPointer?) {
    let section = sections.lines
    guard let start = Int(exactly: offset), start < section.bytes.count else { return nil }
    var reader = ByteReader(section, start..<section.bytes.count)
    var offsetByteCount = 4
    var length = UInt64(reader.number(UInt32.self))
    if length == 0xFFFF_FFFF {
      offsetByteCount = 8
      length = reader.number()
    }
    guard !reader.hasFailed, length <= UInt64(reader.end - reader.position) else { return nil }
    let end = reader.position + Int(length)
    reader = ByteReader(section, reader.position..<end)

    let version = Int(reader.number(UInt16.self))
    guard (2...5).contains(version) else { return nil }
    var addressByteCount = 8
    if version >= 5 {
      addressByteCount = Int(reader.byte())
      reader.skip(1)
    }
    let headerLength = reader.number(byteCount: offsetByteCount)
    guard !reader.hasFailed, headerLength <= UInt64(end - reader.position) else { return nil }
    program = reader.position + Int(headerLength)..<end

    reader = ByteReader(section, reader.position..<program.lowerBound)
    minimumInstructionByteCount = UInt64(reader.byte())
    // More than one operation in an instruction is for machines that Swift has no compiler for.
    if version >= 4, reader.byte() != 1 { return nil }
    reader.skip(1)
    lineBase = Int8(bitPattern: reader.byte())
    lineRange = reader.byte()
    opcodeBase = reader.byte()
    guard lineRange > 0, opcodeBase > 0 else { return nil }
    for _ in 1..<opcodeBase { operandCounts.append(reader.byte()) }
    if version >= 5 {
      let forms = FormSizes(
        version: version,
        addressByteCount: addressByteCount,
        offsetByteCount: offsetByteCount
      )
      folders = Self.entries(&reader, forms, sections).map { $0?.name }
      files = Self.entries(&reader, forms, sections)
    } else {
      readLists(&reader, compilerFolder)
    }
    guard !reader.hasFailed else { return nil }
  }

  /// Adds a file that the program itself defines, as old compilers did.
  mutating func define(_ reader: inout ByteReader) {
    guard let name = reader.text() else { return }
    let folder = Int(truncatingIfNeeded: reader.unsigned())
    files.append(File(name: name, folder: folder))
  }

  /// The lists of the versions before 5, each of which ends in an empty text.
  private mutating func readLists(
    _ reader: inout ByteReader,
    _ compilerFolder: UnsafeRawBufferPointer?
  ) {
    folders = [compilerFolder]
    while let folder = reader.text(), !folder.isEmpty { folders.append(folder) }
    files = [nil]
    while let name = reader.text(), !name.isEmpty {
      let folder = Int(truncatingIfNeeded: reader.unsigned())
      // The time of the last change and the size.
      _ = reader.unsigned()
      _ = reader.unsigned()
      files.append(File(name: name, folder: folder))
    }
  }

  /// One of the two lists of version 5, which say themselves what they consist of.
  private static func entries(
    _ reader: inout ByteReader,
    _ forms: FormSizes,
    _ sections: DebugSections
  ) -> [File?] {
    var fields: [(content: UInt64, form: UInt64)] = []
    for _ in 0..<reader.byte() { fields.append((reader.unsigned(), reader.unsigned())) }
    let count = reader.unsigned()
    var entries: [File?] = []
    while entries.count < count, !reader.hasFailed {
      let start = reader.position
      var name: UnsafeRawBufferPointer?
      var folder: UInt64 = 0
      for field in fields {
        switch Int(truncatingIfNeeded: field.content) {
        case Int(DW_LNCT_path): name = text(field.form, &reader, forms, sections)
        case Int(DW_LNCT_directory_index): folder = number(field.form, &reader, forms)
        default: forms.skip(field.form, in: &reader)
        }
      }
      entries.append(name.map { File(name: $0, folder: Int(truncatingIfNeeded: folder)) })
      // Entries of no bytes could be counted without end.
      guard reader.position > start else { break }
    }
    return entries
  }

  private static func text(
    _ form: UInt64,
    _ reader: inout ByteReader,
    _ forms: FormSizes,
    _ sections: DebugSections
  ) -> UnsafeRawBufferPointer? {
    switch Int(truncatingIfNeeded: form) {
    case Int(DW_FORM_string): return reader.text()
    case Int(DW_FORM_line_strp):
      return sections.lineStrings.text(at: reader.number(byteCount: forms.offsetByteCount))
    case Int(DW_FORM_strp):
      return sections.strings.text(at: reader.number(byteCount: forms.offsetByteCount))
    default:
      forms.skip(form, in: &reader)
      return nil
    }
  }

  private static func number(
    _ form: UInt64,
    _ reader: inout ByteReader,
    _ forms: FormSizes
  ) -> UInt64 {
    switch Int(truncatingIfNeeded: form) {
    case Int(DW_FORM_udata): return reader.unsigned()
    case Int(DW_FORM_data1), Int(DW_FORM_data2), Int(DW_FORM_data4), Int(DW_FORM_data8):
      return reader.number(byteCount: forms.byteCount(of: form) ?? 0)
    default:
      forms.skip(form, in: &reader)
      return .max
    }
  }
}
