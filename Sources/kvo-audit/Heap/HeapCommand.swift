import ArgumentParser
import KVOAudit
import KVOHeap
import KVOText

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `kvo-audit heap`: the contents of a process's memory.
struct HeapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "heap",
    abstract: "Read heap snapshots: classes, what holds an object, cycles, what grew.",
    discussion: """
      A program writes a snapshot with RetainSearch().writeSnapshot(to: "app.kvoheap"), and one that \
      called RetainSearch().allowSnapshots() takes one for "kvo-audit heap --pid PID". \
      "kvo-audit heap FILE" lists classes; "kvo-audit help heap show" lists the options.

      Exit status: 0 the snapshot was read, 64 there is no such object, 65 it cannot be read.

      EXAMPLES
        Classes by retained size:
          kvo-audit heap app.kvoheap
        The same of a running process, and keep its snapshot:
          kvo-audit heap --pid 4711 --output app.kvoheap
        The shortest path from a root to an object:
          kvo-audit heap --path Screen app.kvoheap
          kvo-audit heap --path 0x7f2b5c00a910 app.kvoheap
        Objects that keep each other alive:
          kvo-audit heap --cycles app.kvoheap
        Those that nothing else owns:
          kvo-audit heap --leaks app.kvoheap
        What grew, and what holds it:
          kvo-audit heap diff before.kvoheap after.kvoheap
      """,
    subcommands: [HeapShowCommand.self, HeapDiffCommand.self],
    defaultSubcommand: HeapShowCommand.self
  )

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
  }

  /// - Throws: `ValidationError` if `limit` is not a number of lines.
  static func check(limit: Int) throws {
    if limit < 0 { throw ValidationError("--limit \(limit): must not be negative") }
  }

  /// Reads a file.
  ///
  /// - Throws: ``ExitStatus/unreadable`` if it cannot be read, after printing the error.
  static func snapshot(of path: String) throws -> HeapSnapshot {
    try snapshot(of: path) { () throws(InputFailure) in try bytes(of: path) }
  }

  /// Asks a process for its snapshot, and writes that to `output`.
  ///
  /// - Throws: ``ExitStatus/unreadable`` if there is none, and ``ExitStatus/unwritable``, after
  ///   printing the error.
  static func snapshot(ofProcess process: Int32, output: String?) throws -> HeapSnapshot {
    if let output { try OutputFile.check([output], reading: []) }
    var received: [UInt8] = []
    let snapshot = try snapshot(of: "process \(process)") { () throws(InputFailure) in
      received = try HeapClient(process: process).snapshot()
      return received
    }
    if let output { try OutputFile.writeSecret(received, to: output) }
    return snapshot
  }

  private static func snapshot(
    of input: String,
    _ bytes: () throws(InputFailure) -> [UInt8]
  ) throws -> HeapSnapshot {
    let result = Result { () throws(InputFailure) in
      let bytes = try bytes()
      do throws(HeapFileError) {
        return try HeapFile.snapshot(of: bytes)
      } catch {
        throw InputFailure(input: input, reason: error.description)
      }
    }
    switch result {
    case .success(let snapshot): return snapshot
    case .failure(let failure):
      StandardStreams.complain("kvo-audit: \(failure.message)")
      throw ExitStatus.unreadable
    }
  }

  /// The bytes of a file that begins like a snapshot, and has as many as its header says.
  private static func bytes(of path: String) throws(InputFailure) -> [UInt8] {
    let source = try ByteSource(path: path)
    var bytes = SnapshotBytes()
    while true {
      let chunk = try source.read()
      if chunk.isEmpty { return bytes.all }
      do throws(HeapFileError) {
        try bytes.append(chunk, knownByteCount: source.knownByteCount)
      } catch {
        throw InputFailure(input: path, reason: error.description)
      }
    }
  }
}

