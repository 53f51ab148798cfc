import CElfutils
import Glibc

/// Which texts of a file's debug information have an end.
///
/// libdw returns texts as pointers into sections, mostly without checking for a terminating zero, and damaged files may
/// lack one. Entries need not end in a zero either: the last one of a unit of GNU's assembler ends with the number of
/// its language.
struct DebugTexts {
  /// The addresses after the last zero of each section, and that of its end: no text that begins there ends.
  private let endless: [Range<UInt>]

  /// Sections of nothing but texts; that all of them end follows from the last one.
  private static let textSections: Set = ["debug_str", "debug_line_str"]
  /// Sections of entries, whose texts are among other attributes.
  private static let entrySections: Set = ["debug_info", "debug_types"]

  /// Looks at the ends of the sections that libdw takes texts from.
  ///
  /// Returns nil if a section of texts has no end. Call this after `dwarf_begin_elf`, which unpacks sections.
  init?(of file: ElfFile) {
    var names = 0
    guard elf_getshdrstrndx(file.handle, &names) == 0 else { return nil }
    var endless: [Range<UInt>] = []
    var section: OpaquePointer?
    while let next = elf_nextscn(file.handle, section) {
      section = next
      var header = GElf_Shdr()
      guard gelf_getshdr(next, &header) != nil, header.sh_type != UInt32(SHT_NOBITS),
        let name = elf_strptr(file.handle, names, Int(header.sh_name))
      else { continue }
      let plain = Self.plain(String(cString: name))
      let hasOnlyTexts = Self.textSections.contains(plain)
      guard hasOnlyTexts || Self.entrySections.contains(plain) else { continue }
      guard let data = elf_getdata(next, nil) else { return nil }
      let bytes = UnsafeRawBufferPointer(start: data.pointee.d_buf, count: data.pointee.d_size)
      let end = bytes.lastIndex(of: 0).map { $0 + 1 } ?? 0
      guard !hasOnlyTexts || end == bytes.count else { return nil }
      let start = UInt(bitPattern: bytes.baseAddress)
      endless.append(start + UInt(end)..<start + UInt(bytes.count) + 1)
    }
    self.endless = endless
  }

  /// The name of a section without what libdw skips: the marks of compression, of link-time optimization and of split
  /// files.
  private static func plain(_ section: String) -> String {
    var name = section[...]
    for start in [".gnu.debuglto_", ".", "z"] where name.hasPrefix(start) {
      name = name.dropFirst(start.count)
    }
    return String(name.hasSuffix(".dwo") ? name.dropLast(4) : name)
  }

  /// Whether `text`, which libdw returned, has an end.
  func isWhole(_ text: UnsafePointer<CChar>) -> Bool {
    let address = UInt(bitPattern: text)
    return !endless.contains { $0.contains(address) }
  }
}
