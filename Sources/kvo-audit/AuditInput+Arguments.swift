import KVOAudit
import KVOCompression

// Every input that a command line names may be compressed.
extension AuditInput {
  /// The inputs that arguments name, which may be folders and patterns.
  static func named(by arguments: [String]) -> [AuditInput] {
    inputs(arguments: arguments, decompression: Decompression())
  }

  /// The input that an argument names.
  static func named(by argument: String) -> AuditInput {
    AuditInput(argument: argument, decompression: Decompression())
  }
}
