import Glibc
import KVOSystem

/// The kind of an executable file, by its first bytes, as the kernel determines it.
enum ProgramFile: Hashable {
  case elf(ElfProgram)
  /// A text that names what runs it.
  case script(interpreter: String)
  /// A text that does not: shells run it themselves, and so does `execvp`.
  case plainText
  /// A program of Apple's systems.
  case machO
  /// Neither a program nor a text.
  case other
  /// An ELF file whose headers cannot be read.
  case damaged
  /// May be run but not read.
  case unreadable

  /// How far the kernel looks.
  private static let headByteCount = 256

  /// Looks at the file at `path`.
  init(path: String) {
    let descriptor = repeatingInterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else {
      self = .unreadable
      return
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.headByteCount)
    let count = repeatingInterrupted { pread(descriptor, &bytes, bytes.count, 0) }
    guard count >= 0 else {
      self = .unreadable
      return
    }
    let head = bytes[..<count]
    if head.starts(with: [0x7F, 0x45, 0x4C, 0x46]) {
      self = ElfProgram(descriptor: descriptor).map(ProgramFile.elf) ?? .damaged
    } else if let script = Self.script(head) {
      self = script
    } else if Self.machOMagics.contains(where: head.starts(with:)) {
      self = .machO
    } else {
      // As bash recognizes a text: no NUL in its first line.
      self = head.prefix { $0 != 0x0A }.contains(0) ? .other : .plainText
    }
  }

  /// Both sizes, and several in one file.
  private static let machOMagics: [[UInt8]] = [
    [0xCF, 0xFA, 0xED, 0xFE], [0xCE, 0xFA, 0xED, 0xFE], [0xCA, 0xFE, 0xBA, 0xBE],
  ]

  /// The first line of a script: `#!` and a path; what follows is the interpreter's.
  private static func script(_ head: ArraySlice<UInt8>) -> ProgramFile? {
    guard head.starts(with: "#!".utf8) else { return nil }
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let line = head.dropFirst(2).prefix { $0 != 0x0A && $0 != 0 }.drop(while: isBlank)
    let interpreter = line.prefix { !isBlank($0) }
    guard !interpreter.isEmpty else { return nil }
    return .script(interpreter: String(decoding: interpreter, as: UTF8.self))
  }
}
