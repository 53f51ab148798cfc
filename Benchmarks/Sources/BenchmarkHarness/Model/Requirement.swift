import Foundation

/// Something that a peer needs and that not every machine has.
package enum Requirement: Hashable, Sendable {
  /// A C header, as in an include directive.
  case header(String, package: String)
  /// A program in PATH.
  case tool(String, package: String)

  /// A component of GCC, by its name.
  case compilerPart(String, package: String)

  /// The Debian package that contains it.
  package var package: String {
    switch self {
    case .header(_, let package), .tool(_, let package), .compilerPart(_, let package): package
    }
  }

  /// Whether this machine has it.
  package var isMet: Bool {
    switch self {
    case .header(let name, _):
      ["/usr/include", "/usr/include/\(Self.architecture)-linux-gnu"].contains {
        FileManager.default.fileExists(atPath: "\($0)/\(name)")
      }
    case .tool(let name, _): Tool.path(of: name) != nil
    case .compilerPart(let name, _):
      Tool.path(of: "gcc").flatMap { try? ChildProcess.run($0, ["-print-prog-name=\(name)"]) }?
        .output.hasPrefix("/") == true
    }
  }

  /// The packages of the requirements that this machine lacks, each once.
  package static func missingPackages(of requirements: [Requirement]) -> [String] {
    requirements.filter { !$0.isMet }.map(\.package)
      .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private static var architecture: String {
    #if arch(x86_64)
    "x86_64"
    #elseif arch(arm64)
    "aarch64"
    #else
    "unknown"
    #endif
  }
}

/// Lookup of programs in PATH.
package enum Tool {
  /// The absolute path of `name`, or nil if PATH does not have it.
  package static func path(of name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return folders.split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
