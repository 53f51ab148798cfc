import CElfutils

extension ElfFile {
  /// The ranges of addresses that the loader maps as code, in file addresses.
  ///
  /// What debug information says of any other address is about functions that the linker dropped:
  /// it leaves those at 0 or next to it.
  var codeRanges: [Range<UInt64>] {
    var count = 0
    guard elf_getphdrnum(handle, &count) == 0 else { return [] }
    var ranges: [Range<UInt64>] = []
    for index in 0..<count {
      var entry = GElf_Phdr()
      guard gelf_getphdr(handle, Int32(index), &entry) != nil else { continue }
      guard entry.p_type == PT_LOAD, entry.p_flags & UInt32(PF_X) != 0 else { continue }
      let (end, overflow) = entry.p_vaddr.addingReportingOverflow(entry.p_memsz)
      if !overflow, entry.p_vaddr < end { ranges.append(entry.p_vaddr..<end) }
    }
    return ranges
  }

  /// The name of the separate debug file that the linker or `objcopy` noted, without folders.
  var debugLink: String? {
    var checksum: GElf_Word = 0
    guard let name = dwelf_elf_gnu_debuglink(handle, &checksum) else { return nil }
    let text = String(cString: name)
    return text.isEmpty || text.contains("/") ? nil : text
  }
}
