internal import CKVOObjectiveC
internal import KVOTrace

/// Checks a key path before the Foundation sees it: Swift could not catch an exception that it raises.
struct NativeKeyPath {
  private let text: String

  init(_ text: String) { self.text = text }

  /// The obstacle to observing the path, and the part that has it; nil: none as long as the objects on it stay the
  /// same.
  func obstacle(
    from pointer: UnsafeMutableRawPointer
  ) -> (reason: RefusalReason, part: String)? {
    guard !text.isEmpty else { return (.emptyKeyPath, "") }
    guard !kvos_refuses_observers(pointer) else { return (.notObservable, "") }
    let pool = kvos_open_pool()
    defer { kvos_close_pool(pool) }
    var object = pointer
    var before = ""
    var rest = text.split(separator: ".", omittingEmptySubsequences: false)[...]
    while let part = rest.popFirst().map(String.init) {
      guard !kvos_refuses_observers(object) else { return (.throughCollection, before) }
      guard kvos_has_key(object, part) else { return (.unknownKey, part) }
      guard !rest.isEmpty, let next = kvos_value_for_key(object, part) else { return nil }
      object = next
      before = part
    }
    return nil
  }
}
