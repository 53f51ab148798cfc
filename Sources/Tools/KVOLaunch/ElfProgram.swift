import CElfutils
import Glibc

/// The properties of an ELF file that determine how it is run, from its headers.
struct ElfProgram: Hashable {
  /// The processor that a file needs.
  struct Machine: Hashable {
    var code: UInt16
    var is64Bit: Bool
    var isLittleEndian: Bool
  }

  var machine: Machine
  /// The dynamic loader that it asks for (PT_INTERP); nil: it is linked statically.
  var loader: String?

  /// Reads the headers of the open file; nil if they are damaged.
  ///
  /// - Parameter descriptor: stays open, and keeps its offset.
  init?(descriptor: Int32) {
    elf_version(UInt32(EV_CURRENT))
    // Read, not mapped: a file that is linked again at the same time has wrong bytes, but causes no SIGBUS.
    guard let handle = elf_begin(descriptor, ELF_C_READ, nil) else { return nil }
    defer { elf_end(handle) }
    var header = GElf_Ehdr()
    guard elf_kind(handle) == ELF_K_ELF, gelf_getehdr(handle, &header) != nil else { return nil }
    machine = Machine(
      code: header.e_machine,
      is64Bit: gelf_getclass(handle) == Int32(ELFCLASS64),
      isLittleEndian: header.e_ident.5 == UInt8(ELFDATA2LSB)
    )
    // If a table ends after the end of the file, libelf gives as much as there is.
    var count = 0
    guard elf_getphdrnum(handle, &count) == 0,
      count == header.e_phnum || header.e_phnum == PN_XNUM
    else { return nil }
    for index in 0..<count {
      var segment = GElf_Phdr()
      guard gelf_getphdr(handle, Int32(index), &segment) != nil else { return nil }
      guard segment.p_type == PT_INTERP else { continue }
      // As the kernel holds it: a path of at most PATH_MAX bytes with its NUL.
      guard segment.p_filesz > 1, segment.p_filesz <= 4096, segment.p_offset <= UInt64(Int64.max)
      else { return nil }
      var bytes = [UInt8](repeating: 0, count: Int(segment.p_filesz))
      guard pread(descriptor, &bytes, bytes.count, Int(segment.p_offset)) == bytes.count else {
        return nil
      }
      loader = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

extension ElfProgram.Machine: CustomStringConvertible {
  /// The one that this program was built for.
  static let own: Self = {
    #if arch(x86_64)
    let code = EM_X86_64
    #elseif arch(arm64)
    let code = EM_AARCH64
    #elseif arch(i386)
    let code = EM_386
    #elseif arch(arm)
    let code = EM_ARM
    #elseif arch(riscv64)
    let code = EM_RISCV
    #else
    #error("Say which e_machine this processor is")
    #endif
    return Self(
      code: UInt16(code),
      is64Bit: MemoryLayout<Int>.size == 8,
      isLittleEndian: 1.littleEndian == 1
    )
  }()

  /// The name that people use.
  var description: String {
    let name =
      switch Int32(code) {
      case EM_X86_64: is64Bit ? "x86-64" : "x32"
      case EM_386: "32-bit x86"
      case EM_AARCH64: "64-bit ARM"
      case EM_ARM: "32-bit ARM"
      case EM_RISCV: is64Bit ? "64-bit RISC-V" : "32-bit RISC-V"
      case EM_PPC64: "64-bit PowerPC"
      case EM_PPC: "32-bit PowerPC"
      case EM_S390: is64Bit ? "64-bit S/390" : "S/390"
      case EM_MIPS: is64Bit ? "64-bit MIPS" : "32-bit MIPS"
      default: "machine \(code)"
      }
    let isUsual = isLittleEndian || [EM_PPC64, EM_PPC, EM_S390, EM_MIPS].contains(Int32(code))
    return isUsual ? name : "big-endian \(name)"
  }
}
