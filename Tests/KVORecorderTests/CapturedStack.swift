import CKVORecorder

/// What the recorder captured of the calling thread's stack.
enum CapturedStack {
  /// The return addresses of a stack id.
  static func frames(_ id: UInt32) -> [UInt64] {
    var count = 0
    let words = UnsafeBufferPointer(start: kvos_stack(id, &count), count: count)
    return words.map(UInt64.init)
  }

  /// A full stack.
  @inline(never)
  static func ofCaller() -> [UInt64] { frames(kvos_capture_stack_id(true)) }
}
