package import KVOTrace

/// The source of a usage log.
package enum AuditInput: Sendable {
  /// A file, a FIFO or a device, which may be compressed if `decompression` is given.
  case file(path: String, decompression: (any InputDecompression)? = nil)
  /// Standard input, after the bytes of `beginning`, which were read from it already.
  case standardInput(decompression: (any InputDecompression)? = nil, beginning: [UInt8] = [])
  /// A folder that stands for no other input, because there is none in it or it cannot be read.
  case folder(path: String)
  /// Events that this process recorded itself, with the names for their ids. `label` replaces the path in reports.
  case events([Event], names: TraceNames, label: String)

  /// The input of a command line argument: `-` is standard input.
  package init(argument: String, decompression: (any InputDecompression)? = nil) {
    self =
      argument == "-"
      ? .standardInput(decompression: decompression)
      : .file(path: argument, decompression: decompression)
  }

  /// How reports and messages name the input.
  package var label: String {
    switch self {
    case .file(let path, _), .folder(let path): path
    case .standardInput: "standard input"
    case .events(_, _, let label): label
    }
  }
}
