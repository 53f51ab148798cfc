import CElfutils
import Glibc
import KVOSystem

/// An ELF file that was checked far enough that its tables can be walked.
///
/// The file is read with `pread`, not mapped: if a program is relinked in place while it is read here, that yields
/// wrong bytes, which are detected, instead of a SIGBUS.
///
/// Not thread-safe, as libelf's handles are not. Strings that its tables hand out as pointers are valid as long as the
/// object.
final class ElfFile {
  let path: String
  let handle: OpaquePointer
  /// The GNU build-id in lower-case hexadecimal, or an empty string.
  let buildID: String
  private let descriptor: Int32

  /// Opens the file at `path` and checks it.
  ///
  /// - Throws: `missing`, `unreadable`, `notRegularFile`, `notELF`, `notLoadable` or `damaged`.
  init(path: String) throws(ImageProblem) {
    // 1. Without O_NONBLOCK the open of a FIFO waits for a writer.
    let descriptor = repeatingInterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else {
      let code = errno
      throw code == ENOENT || code == ENOTDIR
        ? .missing : .unreadable(String(cString: strerror(code)))
    }
    let handle: OpaquePointer
    do {
      handle = try Self.begin(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    self.path = path
    self.descriptor = descriptor
    self.handle = handle
    buildID = Self.buildID(of: handle)
  }

  deinit {
    elf_end(handle)
    close(descriptor)
  }

  /// The checks on an open file, in the order in which each makes the next one safe.
  private static func begin(_ descriptor: Int32) throws(ImageProblem) -> OpaquePointer {
    // 2. Only a regular file has a size to hold the tables against.
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .unreadable(String(cString: strerror(errno)))
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile }
    let size = UInt64(max(0, status.st_size))

    // 3. The magic number is checked here, because libelf treats a file that ends within the header as one that is not
    //    ELF at all.
    var magic: [UInt8] = [0, 0, 0, 0]
    let count = repeatingInterrupted { pread(descriptor, &magic, magic.count, 0) }
    guard count >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
    guard count == magic.count, magic == [0x7F, 0x45, 0x4C, 0x46] else { throw .notELF }

    elf_version(UInt32(EV_CURRENT))
    guard let handle = elf_begin(descriptor, ELF_C_READ, nil) else {
      throw .damaged(lastError())
    }
    do {
      try check(handle, size: size)
    } catch {
      elf_end(handle)
      throw error
    }
    return handle
  }

  private static func check(_ handle: OpaquePointer, size: UInt64) throws(ImageProblem) {
    // 4. The header, which has the kind of the file and the positions of its tables.
    var header = GElf_Ehdr()
    guard elf_kind(handle) == ELF_K_ELF, gelf_getehdr(handle, &header) != nil else {
      throw .damaged("it ends within its header, after \(size) bytes")
    }
    guard header.e_type == ET_EXEC || header.e_type == ET_DYN else { throw .notLoadable }

    // 5. The tables themselves, so that no entry of them lies outside the file.
    try requireEnd(
      of: "segment table",
      at: header.e_phoff,
      UInt64(header.e_phentsize) * UInt64(header.e_phnum),
      within: size
    )
    try requireEnd(
      of: "section table",
      at: header.e_shoff,
      UInt64(header.e_shentsize) * UInt64(header.e_shnum),
      within: size
    )

    // 6. The targets of the tables.
    var section: OpaquePointer?
    while let next = elf_nextscn(handle, section) {
      section = next
      var entry = GElf_Shdr()
      guard gelf_getshdr(next, &entry) != nil else { throw .damaged(lastError()) }
      guard entry.sh_type != SHT_NOBITS, entry.sh_type != SHT_NULL else { continue }
      try requireEnd(
        of: "section \(elf_ndxscn(next))",
        at: entry.sh_offset,
        entry.sh_size,
        within: size
      )
    }
    var segmentCount = 0
    guard elf_getphdrnum(handle, &segmentCount) == 0 else { throw .damaged(lastError()) }
    for index in 0..<segmentCount {
      var entry = GElf_Phdr()
      guard gelf_getphdr(handle, Int32(index), &entry) != nil else {
        throw .damaged(lastError())
      }
      // A separate debug file keeps the segments of its program and none of their bytes.
      guard entry.p_type == PT_LOAD, section == nil else { continue }
      try requireEnd(of: "segment \(index)", at: entry.p_offset, entry.p_filesz, within: size)
    }
  }

  private static func requireEnd(
    of part: String,
    at offset: UInt64,
    _ length: UInt64,
    within size: UInt64
  ) throws(ImageProblem) {
    let (end, overflow) = offset.addingReportingOverflow(length)
    guard !overflow, end <= size else {
      throw .damaged("its \(part) ends after the file's \(size) bytes")
    }
  }

  private static func buildID(of handle: OpaquePointer) -> String {
    var bytes: UnsafeRawPointer?
    let count = dwelf_elf_gnu_build_id(handle, &bytes)
    guard count > 0, let bytes else { return "" }
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: UnsafeRawBufferPointer(start: bytes, count: count).flatMap {
        [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
      },
      as: UTF8.self
    )
  }

  private static func lastError() -> String {
    elf_errmsg(-1).map { String(cString: $0) } ?? "libelf gives no reason"
  }
}
