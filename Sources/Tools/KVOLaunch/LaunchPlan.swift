import Glibc

/// The program to run, checked as far as files allow.
package struct LaunchPlan: Hashable, Sendable {
  /// The program's name as the user gave it.
  package let name: String
  /// The file that is executed.
  let executable: String
  /// Its arguments, its name first.
  let arguments: [String]
  /// The file that runs in the end: the program, or the interpreter of a script.
  package let image: String
  /// The dynamic loader of ``image``, or nil if none is known.
  let loader: String?
  /// Whether ``image`` is linked statically, so that no library can be put into it.
  package let isStatic: Bool

  /// As many interpreters as the kernel follows, one of the other.
  private static let interpreterLimit = 5

  /// Finds a program and looks at what it is.
  ///
  /// - Parameters:
  ///   - command: its name or path, and its arguments; not empty.
  ///   - searchPath: the value of PATH; nil: it is not set.
  /// - Throws: ``LaunchRefusal`` if it cannot be run, or not be recorded.
  package init(command: [String], searchPath: String?) throws(LaunchRefusal) {
    let name = command.first ?? ""
    let path = try ProgramSearch.path(of: name, searchPath: searchPath)
    let end = try Self.follow(path)
    self.name = name
    executable = end.isShellText ? "/bin/sh" : path
    arguments = end.isShellText ? ["/bin/sh", path] + command.dropFirst() : command
    image = end.image
    loader = end.program?.loader
    isStatic = end.program != nil && loader == nil
    try Self.check(end.image, end.program)
  }

  /// The file that runs in the end, what its headers say, and whether a shell must be put before
  /// it.
  private typealias End = (image: String, program: ElfProgram?, isShellText: Bool)

  private static func follow(_ path: String) throws(LaunchRefusal) -> End {
    var image = path
    for _ in 0...interpreterLimit {
      switch ProgramFile(path: image) {
      case .elf(let program): return (image, program, false)
      case .unreadable: return (image, nil, false)
      case .script(let interpreter):
        guard access(interpreter, X_OK) == 0 else {
          throw .unusable(
            "\"\(image)\" is to be run by \"\(interpreter)\", as its first line says, and that "
              + (access(interpreter, F_OK) == 0 ? "is not executable" : "does not exist")
          )
        }
        image = interpreter
      // As an interpreter the kernel does not take it, either.
      case .plainText where image == path:
        let shell = try follow("/bin/sh")
        return (shell.image, shell.program, true)
      case .machO:
        throw .unusable(
          "\"\(image)\" is a program of Apple's systems; Documentation/AppleEmitter.md says how to "
            + "record there, and kvo-audit reads the log here"
        )
      case .damaged: throw .unusable("\"\(image)\" is an ELF file with damaged headers")
      case .plainText, .other: throw .unusable("\"\(image)\" is neither a program nor a script")
      }
    }
    throw .unusable("\"\(path)\" is a script, and too many interpreters of it are scripts, too")
  }

  private static func check(_ image: String, _ program: ElfProgram?) throws(LaunchRefusal) {
    if let program {
      guard program.machine == .own else {
        throw .unusable(
          "\"\(image)\" was built for \(program.machine), and this kvo-audit records programs for "
            + "\(ElfProgram.Machine.own); run a kvo-audit of that machine"
        )
      }
      if let loader = program.loader, access(loader, X_OK) != 0 {
        throw .unusable(
          "\"\(image)\" needs the loader \"\(loader)\", which is not on this machine: it was built "
            + "for another system"
        )
      }
    }
    if let privilege = Privilege(path: image) {
      throw .unusable(
        "\"\(image)\" is \(privilege.rawValue), and such a program takes no orders from the "
          + "environment; record a copy of it, which is not: cp \"\(image)\" ."
      )
    }
  }
}
