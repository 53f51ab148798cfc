extension Evidence.Role {
  /// What a stack in this role proves, as the line above it says it.
  package var phrase: String {
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
    }
  }
}