/// `kvo-audit heap FILE`.
struct HeapShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "List the classes of a snapshot, with their retained sizes (default)."
  )

  @Argument(help: ArgumentHelp("The snapshot.", valueName: "file"))
  var file: String?

  @Option(
    name: .customLong("pid"),
    help: ArgumentHelp(
      "Take a snapshot of this running process, which must allow it, instead of reading a file.",
      valueName: "pid"
    )
  )
  var process: Int32?

  @Option(
    help: ArgumentHelp("Keep the snapshot of the process in this file.", valueName: "file")
  )
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The shortest path from a root to an object of this class, or to the one at this address.",
      valueName: "class|address"
    )
  )
  var path: String?

  @Flag(help: "List cycles of proven references.")
  var cycles = false

  @Flag(help: "List objects that keep each other alive and that nothing else owns.")
  var leaks = false

  @Option(help: "The number of classes or cycles to list; 0 lists all.")
  var limit = 30

  @Option(help: "The form of the output.")
  var format: HeapCommand.Format = .text

  func validate() throws {
    try HeapCommand.check(limit: limit)
    switch (file, process) {
    case (nil, nil): throw ValidationError("name a snapshot, or a process with --pid")
    case (.some, .some): throw ValidationError("name a snapshot or a process, not both")
    case (.some, nil):
      if output != nil { throw ValidationError("--output needs --pid: a file is there already") }
    case (nil, .some(let process)):
      if process <= 0 { throw ValidationError("--pid \(process): must be positive") }
    }
  }

  /// The file or the process, in messages.
  private var input: String { file ?? process.map { "process \($0)" } ?? "" }

  private func snapshot() throws -> HeapSnapshot {
    guard let process else { return try HeapCommand.snapshot(of: input) }
    return try HeapCommand.snapshot(ofProcess: process, output: output)
  }

  func run() throws {
    let snapshot = try snapshot()
    let report = HeapReport(of: snapshot, limit: limit == 0 ? .max : limit)
    let bytes: [UInt8]
    if let path {
      let target = HeapTarget(path, in: snapshot)
      guard target.matchCount > 0 else {
        let near = Wording.near(path, in: Array(Set(snapshot.classes.map(\.name))))
        let advice = near.first.map { "; did you mean \"\($0)\"?" } ?? ""
        StandardStreams.complain(
          InputFailure(input: "kvo-audit", reason: "\(input): no object of \"\(path)\"\(advice)")
            .message
        )
        throw ExitCode(64)
      }
      bytes = format == .json ? report.json(pathTo: target) : report.text(pathTo: target)
    } else if leaks {
      bytes = format == .json ? report.leaksJSON : report.leaksText
    } else if cycles {
      bytes = format == .json ? report.cyclesJSON : report.cyclesText
    } else {
      bytes = format == .json ? report.classesJSON : report.classesText
    }
    try StandardStreams.deliver(bytes)
  }
}

/// `kvo-audit heap diff`.
struct HeapDiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract:
      "List the classes with more objects in a later snapshot, and what holds the new objects.",
    discussion: """
      Write both in the same process. An object is new if the older snapshot has no object of its class \
      at its address. The holder of a new object is its immediate dominator.
      """
  )

  @Argument(help: ArgumentHelp("The older snapshot.", valueName: "old"))
  var old: String

  @Argument(help: ArgumentHelp("The newer snapshot.", valueName: "new"))
  var new: String

  @Option(help: "The number of classes to list; 0 lists all.")
  var limit = 30

  @Option(help: "The form of the output.")
  var format: HeapCommand.Format = .text

  func validate() throws {
    try HeapCommand.check(limit: limit)
  }

  func run() throws {
    let snapshots = try [old, new].map { try HeapCommand.snapshot(of: $0) }
    let difference = HeapDifference(
      from: snapshots[0],
      to: snapshots[1],
      Dominators(of: snapshots[1])
    )
    let report = HeapDifferenceReport(
      difference: difference,
      limit: limit == 0 ? .max : limit,
      isOneProcess: snapshots[0].isOfSameProcess(as: snapshots[1]),
      oldGaps: snapshots[0].gaps,
      newGaps: snapshots[1].gaps
    )
    try StandardStreams.deliver(format == .json ? report.json : report.text)
  }
}
