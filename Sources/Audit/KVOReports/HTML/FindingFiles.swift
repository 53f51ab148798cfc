import KVORules
import KVOTrace

/// The source files of a report's findings, each by the shortest name that no other one ends in.
struct FindingFiles {
  struct File: Hashable {
    /// The last components of the path: `Screen.swift`, or `Bank/Screen.swift` if there are two of these.
    var name: String
    var findingCount: Int
    /// The severity of its worst finding.
    var severity: Severity
  }

  /// The name of findings whose file is unknown.
  static let unknown = "no file known"

  /// The files with the most findings first; those without a file last.
  let files: [File]
  private let names: [String: String]

  /// Collects the files of `findings`.
  ///
  /// Complexity: O(n log n) in the findings, and O(components of the paths).
  init(_ findings: [Finding]) {
    let paths = findings.map { Self.path(of: $0) }
    let names = Self.names(of: Set(paths.compactMap(\.self)))
    var files: [String: File] = [:]
    for (finding, path) in zip(findings, paths) {
      let name = path.flatMap { names[$0] } ?? Self.unknown
      var file = files[name] ?? File(name: name, findingCount: 0, severity: finding.severity)
      file.findingCount += 1
      file.severity = max(file.severity, finding.severity)
      files[name] = file
    }
    self.names = names
    self.files = files.values.sorted { one, other in
      let order = (one.name == Self.unknown ? 1 : 0, -one.findingCount, one.name)
      return order < (other.name == Self.unknown ? 1 : 0, -other.findingCount, other.name)
    }
  }

  /// The name of the file of a finding that it was made from.
  subscript(finding: Finding) -> String {
    Self.path(of: finding).flatMap { names[$0] } ?? Self.unknown
  }

  /// The file of the first own frame, or of the line that the compiler gave, of the first stack that has one.
  private static func path(of finding: Finding) -> String? {
    for stack in finding.stacks {
      if let file = stack.frames.first(where: \.isFirstOwn)?.file { return file }
      if let site = stack.site.map({ SourceSite($0) }), site.line != nil {
        return String(site.file)
      }
    }
    return nil
  }

  /// For each path as many of its last components as no other path ends in.
  private static func names(of paths: Set<String>) -> [String: String] {
    var names: [String: String] = [:]
    var rest = paths.map { (path: $0, components: $0.split(separator: "/").map(String.init)) }
    var length = 1
    while !rest.isEmpty {
      let groups = Dictionary(grouping: rest) { $0.components.suffix(length) }
      rest = []
      for (suffix, group) in groups {
        // Two that differ only in slashes cannot be told apart by components.
        let isWhole = group.allSatisfy { $0.components.count <= length }
        for member in group {
          if group.count == 1 || isWhole {
            names[member.path] = suffix.joined(separator: "/")
          } else {
            rest.append(member)
          }
        }
      }
      length += 1
    }
    return names
  }
}
