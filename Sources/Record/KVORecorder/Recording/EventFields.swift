internal import CKVORecorder
internal import KVOTrace

/// The fields of one event on their way into the log, on the stack of the thread that records it.
///
/// Ids of this process are the log's own, so that nothing is looked up.
struct EventFields: RecordFieldWriter {
  /// The most fields that an event without a list has.
  private static let inlineCount = Int(KVOS_FIELD_LIMIT)

  private var inline = InlineArray<24, UInt64>(repeating: 0)
  private var count = 0
  /// All fields, if they are more than fit.
  private var longer: [UInt64] = []

  init() {}

  /// The fields of `body`.
  init(_ body: Event.Body) { append(body) }

  mutating func number(_ value: UInt64) {
    if count < Self.inlineCount {
      inline[count] = value
    } else {
      if longer.isEmpty { longer = (0..<count).map { inline[$0] } }
      longer.append(value)
    }
    count += 1
  }

  mutating func number(of string: StringID) -> UInt64 { UInt64(string.rawValue) }

  mutating func number(ofText text: String) -> UInt64 {
    UInt64(Recorder.id(of: text).rawValue)
  }

  /// Calls `body` with the fields and their number.
  func withPointer<Result>(_ body: (UnsafePointer<UInt64>, UInt32) -> Result) -> Result? {
    if !longer.isEmpty {
      return longer.withUnsafeBufferPointer { fields in
        fields.baseAddress.map { body($0, UInt32(fields.count)) }
      }
    }
    return inline.span.withUnsafeBufferPointer { fields in
      fields.baseAddress.map { body($0, UInt32(count)) }
    }
  }
}
