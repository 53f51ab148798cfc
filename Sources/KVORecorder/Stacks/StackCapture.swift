internal import CKVOUnwind
package import KVOTrace

/// Takes the calling thread's stack as raw return addresses.
///
/// Names are looked up when a log is audited, never here.
package enum StackCapture {
  /// How much a stack may cost.
  package enum Depth: Sendable {
    /// Frame pointers, up to 16 frames of which the innermost few are the layer's own. Some
    /// nanoseconds; ends early behind a caller that keeps no frame pointers.
    case shallow
    /// libunwind, up to 64 frames. About a hundred nanoseconds.
    case full
  }

  /// Whether ``Depth/full`` has libunwind to work with, or falls back to frame pointers.
  package static var hasUnwinder: Bool { kvos_has_unwinder() != 0 }

  /// The stack of the caller, innermost frame first, as frames of bare addresses.
  package static func frames(_ depth: Depth) -> [Frame] {
    let capacity = depth == .full ? 64 : 16
    return withUnsafeTemporaryAllocation(of: UInt.self, capacity: capacity) { buffer in
      guard let base = buffer.baseAddress else { return [] }
      let count =
        switch depth {
        case .full: kvos_capture_stack(base, Int32(capacity))
        case .shallow: kvos_capture_frame_pointers(base, Int32(capacity))
        }
      return buffer.prefix(Int(count)).map { Frame(address: UInt64($0)) }
    }
  }
}
