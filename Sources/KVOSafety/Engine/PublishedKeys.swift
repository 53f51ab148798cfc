internal import KVOTrace
internal import Synchronization

/// What a change asks about an object before it takes any lock: which keys are listened to, and who
/// listens alone.
///
/// Written under the lock of the object's storage, whenever what it says changes; read without. A
/// reader may see what was true a moment ago. That is enough:
/// - a key that nobody listened to when the change was asked about had no registration that was
///   added before the change;
/// - who listens alone is claimed through a cell, and a claim says whether the registration is still
///   there and whether it is one of this key.
///
/// Keys share bits and slots are few: a bit that is set for another key, or a slot that is taken,
/// costs the longer way and nothing else.
struct PublishedKeys: ~Copyable {
  // acquire and release throughout: a change that is told of a key sees the registration that set it.
  private let listening = Atomic<UInt64>(0)
  private let concernedBefore = Atomic<UInt64>(0)
  private let keys = InlineArray<4, Atomic<UInt32>> { _ in Atomic(0) }
  private let cells = InlineArray<4, Atomic<UInt>> { _ in Atomic(0) }

  static func bit(_ key: StringID) -> UInt64 { 1 << UInt64(key.rawValue & 63) }

  /// Whether somebody may listen to `key`.
  @inline(__always)
  func mayListen(to key: StringID) -> Bool {
    listening.load(ordering: .acquiring) & Self.bit(key) != 0
  }

  /// Whether somebody may be concerned before `key` changes.
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

  /// Says who listens to `key`, which changed; under the lock.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - cell: the cell of the registration that listens alone; nil where that is not so.
  ///   - isListenedTo: whether anybody listens.
  func publish(_ key: StringID, cell: DeliveryCellReference?, isListenedTo: Bool) {
    let key = key.rawValue
    var place: Int?
    for slot in 0..<4 {
      let there = keys[slot].load(ordering: .relaxed)
      if there == key {
        place = slot
        break
      }
      if there == 0, place == nil { place = slot }
    }
    guard let place else { return }
    if let cell {
      cells[place].store(UInt(bitPattern: cell.pointer), ordering: .releasing)
      keys[place].store(key, ordering: .releasing)
    } else {
      // The key stays in its slot until another needs it: observers come and go.
      cells[place].store(0, ordering: .releasing)
      if !isListenedTo { keys[place].store(0, ordering: .releasing) }
    }
  }

  /// Says which keys are listened to, by their bits; under the lock.
  func publish(listening: UInt64, concernedBefore: UInt64) {
    self.listening.store(listening, ordering: .releasing)
    self.concernedBefore.store(concernedBefore, ordering: .releasing)
  }
}
