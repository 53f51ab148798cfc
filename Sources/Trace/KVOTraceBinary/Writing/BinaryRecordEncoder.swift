package import KVOTrace

/// Encodes events as records of the binary form.
///
/// The records of one segment accumulate in ``bytes`` and the definitions that they need in ``tables``; ``takeBytes()``
/// ends the segment. The times of the events are used as ticks. Every event that follows the grammar is decoded
/// unchanged. Not synchronized.
package struct BinaryRecordEncoder {
  /// The strings and stacks that the records name.
  package var tables = BinaryTableEncoder()
  /// Whole records of the present segment.
  package internal(set) var bytes: [UInt8] = []

  private var lastTime: UInt64 = 0
  private var thread: ThreadID?
  private var scope: ScopeID?
  /// The names of the event that is being appended; none in between, so that code that adds to them
  /// need not copy them first.
  private var names = TraceNames()

  package init() {}

  /// The records since the last call; the next record begins a segment, as ``begin(baseTick:thread:)``.
  package mutating func takeBytes() -> [UInt8] {
    let taken = bytes
    bytes.removeAll(keepingCapacity: true)
    begin()
    return taken
  }

  /// Sets the header values of the segment that the next event begins.
  package mutating func begin(baseTick: UInt64 = 0, thread: ThreadID? = nil) {
    lastTime = baseTick
    self.thread = thread
    scope = nil
  }

  /// Appends the record of `event`, preceded by changes of its thread and scope.
  ///
  /// Complexity: O(size of the event).
  ///
  /// - Parameters:
  ///   - event: what to encode.
  ///   - names: the table that the event's ids are from; another one traps. It may have grown since
  ///     the last call, but must be the same.
  package mutating func append(_ event: Event, names: TraceNames) {
    self.names = names
    defer { self.names = TraceNames() }
    if event.thread != thread {
      thread = event.thread
      bytes.append(BinaryFormat.Record.thread.rawValue)
      optional(thread)
    }
    if event.scope != scope {
      scope = event.scope
      bytes.append(BinaryFormat.Record.scope.rawValue)
      optional(scope)
    }
    var flags: UInt8 = 0
    if event.stack != .none { flags |= BinaryFormat.Flags.stack }
    if let time = event.time {
      if time < lastTime { flags |= BinaryFormat.Flags.wholeTime }
    } else {
      flags |= BinaryFormat.Flags.timeless
    }
    var kind = BinaryFormat.Record(of: event.body).rawValue
    if event.order != nil { kind |= BinaryFormat.orderBit }
    if flags != 0 { kind |= BinaryFormat.flagsBit }
    bytes.append(kind)
    if flags != 0 { bytes.append(flags) }
    if let time = event.time {
      number(time < lastTime ? time : time - lastTime)
      lastTime = time
    }
    if let order = event.order { number(order) }
    if event.stack != .none { number(tables.number(of: event.stack, names)) }
    append(event.body)
  }

  /// None as 0, else the id + 1.
  private mutating func optional<Tag>(_ id: Identifier<Tag>?) {
    number(encodedOptional(id, names))
  }

  /// The thread's number in the header of a segment.
  package mutating func encodedOptional<Tag>(_ id: Identifier<Tag>?, _ names: TraceNames) -> UInt64
  {
    id.map { encoded($0) + 1 } ?? 0
  }
}

// MARK: - Fields

extension BinaryRecordEncoder: RecordFieldWriter {
  package mutating func number(_ value: UInt64) { bytes.append(varint: value) }

  package mutating func number(of string: StringID) -> UInt64 {
    tables.number(of: string, names)
  }

  package mutating func number(ofText text: String) -> UInt64 { tables.number(of: text) }
}
