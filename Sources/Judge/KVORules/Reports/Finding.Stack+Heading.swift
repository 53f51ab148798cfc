extension Finding.Stack {
  /// The heading of a stack: its role and its thread.
  package var heading: String {
    role.phrase + (threadPhrase.map { ", \($0)" } ?? "")
  }

  /// `on thread 1 (main)`; nil if it is unknown.
  package var threadPhrase: String? {
    thread.map { "on thread \($0)" + (threadName.map { " (\($0))" } ?? "") }
  }
}

extension Evidence.Role {
  fileprivate var phrase: String {
    switch self {
    case .failed: "Failed at"
    case .removed: "Previously removed at"
    case .registered: "Registered at"
    case .deallocated: "Deallocated at"
    case .changed: "Changed at"
    case .notified: "Notified at"
    case .scope: "Scope opened at"
    case .locked: "Locked at"
    case .attached: "Attached at"
    case .seen: "Seen before at"
    case .raised: "Raised at"
    case .resumed: "Previously resumed at"
    }
  }
}
