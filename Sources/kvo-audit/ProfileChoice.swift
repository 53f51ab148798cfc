import ArgumentParser
import KVORules

/// The runtime that logs are judged as, or all of them.
enum ProfileChoice: ExpressibleByArgument {
  case one(Profile)
  /// A table of the consequence of each fault on each runtime.
  case all

  init?(argument: String) {
    if argument == "all" {
      self = .all
    } else if let profile = Profile(rawValue: argument) {
      self = .one(profile)
    } else {
      return nil
    }
  }

  var single: Profile? { if case .one(let profile) = self { profile } else { nil } }

  static var allValueStrings: [String] { Profile.allCases.map(\.rawValue) + ["all"] }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
