import KVOTrace

/// Makes other events of the events of a log.
protocol EventRewriting {
  /// The names for the ids of what was rewritten.
  var names: TraceNames { get }

  /// `event`, whose names are `source`'s, with ids of ``names``.
  mutating func rewritten(_ event: Event, from source: TraceNames) -> Event
}
