/// Writes a message in the wire format of protocol buffers.
///
/// Fields with the default value are omitted, as in version 3 of the language.
///
/// Source: <https://protobuf.dev/programming-guides/encoding/>.
struct ProtobufMessage {
  private(set) var bytes: [UInt8] = []

  /// Writes a number as a varint.
  mutating func number(_ field: Int, _ value: Int) {
    guard value != 0 else { return }
    tag(field, wireType: 0)
    varint(UInt64(bitPattern: Int64(value)))
  }

  /// Writes numbers as one packed field.
  mutating func numbers(_ field: Int, _ values: [Int]) {
    guard !values.isEmpty else { return }
    var packed = ProtobufMessage()
    for value in values { packed.varint(UInt64(bitPattern: Int64(value))) }
    block(field, packed.bytes)
  }

  /// Writes a string, also an empty one: in a repeated field it is an element.
  mutating func text(_ field: Int, _ value: String) { block(field, Array(value.utf8)) }

  /// Writes a message inside this one.
  mutating func message(_ field: Int, _ write: (inout ProtobufMessage) -> Void) {
    var message = ProtobufMessage()
    write(&message)
    block(field, message.bytes)
  }

  private mutating func block(_ field: Int, _ content: [UInt8]) {
    tag(field, wireType: 2)
    varint(UInt64(content.count))
    bytes += content
  }

  private mutating func tag(_ field: Int, wireType: UInt64) {
    varint(UInt64(field) << 3 | wireType)
  }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest > 0x7f {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
