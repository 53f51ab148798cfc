import Foundation

/// An event of a log, as a line of JSON has it.
struct LoggedEvent {
  let keys: [String: Any]

  var name: String { text("event") ?? "" }

  func text(_ key: String) -> String? { keys[key] as? String }
}

extension Guarded {
  /// The events of all logs, as `kvo-audit convert` gives them.
  func events() throws -> [LoggedEvent] {
    try logs.flatMap { log in
      try Data(convert(log).utf8).split(separator: UInt8(ascii: "\n")).compactMap {
        (try JSONSerialization.jsonObject(with: $0) as? [String: Any]).map(LoggedEvent.init)
      }
    }
  }
}
