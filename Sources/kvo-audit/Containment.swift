import ArgumentParser
import KVORules

/// What `--contain` asks the library inside the recorded program to keep from happening.
enum Containment: Hashable, ExpressibleByArgument, CustomStringConvertible {
  case all
  /// The faults of these rules.
  case rules([RuleCode])
  /// A text that names something else.
  ///
  /// Not refused by the initialiser: ArgumentParser 1.8 then takes `--contain=x` for `--contain`.
  case unknown(String)

  init(argument: String) {
    if argument == "all" {
      self = .all
      return
    }
    var codes: [RuleCode] = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let entry = RuleCatalogue.entry(named: String(name)) else {
        self = .unknown(String(name))
        return
      }
      codes.append(entry.code)
    }
    self = .rules(codes)
  }

  /// As the library reads it from `KVO_SAFETY_CONTAIN`.
  var description: String {
    switch self {
    case .all: "all"
    case .rules(let codes): codes.map(\.rawValue).joined(separator: ",")
    case .unknown(let name): name
    }
  }
}
