import ArgumentParser
import KVOAudit
import KVORules
import KVOSymbols
import KVOText
import KVOTrace

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// `kvo-audit index`: creates and removes the indices for fast symbolication.
struct IndexCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index",
    abstract: "Index the debug information of programs and libraries, to audit their logs faster.",
    discussion: """
      An index has the function, file and line of each address of an image, like the debug \
      information, but need not parse it. An audit creates one by itself when it looks up 256 \
      addresses of an image, and uses an existing one; this command creates it beforehand.

      Indices are stored by build-id in $XDG_CACHE_HOME/kvo-audit, or otherwise ~/.cache/kvo-audit, where \
      all processes of a user share them. They are a cache: an index that is damaged, of another version \
      or of other files is not used but created again, and if their total size exceeds 512 MB, the least \
      recently used ones are removed. With KVO_SAFETY_INDEX=off in the environment, kvo-audit neither uses \
      nor creates any.

      EXAMPLES
        kvo-audit index .build/release/App
        kvo-audit index --dsym App.debug /usr/bin/App
        kvo-audit index --remove
      """
  )

  @Argument(help: ArgumentHelp("The programs and libraries.", valueName: "binary"))
  var binaries: [String] = []

  @Option(
    name: .customLong("dsym"),
    help: ArgumentHelp(
      "An ELF file with debug information, or a folder with such files (repeatable).",
      valueName: "path"
    )
  )
  var dsyms: [String] = []

  @Flag(help: "Remove all indices first.")
  var remove = false

  func validate() throws {
    guard binaries.isEmpty, !remove else { return }
    throw ValidationError(
      "Name the programs and libraries to index, or pass --remove to remove all indices."
    )
  }

  func run() throws {
    guard let folder = SymbolIndexFolder.user else {
      StandardStreams.complain(
        "kvo-audit: there is no folder for indices: KVO_SAFETY_INDEX is \"off\", or neither XDG_CACHE_HOME "
          + "nor HOME is an absolute path"
      )
      throw ExitStatus.unwritable
    }
    if remove {
      let removed = folder.removeAll()
      let count = Wording.count(removed.count, "index", "indices")
      try say("Removed \(count), \(Wording.grouped(removed.byteCount)) bytes, from \(folder.path).")
    }
    let files = DebugFiles(dsyms)
    let resolver = DwarfFrameResolver.withIndices(files)
    var status: ExitCode?
    for path in files.others {
      status = ExitStatus.unreadable
      complain("\"\(path)\" is not used: there is no ELF file with a build-id")
    }
    for path in binaries {
      let image = Module(path: path, buildID: "", loadBias: 0, textStart: 0, textEnd: .max)
      switch resolver.makeIndex(of: image) {
      case .made(let byteCount):
        try say("\(path): indexed, \(Wording.grouped(byteCount)) bytes")
      case .existed:
        try say("\(path): has an index")
      case .nothingToIndex:
        status = ExitStatus.unreadable
        complain("\"\(path)\" has no build-id or no debug information; build with -g")
      case .notKept:
        status = status ?? ExitStatus.unwritable
        complain(folder.message(notKept: path))
      case .unusable(let problem):
        status = ExitStatus.unreadable
        complain(problem)
      }
    }
    if let status { throw status }
  }

  private func say(_ text: String) throws {
    try StandardStreams.deliver(Array("\(ShownText.escaped(text))\n".utf8))
  }

  private func complain(_ text: String) { StandardStreams.complain("kvo-audit: \(text)") }
}

extension SymbolIndexFolder {
  /// Whether the environment of this process disables indices.
  static var areDisabled: Bool {
    getenv("KVO_SAFETY_INDEX").map { String(cString: $0) } == "off"
  }

  /// The folder according to the environment of this process, or nil.
  static var user: SymbolIndexFolder? {
    SymbolIndexFolder(
      environment: { getenv($0).map { String(cString: $0) } },
      program: AuditVersion.current
    )
  }
}

extension DwarfFrameResolver {
  /// Creates a resolver that uses and creates indices.
  ///
  /// - Parameters:
  ///   - debugFiles: the files that the user specified.
  ///   - store: the symbol store, whose indices are used, too.
  /// - Returns: the resolver; it uses no indices if the environment disables them.
  static func withIndices(
    _ debugFiles: DebugFiles = DebugFiles(),
    store: SymbolStore? = .user
  ) -> DwarfFrameResolver {
    var indices = SymbolIndexFolder.user
    indices?.other = store?.indexPath
    return DwarfFrameResolver(debugFiles: debugFiles, store: store, indices: indices)
  }
}
