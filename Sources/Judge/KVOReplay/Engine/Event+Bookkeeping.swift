import KVOTrace

extension Event.Body {
  /// Whether the event is about the process or its log, and not about what its thread does.
  var isBookkeeping: Bool {
    switch self {
    case .process, .module, .threadName, .live, .dropped, .keep, .sample, .expects, .parked, .crash,
      .exit:
      true
    default: false
    }
  }
}
