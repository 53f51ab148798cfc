import ArgumentParser
import KVORules

/// The faults that `--contain` prevents in the recorded program.
enum Containment: Hashable, ExpressibleByArgument, CustomStringConvertible {
  case all
  /// The faults of these rules.
  case rules([RuleCode])
  /// A text that is something else.
  ///
  /// The initializer does not refuse it: ArgumentParser 1.8 would then parse `--contain=x` as
  /// `--contain`.
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

  /// The value of `KVO_SAFETY_CONTAIN` for the library.
  var description: String {
    switch self {
    case .all: "all"
    case .rules(let codes): codes.map(\.rawValue).joined(separator: ",")
    case .unknown(let name): name
    }
  }
}
