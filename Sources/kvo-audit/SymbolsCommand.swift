import ArgumentParser
import KVOAudit
import KVOImport
import KVORules
import KVOSymbols
import KVOText
import KVOTrace

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// `kvo-audit symbols`: fills a symbol store.
struct SymbolsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbols",
    abstract:
      "Keep the debug information of all versions by build-id, for logs of stripped programs.",
    subcommands: [SymbolsAddCommand.self]
  )
}

/// `kvo-audit symbols add`.
struct SymbolsAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add programs, libraries, debug files and dSYMs to a symbol store.",
    discussion: """
      A symbol store is a folder with the debug information of all versions of a program. Its logs and \
      crash reports name each image by its build-id (a UUID on Apple's systems), and with --symbols an \
      audit finds the function, file and line of each frame in the store, whether the program itself is \
      on this machine, stripped, or neither.

      Each file is copied once to .build-id/ab/cdef….debug, where GDB and elfutils find it, too, and \
      indexed once, in the folder index, for all audits and all users of the store. If a program is \
      stripped, its separate debug file is added. Several machines can add at the same time.

      EXAMPLES
        kvo-audit symbols add --symbols /srv/symbols .build/release/App
        kvo-audit symbols add --symbols /srv/symbols App.xcarchive/dSYMs
        kvo-audit --symbols /srv/symbols logs/
      """
  )

  @Argument(
    help: ArgumentHelp(
      "The programs, libraries, debug files, dSYMs, or folders of them.",
      valueName: "binary"
    )
  )
  var binaries: [String]

  @Option(
    name: .customLong("symbols"),
    help: ArgumentHelp(
      "The store; by default, that of KVO_SAFETY_SYMBOLS in the environment.",
      valueName: "folder"
    ),
    completion: .directory
  )
  var store: String?

  func run() throws {
    let named = self.store.flatMap { $0.isEmpty ? nil : SymbolStore(path: $0) }
    guard let store = named ?? .user else {
      throw ValidationError(
        "Name the folder of the store, as in --symbols /srv/symbols, or in KVO_SAFETY_SYMBOLS."
      )
    }
    var indices = SymbolIndexFolder(path: store.indexPath, program: AuditVersion.current)
    indices.byteLimit = .max
    indices.isShared = true
    var status: ExitCode?
    for path in binaries {
      let elf = DebugFiles([path])
      let apple = AppleDebugFiles.images(at: path)
      if elf.all.isEmpty, apple.isEmpty {
        status = ExitStatus.unreadable
        complain(
          access(path, F_OK) == 0
            ? "\"\(path)\" is not added: it is not an ELF file with a build-id, a dSYM or a folder of them"
            : "\"\(path)\" does not exist"
        )
      }
      for file in elf.all {
        let addition = store.add(elf: file)
        status = try say(addition, of: file) ?? status
        if let buildID = addition.buildID { index(file, buildID, of: store, in: indices) }
      }
      for image in apple {
        status = try say(store.add(image.path, withBuildID: image.uuid), of: image.path) ?? status
      }
    }
    if let status { throw status }
  }

  /// Prints what happened with a file; returns the status to exit with if it was not added.
  private func say(_ addition: SymbolStore.Addition, of path: String) throws -> ExitCode? {
    switch addition {
    case .added(let buildID, let byteCount):
      try print("\(path): added as \(buildID), \(Wording.grouped(byteCount)) bytes")
    case .existed(let buildID): try print("\(path): is in the store as \(buildID)")
    case .useless:
      complain("\"\(path)\" is not added: it has no debug information; build with -g")
      return ExitStatus.unreadable
    case .unusable(let sentence):
      complain(sentence)
      return ExitStatus.unreadable
    case .refused(let sentence):
      complain(sentence)
      return ExitStatus.unwritable
    }
    return nil
  }

  /// Creates the index of the stored file; without it, audits are slower, and have the same results.
  private func index(
    _ path: String,
    _ buildID: String,
    of store: SymbolStore,
    in indices: SymbolIndexFolder
  ) {
    guard !SymbolIndexFolder.areDisabled, let file = store.file(forBuildID: buildID) else { return }
    let resolver = DwarfFrameResolver(debugRoots: [], indices: indices)
    let image = Module(path: file, buildID: buildID, loadBias: 0, textStart: 0, textEnd: .max)
    if resolver.makeIndex(of: image) == .notKept {
      complain(indices.message(notKept: path))
    }
  }

  private func print(_ text: String) throws {
    try StandardStreams.deliver(Array("\(ShownText.escaped(text))\n".utf8))
  }

  private func complain(_ text: String) { StandardStreams.complain("kvo-audit: \(text)") }
}

extension SymbolStore {
  /// The store according to the environment, or nil.
  static var user: SymbolStore? {
    getenv("KVO_SAFETY_SYMBOLS").map { String(cString: $0) }
      .flatMap { $0.isEmpty ? nil : SymbolStore(path: $0) }
  }
}
