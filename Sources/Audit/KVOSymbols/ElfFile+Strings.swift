import CElfutils
import Glibc

extension ElfFile {
  /// The sections from which libdw returns texts as pointers, without checking for a terminating zero.
  private static let textSections: Set = [".debug_str", ".debug_line_str", ".debug_info"]

  /// Whether every section that libdw takes texts from ends in a zero, so that none runs past its end.
  ///
  /// A compiler's output always does (`.debug_info` ends with the end of the last list of children); a damaged file may
  /// not. Check this after `dwarf_begin_elf`, which unpacks compressed sections.
  var hasTerminatedTexts: Bool {
    var names = 0
    guard elf_getshdrstrndx(handle, &names) == 0 else { return false }
    var section: OpaquePointer?
    while let next = elf_nextscn(handle, section) {
      section = next
      var header = GElf_Shdr()
      guard gelf_getshdr(next, &header) != nil,
        let name = elf_strptr(handle, names, Int(header.sh_name)),
        Self.textSections.contains(String(cString: name)), header.sh_type != UInt32(SHT_NOBITS)
      else { continue }
      guard let data = elf_getdata(next, nil) else { return false }
      let bytes = UnsafeRawBufferPointer(start: data.pointee.d_buf, count: data.pointee.d_size)
      if let last = bytes.last, last != 0 { return false }
    }
    return true
  }
}
