import CElfutils
import Glibc

extension ElfFile {
  /// The ranges of addresses that hold code, in file addresses.
  ///
  /// Debug information of any other address belongs to functions that the linker dropped: it leaves those at 0 or next
  /// to it, so the sections are consulted. A segment with code may begin at 0 too.
  var codeRanges: [Range<UInt64>] {
    var ranges: [Range<UInt64>] = []
    var section: OpaquePointer?
    while let next = elf_nextscn(handle, section) {
      section = next
      var entry = GElf_Shdr()
      let flags = GElf_Xword(SHF_ALLOC | SHF_EXECINSTR)
      guard gelf_getshdr(next, &entry) != nil, entry.sh_flags & flags == flags else { continue }
      Self.append(entry.sh_addr, entry.sh_size, to: &ranges)
    }
    return section == nil ? codeSegments : ranges
  }

  /// The same from the segments, for a file whose section table was removed.
  private var codeSegments: [Range<UInt64>] {
    var ranges: [Range<UInt64>] = []
    var count = 0
    guard elf_getphdrnum(handle, &count) == 0 else { return [] }
    for index in 0..<count {
      var entry = GElf_Phdr()
      guard gelf_getphdr(handle, Int32(index), &entry) != nil, entry.p_type == PT_LOAD,
        entry.p_flags & UInt32(PF_X) != 0
      else { continue }
      Self.append(entry.p_vaddr, entry.p_memsz, to: &ranges)
    }
    return ranges
  }

  private static func append(_ start: UInt64, _ size: UInt64, to ranges: inout [Range<UInt64>]) {
    let (end, overflow) = start.addingReportingOverflow(size)
    if !overflow, start < end { ranges.append(start..<end) }
  }

  /// The name of the separate debug file that the linker or `objcopy` noted, without folders.
  var debugLink: String? {
    var checksum: GElf_Word = 0
    guard let name = dwelf_elf_gnu_debuglink(handle, &checksum) else { return nil }
    let text = String(cString: name)
    return text.isEmpty || text.contains("/") ? nil : text
  }
}
