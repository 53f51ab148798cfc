internal import CKVORetention

/// Where a key path keeps the arguments of its subscripts.
///
/// Between them are headers of four bytes, each followed by four bytes that are never initialized: what is left there
/// from others would look like a pointer. Source: stdlib/public/core/KeyPath.swift of swiftlang/swift,
/// `RawKeyPathComponent`.
enum KeyPathArguments {
  /// Where the components begin, in bytes from the start of the key path.
  static let start = 32

  /// The bytes of all arguments, from the start of the key path on, which has `byteCount` bytes of components.
  ///
  /// From a component on that is of no known kind, all of the rest.
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
        // What identifies it, a getter and perhaps a setter.
        offset = aligned(body) + (header & KVOS_KEY_PATH_SETTABLE == 0 ? 16 : 24)
        if header & KVOS_KEY_PATH_ARGUMENTS != 0 {
          guard offset + 16 <= end else { return ranges }
          let size = keyPath.load(fromByteOffset: offset, as: Int.self)
          // One of another module says how many of them were its own.
          offset += header & KVOS_KEY_PATH_EXTERNAL == 0 ? 16 : 24
          guard size >= 0, size <= end - offset else { return ranges + [offset..<end] }
          ranges.append(offset..<offset + size)
          offset += size
        }
      default: return ranges + [offset..<end]
      }
      // The type of the value follows, but for the last one.
      offset = aligned(offset) + 8
    }
    return ranges
  }

  private static func aligned(_ offset: Int) -> Int { (offset + 7) & ~7 }
}
