import CElfutils
import Glibc

/// Identifies the files of an index.
///
/// The build-id alone is not sufficient: an image and its stripped version have the same one. So
/// the key also depends on the section tables of the image and of its separate debug file, which
/// contain the address and size of each section.
struct SymbolIndexKey: Hashable {
  /// In lower-case hexadecimal; not empty.
  let buildID: String
  let fingerprint: UInt64

  /// Creates the key of `image`; nil if an index could not distinguish it from others, or would
  /// contain no more than its symbol table.
  ///
  /// - Parameters:
  ///   - image: the image.
  ///   - debugFile: the file with its debug information, if that is a separate file.
  init?(image: ElfFile, debugFile: ElfFile?) {
    guard !image.buildID.isEmpty, image.buildID.utf8.count <= 128,
      (debugFile ?? image).debugInformationByteCount > 0
    else { return nil }
    buildID = image.buildID
    var sections = image.sectionBytes
    if let debugFile { sections += debugFile.sectionBytes }
    fingerprint = sections.withUnsafeBytes(SymbolIndexLayout.checksum)
  }
}

extension ElfFile {
  /// The table of sections.
  fileprivate var sectionBytes: [UInt8] {
    var bytes: [UInt8] = []
    var section: OpaquePointer?
    while let next = elf_nextscn(handle, section) {
      section = next
      var header = GElf_Shdr()
      guard gelf_getshdr(next, &header) != nil else { continue }
      withUnsafeBytes(of: header) { bytes += $0 }
    }
    return bytes
  }

  /// What a file says of the functions of its image.
  struct Content {
    var hasDebugInformation: Bool
    var symbolTableByteCount: UInt64

    /// Whether `other` says more: debug information counts before symbols.
    func isLess(than other: Self) -> Bool {
      guard hasDebugInformation == other.hasDebugInformation else {
        return other.hasDebugInformation
      }
      return symbolTableByteCount < other.symbolTableByteCount
    }
  }

  /// What it says of the functions of its image.
  var content: Content {
    Content(
      hasDebugInformation: debugInformationByteCount > 0,
      symbolTableByteCount: symbolTableByteCount
    )
  }

  /// Whether it has more symbols than those that it exports.
  var hasSymbolTable: Bool { symbolTableByteCount > 0 }

  /// The size of the table of all symbols, or 0.
  private var symbolTableByteCount: UInt64 {
    var section: OpaquePointer?
    while let next = elf_nextscn(handle, section) {
      section = next
      var header = GElf_Shdr()
      if gelf_getshdr(next, &header) != nil, header.sh_type == UInt32(SHT_SYMTAB) {
        return header.sh_size
      }
    }
    return 0
  }

  /// The size of the section with the entries of functions, or 0.
  var debugInformationByteCount: UInt64 {
    var names = 0
    guard elf_getshdrstrndx(handle, &names) == 0 else { return 0 }
    var section: OpaquePointer?
    while let next = elf_nextscn(handle, section) {
      section = next
      var header = GElf_Shdr()
      guard gelf_getshdr(next, &header) != nil, header.sh_type != UInt32(SHT_NOBITS),
        let name = elf_strptr(handle, names, Int(header.sh_name)),
        [".debug_info", ".zdebug_info"].contains(String(cString: name))
      else { continue }
      return header.sh_size
    }
    return 0
  }
}
