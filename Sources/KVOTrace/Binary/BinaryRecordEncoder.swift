/// Encodes events as records of the binary form.
///
/// The records of one segment pile up in ``bytes`` and the definitions that they need in ``tables``;
/// ``takeBytes()`` ends the segment. The times of the events are taken for ticks. Every event that
/// follows the grammar comes back as it was. Not synchronised.
package struct BinaryRecordEncoder {
  /// The strings and stacks that the records name.
  package var tables = BinaryTableEncoder()
  /// Whole records of the present segment.
  package internal(set) var bytes: [UInt8] = []

  private var lastTime: UInt64 = 0
  private var thread: ThreadID?
  private var scope: ScopeID?

  package init() {}

  /// The records since the last call; what follows begins a segment, as ``begin(baseTick:thread:)``.
  package mutating func takeBytes() -> [UInt8] {
    let taken = bytes
    bytes.removeAll(keepingCapacity: true)
    begin()
    return taken
  }

  /// Says what the header of the segment says that the next event begins.
  package mutating func begin(baseTick: UInt64 = 0, thread: ThreadID? = nil) {
    lastTime = baseTick
    self.thread = thread
    scope = nil
  }

  /// Appends the record of `event`, and in front of it what changed of its thread and scope.
  ///
  /// Complexity: O(size of the event).
  ///
  /// - Parameters:
  ///   - event: what to encode.
  ///   - names: the table that the event's ids are from; another one traps. It may have grown since
  ///     the last call, but must be the same.
  package mutating func append(_ event: Event, names: TraceNames) {
    if event.thread != thread {
      thread = event.thread
      bytes.append(BinaryFormat.Record.thread.rawValue)
      optional(thread, names)
    }
    if event.scope != scope {
      scope = event.scope
      bytes.append(BinaryFormat.Record.scope.rawValue)
      optional(scope, names)
    }
    var flags: UInt8 = 0
    if event.stack != .none { flags |= BinaryFormat.Flags.stack }
    if let time = event.time {
      if time < lastTime { flags |= BinaryFormat.Flags.wholeTime }
    } else {
      flags |= BinaryFormat.Flags.timeless
    }
    var kind = Self.record(of: event.body).rawValue
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
    append(event.body, names)
  }

  /// None as 0, else the id + 1.
  private mutating func optional<Tag>(_ id: Identifier<Tag>?, _ names: TraceNames) {
    number(encodedOptional(id, names))
  }

  /// How the header of a segment names its thread.
  package mutating func encodedOptional<Tag>(_ id: Identifier<Tag>?, _ names: TraceNames) -> UInt64
  {
    id.map { encoded($0, names) + 1 } ?? 0
  }

  private static func record(of body: Event.Body) -> BinaryFormat.Record {
    switch body {
    case .process: .process
    case .module: .module
    case .threadName: .threadName
    case .live: .live
    case .register: .register
    case .registerEnd: .registerEnd
    case .refused: .refused
    case .remove: .remove
    case .removeEnd: .removeEnd
    case .cancel: .cancel
    case .willChange: .willChange
    case .didChange: .didChange
    case .notify: .notify
    case .notifyEnd: .notifyEnd
    case .attach: .attach
    case .detach: .detach
    case .deinit: .deinit
    case .deinitEnd: .deinitEnd
    case .write: .write
    case .hold: .hold
    case .drop: .drop
    case .walkBegin: .walkBegin
    case .walkEnd: .walkEnd
    case .expectDeinit: .expectDeinit
    case .scopeBegin: .scopeBegin
    case .scopeEnd: .scopeEnd
    case .lock: .lock
    case .unlock: .unlock
    case .classChanged: .classChanged
    case .declares: .declares
    case .crash: .crash
    case .dropped: .dropped
    case .exit: .exit
    }
  }
}

// MARK: - Fields

extension BinaryRecordEncoder {
  mutating func number(_ value: UInt64) { bytes.append(varint: value) }

  /// A count or size, which the grammar keeps from being negative.
  mutating func number(_ value: Int) { bytes.append(varint: UInt64(clamping: value)) }

  mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

  mutating func choice(_ value: some BinaryNumbered) { number(value.binaryNumber) }

  mutating func string(_ value: StringID, _ names: TraceNames) {
    number(tables.number(of: value, names))
  }

  mutating func text(_ value: String) { number(tables.number(of: value)) }

  mutating func identifier<Tag>(_ value: Identifier<Tag>, _ names: TraceNames) {
    number(encoded(value, names))
  }

  mutating func object(_ value: ObjectRef, _ names: TraceNames) {
    identifier(value.id, names)
    number(tables.number(of: value.className, names) << 2 | value.kind.binaryNumber)
  }

  /// A number, a text or a reader's number, told apart by the two lowest bits.
  private mutating func encoded<Tag>(
    _ value: Identifier<Tag>,
    _ names: TraceNames
  ) -> UInt64 {
    if let name = value.name {
      return tables.number(of: name, names) << 2 | BinaryFormat.IDTag.text
    }
    if let generation = value.generation {
      return generation << 2 | BinaryFormat.IDTag.generation
    }
    return (value.number ?? 0) << 2 | BinaryFormat.IDTag.number
  }
}
