import CElfutils

/// The bytes of one section of debug information, as libelf holds them.
///
/// They must not be used once the ``ElfFile`` is gone.
struct SectionBytes {
  /// None where the file does not have the section.
  var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  var isBigEndian = false

  /// More than the path of a file can have: many entries of a damaged table may point to one text.
  private static let textLimit = 1 << 13

  /// The text at `offset`, without its zero, or nil where the section has none there.
  func text(at offset: UInt64) -> UnsafeRawBufferPointer? {
    guard let start = Int(exactly: offset), start < bytes.count else { return nil }
    var reader = ByteReader(self, start..<min(bytes.count, start + Self.textLimit))
    return reader.text()
  }
}

/// The sections that are read here and not by libdw.
struct DebugSections {
  private(set) var information = SectionBytes()
  private(set) var abbreviations = SectionBytes()
  private(set) var lines = SectionBytes()
  private(set) var strings = SectionBytes()
  private(set) var lineStrings = SectionBytes()

  /// Sections that stand in no file.
  init(lines: SectionBytes) { self.lines = lines }

  /// Finds the sections of `file`.
  ///
  /// To be made after `dwarf_begin_elf`, which unpacks compressed sections.
  init(of file: ElfFile) {
    var header = GElf_Ehdr()
    guard gelf_getehdr(file.handle, &header) != nil else { return }
    // The sixth byte of an ELF file says the order of bytes; 2 is the big end first.
    let isBigEndian = header.e_ident.5 == UInt8(ELFDATA2MSB)
    var names = 0
    guard elf_getshdrstrndx(file.handle, &names) == 0 else { return }
    var section: OpaquePointer?
    while let next = elf_nextscn(file.handle, section) {
      section = next
      var header = GElf_Shdr()
      guard gelf_getshdr(next, &header) != nil, header.sh_type != UInt32(SHT_NOBITS),
        let name = elf_strptr(file.handle, names, Int(header.sh_name)),
        let field = Self.field(String(cString: name)), let data = elf_getdata(next, nil)
      else { continue }
      self[keyPath: field] = SectionBytes(
        bytes: UnsafeRawBufferPointer(start: data.pointee.d_buf, count: data.pointee.d_size),
        isBigEndian: isBigEndian
      )
    }
  }

  private static func field(_ name: String) -> WritableKeyPath<DebugSections, SectionBytes>? {
    switch name {
    case ".debug_info": \.information
    case ".debug_abbrev": \.abbreviations
    case ".debug_line": \.lines
    case ".debug_str": \.strings
    case ".debug_line_str": \.lineStrings
    default: nil
    }
  }
}
