internal import KVOTrace
internal import Synchronization

/// State that a change reads about an object before it takes any lock: which keys are observed, and which registrations
/// are the only one of their key.
///
/// Written under the lock of the object's storage whenever those change; read without it. A reader may see outdated
/// state. This is sufficient:
/// - a key that appears unobserved had no registration that was added before the change;
/// - a registration that listens alone is claimed through a cell; the claim shows whether the registration still exists
///   and whether it belongs to this key.
///
/// Keys share bits, and slots are few: a bit that is set for another key, or an occupied slot, only costs the slow
/// path.
struct PublishedKeys: ~Copyable {
  // acquire and release throughout: a change that finds a key observed sees the registration that set the bit.
  private let listening = Atomic<UInt64>(0)
  private let concernedBefore = Atomic<UInt64>(0)
  private let keys = InlineArray<4, Atomic<UInt32>> { _ in Atomic(0) }
  private let cells = InlineArray<4, Atomic<UInt>> { _ in Atomic(0) }

  static func bit(_ key: StringID) -> UInt64 { 1 << UInt64(key.rawValue & 63) }

  /// Whether a registration may listen to `key`.
  @inline(__always)
  func mayListen(to key: StringID) -> Bool {
    listening.load(ordering: .acquiring) & Self.bit(key) != 0
  }

  /// Whether a registration may need to act before `key` changes.
  @inline(__always)
  func mayConcernBefore(_ key: StringID) -> Bool {
    concernedBefore.load(ordering: .acquiring) & Self.bit(key) != 0
  }

  /// The cell of the registration that listens to `key` alone, if it is known.
  @inline(__always)
  func cell(of key: StringID) -> DeliveryCellReference? {
    for slot in 0..<4 where keys[slot].load(ordering: .acquiring) == key.rawValue {
      let address = cells[slot].load(ordering: .acquiring)
      return UnsafeMutablePointer(bitPattern: address).map(DeliveryCellReference.init)
    }
    return nil
  }

  /// Publishes a change of the registrations that listen to `key`; under the lock.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - cell: the cell of the registration that listens alone; nil if there is no such
  ///     registration.
  ///   - isListenedTo: whether any registration listens.
  func publish(_ key: StringID, cell: DeliveryCellReference?, isListenedTo: Bool) {
    let key = key.rawValue
    var index: Int?
    for slot in 0..<4 {
      let there = keys[slot].load(ordering: .relaxed)
      if there == key {
        index = slot
        break
      }
      if there == 0, index == nil { index = slot }
    }
    guard let index else { return }
    if let cell {
      cells[index].store(UInt(bitPattern: cell.pointer), ordering: .releasing)
      keys[index].store(key, ordering: .releasing)
    } else {
      // The key stays in its slot until another needs it: observers are often added again.
      cells[index].store(0, ordering: .releasing)
      if !isListenedTo { keys[index].store(0, ordering: .releasing) }
    }
  }

  /// Publishes which keys are observed, by their bits; under the lock.
  func publish(listening: UInt64, concernedBefore: UInt64) {
    self.listening.store(listening, ordering: .releasing)
    self.concernedBefore.store(concernedBefore, ordering: .releasing)
  }
}
