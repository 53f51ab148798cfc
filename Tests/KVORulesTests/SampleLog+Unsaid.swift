import KVOTrace

// What a log may leave out.
extension SampleLog {
  /// No event says its thread.
  mutating func forgetThreads() {
    for place in events.indices { events[place].thread = nil }
  }

  /// Every event that is in a scope says so.
  mutating func saysScopes() {
    events.insert(Event(.process(ProcessInfo(saysScopes: true))), at: 0)
  }
}
