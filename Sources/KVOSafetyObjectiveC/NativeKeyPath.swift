internal import CKVOObjectiveC
internal import KVOTrace

/// A key path, looked at before the Foundation is: what it would raise, Swift could not catch.
struct NativeKeyPath {
  private let text: String

  init(_ text: String) { self.text = text }

  /// What keeps the path from being observed, and at which part of it; nil: nothing that is seen as long as
  /// the objects on it stay the same.
  func obstacle(
    from pointer: UnsafeMutableRawPointer
  ) -> (reason: RefusalReason, part: String)? {
    guard !text.isEmpty else { return (.emptyKeyPath, "") }
    guard !kvos_refuses_observers(pointer) else { return (.notObservable, "") }
    let pool = kvos_open_pool()
    defer { kvos_close_pool(pool) }
    var object = pointer
    var rest = text.split(separator: ".", omittingEmptySubsequences: false)[...]
    while let part = rest.popFirst().map(String.init) {
      guard !kvos_refuses_observers(object) else { return (.throughCollection, part) }
      guard kvos_has_key(object, part) else { return (.unknownKey, part) }
      guard !rest.isEmpty, let next = kvos_value_for_key(object, part) else { return nil }
      object = next
    }
    return nil
  }
}
