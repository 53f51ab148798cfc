import ArgumentParser
import KVOAudit
import KVOLogTools
import KVOSymbols

/// `kvo-audit anonymize`: logs that can be shared.
struct AnonymizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anonymize",
    abstract:
      "Replace the names in logs, so that they can be shared and have the same findings.",
    usage: "kvo-audit anonymize [<options>] <log> ...",
    discussion: """
      Classes, key paths, functions, files, images, threads, queues, scopes, reasons, fingerprints of \
      values and build-ids are replaced, equal names by equal ones. Names of the language, of the \
      system and of KVOSafety are kept, and so are numbers: lines, ids, times, addresses, process ids. \
      Addresses are symbolicated first, as far as that is possible here, because the recipient does not \
      have the program. Unreadable parts of a log are not copied; a "dropped" event replaces them.

      Rules, order and counts of findings stay the same. Signatures can be compared between logs that \
      were anonymized with the same --key. With the key one can test whether a guessed name is in a \
      log, and the map contains all names: share neither.

      Exit status: 0 written, 65 a log, key or map cannot be read, or not completely, 74 something cannot be written.

      EXAMPLES
        kvo-audit anonymize app.kvolog -o given.kvolog --map names.json
        kvo-audit anonymize a.kvolog b.kvolog -o given --key names.key
        kvo-audit anonymize --restore names.json report.txt
      """
  )

  @Argument(
    help: ArgumentHelp(
      "The logs; - is standard input. With --restore, a report or an anonymized log.",
      valueName: "log"
    ),
    completion: .file()
  )
  var logs: [String]

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "The file to write, or for several logs the folder, in which they are numbered; by default, standard output.",
      valueName: "file"
    )
  )
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The file of the key for the replacement; created if it does not exist. By default, each run has its own key.",
      valueName: "file"
    ),
    completion: .file()
  )
  var key: String?

  @Option(
    help: ArgumentHelp("Write the map of replaced names to this file.", valueName: "file"),
    completion: .file()
  )
  var map: String?

  @Option(
    help: ArgumentHelp("Restore the names of this map.", valueName: "map"),
    completion: .file()
  )
  var restore: String?

  func validate() throws {
    if restore != nil, key != nil || map != nil {
      throw ValidationError("--restore puts names back: it takes neither --key nor --map")
    }
    if restore != nil, logs.count > 1 {
      throw ValidationError("--restore reads one file: name one instead of \(logs.count)")
    }
    if logs.count > 1, output == nil {
      throw ValidationError("several logs need a folder to be written to: name it with -o")
    }
    for path in [output, key, map].compactMap(\.self)
    where logs.contains(where: { OutputFile.isSame(path, as: $0) || $0 == path }) {
      throw ValidationError("\"\(path)\" is a log itself, and would be overwritten")
    }
    let named = [output, key, map, restore].compactMap(\.self)
    for (index, path) in named.enumerated()
    where named[..<index].contains(where: { $0 == path || OutputFile.isOneFile($0, path) }) {
      throw ValidationError("\"\(path)\" is named twice; each file needs a name of its own")
    }
  }

  func run() throws {
    if let restore { return try restoreNames(restore) }
    let copies =
      try logs.count > 1 || output.map(OutputFile.isFolder) == true ? numbered() : [output]
    let files = (copies + [map]).compactMap(\.self)
    // The numbered copies may be the file of the key; a new key is written like them.
    let keys = [key].compactMap(\.self)
    let isNewKey = key.map { !OutputFile.exists($0) } ?? false
    try OutputFile.check(
      files + (isNewKey ? keys : []),
      reading: logs.map { AuditInput(argument: $0) },
      and: keys
    )
    var anonymization = LogAnonymization(
      key: try loadKey(),
      resolver: DwarfFrameResolver.withIndices()
    )
    var isComplete = true
    var isWritten = false
    // A log that cannot be read does not keep the others from being written, nor the map of what was.
    for (log, copy) in zip(logs, copies) {
      let result = try anonymize(log, to: copy, &anonymization)
      isComplete = isComplete && result.isComplete
      isWritten = isWritten || result.isWritten
    }
    if let map, isWritten { try OutputFile.writeSecret(anonymization.map.bytes, to: map) }
    if key == nil, isWritten {
      StandardStreams.complain(
        "kvo-audit: without --key the names are of this run alone: compare the log with no other"
      )
    }
    if !isComplete { throw ExitStatus.unreadable }
  }

  /// One file for each log, in the folder ``output``; the names of logs may reveal their owners.
  private func numbered() throws -> [String?] {
    guard let output else { return [] }
    try OutputFile.makeFolder(output)
    return zip(1..., logs).map { number, log in
      // Not only at the end: "app.kvolog.gz" and "app.kvolog.1" are binary, too.
      let endings = log.split(separator: "/").last?.split(separator: ".").dropFirst() ?? []
      return "\(output)/\(number).\(endings.contains("kvolog") ? "kvolog" : "jsonl")"
    }
  }

  private func loadKey() throws -> AnonymizationKey {
    guard let key else { return Self.fresh }
    if !OutputFile.exists(key),
      try OutputFile.createSecret(AnonymizationKey.randomBytes(), at: key)
    {
      StandardStreams.complain(
        "kvo-audit: \(key): made a new key; keep it, and keep it to yourself"
      )
    }
    do throws(InputFailure) {
      return try AnonymizationKey(contentsOf: key)
    } catch {
      StandardStreams.complain("kvo-audit: \(error.message)")
      throw ExitStatus.unreadable
    }
  }

  private static var fresh: AnonymizationKey {
    guard let key = AnonymizationKey(AnonymizationKey.randomBytes()) else {
      preconditionFailure("a made key is long enough")
    }
    return key
  }

  /// Writes the copy of a log.
  ///
  /// - Returns: whether the log was read as a whole, and whether a copy of it, or a part of one, was written.
  private func anonymize(
    _ log: String,
    to copy: String?,
    _ anonymization: inout LogAnonymization
  ) throws -> (isComplete: Bool, isWritten: Bool) {
    let sink = OutputSink(path: copy)
    let bar = ProgressBar()
    let isDamaged: Bool
    var hasBytes = false
    do throws(InputFailure) {
      let reading = try anonymization.run(
        AuditInput.named(by: log),
        progress: { bar.update(log, readByteCount: $0, byteCount: $1) },
        {
          hasBytes = true
          return sink.take($0, isBinary: $1 == .binary)
        }
      )
      bar.clear()
      isDamaged = IncompleteInput.reportDamage(in: reading, of: log)
    } catch {
      bar.clear()
      StandardStreams.complain("kvo-audit: \(error.message)")
      // Of a file nothing is left.
      return (false, hasBytes && copy == nil)
    }
    try sink.finish()
    return (!isDamaged, true)
  }

  private func restoreNames(_ path: String) throws {
    let sink = OutputSink(path: output)
    var isComplete = true
    if let output { try OutputFile.check([output], reading: []) }
    do throws(InputFailure) {
      let map = try PseudonymMap(contentsOf: path)
      for log in logs {
        let reading = try LogRestoration(map).run(AuditInput.named(by: log)) {
          sink.take($0, isBinary: $1 == .binary)
        }
        let isDamaged = IncompleteInput.reportDamage(in: reading, of: log)
        isComplete = isComplete && !isDamaged
      }
    } catch {
      StandardStreams.complain("kvo-audit: \(error.message)")
      throw ExitStatus.unreadable
    }
    try sink.finish()
    if !isComplete { throw ExitStatus.unreadable }
  }
}
