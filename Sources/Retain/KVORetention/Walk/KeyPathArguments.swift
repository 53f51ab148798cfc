internal import CKVORetention

/// Finds the arguments of subscripts in a key path.
///
/// Between them are headers of four bytes, each followed by four bytes that are never initialized.
/// Their previous content could look like a pointer. Source: stdlib/public/core/KeyPath.swift of
/// swiftlang/swift, `RawKeyPathComponent`.
enum KeyPathArguments {
  /// The offset of the first component, in bytes from the start of the key path.
  static let start = 32

  /// The bytes of all arguments, as offsets from the start of a key path that has `byteCount` bytes
  /// of components.
  ///
  /// If a component is of an unknown kind, the last range is the rest of the key path from there.
  static func ranges(in keyPath: UnsafeRawPointer, byteCount: Int) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    let end = start + byteCount
    var offset = start
    while offset + 4 <= end {
      let header = keyPath.load(fromByteOffset: offset, as: UInt32.self)
      let body = offset + 4
      switch header & KVOS_KEY_PATH_KIND {
      case KVOS_KEY_PATH_STRUCT, KVOS_KEY_PATH_CLASS:
        // A large offset follows the header.
        offset = header & KVOS_KEY_PATH_PAYLOAD == KVOS_KEY_PATH_PAYLOAD ? body + 4 : body
      case KVOS_KEY_PATH_OPTIONAL: offset = body
      case KVOS_KEY_PATH_COMPUTED:
        // The component's identifier, a getter and possibly a setter.
        offset = aligned(body) + (header & KVOS_KEY_PATH_SETTABLE == 0 ? 16 : 24)
        if header & KVOS_KEY_PATH_ARGUMENTS != 0 {
          // A component of another module also stores how many of the arguments are its own.
          let first = offset + (header & KVOS_KEY_PATH_EXTERNAL == 0 ? 16 : 24)
          guard first <= end else { return ranges }
          let size = keyPath.load(fromByteOffset: offset, as: Int.self)
          offset = first
          guard size >= 0, size <= end - offset else { return ranges + [offset..<end] }
          ranges.append(offset..<offset + size)
          offset += size
        }
      default: return ranges + [offset..<end]
      }
      // The type of the value follows, except after the last component.
      offset = aligned(offset) + 8
    }
    return ranges
  }

  private static func aligned(_ offset: Int) -> Int { (offset + 7) & ~7 }
}
