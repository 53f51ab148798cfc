import ArgumentParser
import KVORules

/// What `--contain` asks the library inside the recorded program to keep from happening.
enum Containment: Hashable, ExpressibleByArgument, CustomStringConvertible {
  case all
  /// The faults of these rules.
  case rules([RuleCode])

  init?(argument: String) {
    if argument == "all" {
      self = .all
      return
    }
    var codes: [RuleCode] = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let entry = RuleCatalogue.entry(named: String(name)) else { return nil }
      codes.append(entry.code)
    }
    self = .rules(codes)
  }

  /// As the library reads it from `KVO_SAFETY_CONTAIN`.
  var description: String {
    switch self {
    case .all: "all"
    case .rules(let codes): codes.map(\.rawValue).joined(separator: ",")
    }
  }
}
