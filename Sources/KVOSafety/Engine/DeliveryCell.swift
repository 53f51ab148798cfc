internal import CKVODelivery
internal import KVOTrace
internal import Synchronization

/// Where one registration is claimed for delivery, without a lock.
///
/// A cell belongs to the storage of the observed object, which frees it when it is itself freed, and
/// not before: a thread may therefore add to the word of a cell that it found a moment ago, whatever
/// became of the registration meanwhile. Cells are used again by later registrations of the object.
///
/// The word: bits 0 to 31 count the deliveries that are running; above them stand three flags.
///
/// The timeline of a cell, and the races that it must survive:
/// 1. `open`, under the lock of the storage: the observation is written, then `live` is set (release:
///    pairs with the acquire of a claim).
/// 2. `claim`: one is added to the count. Where the word had `live` the delivery is claimed, and the
///    cell cannot be closed for good before `finish`. Where it had not, the one is taken back.
/// 3. `close`, under the lock: `live` is cleared. From here on every claim fails: this is the moment
///    at which the registration has ended. Whoever runs is counted; where somebody does, `pending` is
///    set in the same exchange, so that nobody can fall between the two.
/// 4. `finish`, or taking back a claim: who brings the count of a pending cell to zero says so, and
///    the storage, under its lock, clears `pending`; the exchange lets one of several do it. Then the
///    observation is let go and the cell is free.
/// - A late claim of an earlier life meets a cell that is free: it fails and takes back its one,
///   which harms nobody, since `open` sets a bit and leaves the count.
/// - It meets a cell that is live again for another registration: it holds a claim of that one, which
///   is why a claim compares what it found (`observation`), and finishes where it is another.
struct DeliveryCell: ~Copyable {
  private enum Flag {
    static let count: UInt64 = 0xffff_ffff
    static let live: UInt64 = 1 << 32
    static let pending: UInt64 = 1 << 33
    static let awaited: UInt64 = 1 << 34
  }

  private let word = Atomic<UInt64>(0)
  /// The address of the observation, which the cell owns; 0 while the cell is free.
  ///
  /// Written under the lock while the cell is free; read by who holds a claim, or the lock. relaxed:
  /// `word` orders both.
  private let observationWord = Atomic<UInt>(0)

  /// The observation; only for who holds a claim or the lock.
  var observation: Unmanaged<Observation>? {
    UnsafeRawPointer(bitPattern: observationWord.load(ordering: .relaxed))
      .map(Unmanaged.fromOpaque)
  }

  /// What a finished delivery leaves to be done under the lock.
  struct Aftermath: OptionSet {
    let rawValue: UInt8
    /// The registration has ended and its last delivery is done.
    static let isOver = Aftermath(rawValue: 1)
    /// Somebody waits for deliveries to end.
    static let isAwaited = Aftermath(rawValue: 2)
  }

  /// Takes in a registration, and a reference to it; under the lock, on a cell that is free.
  func open(_ observation: Unmanaged<Observation>) {
    observationWord.store(UInt(bitPattern: observation.toOpaque()), ordering: .relaxed)
    // release: pairs with the acquire in `claim`.
    word.bitwiseOr(Flag.live, ordering: .releasing)
  }

  /// Claims a delivery.
  ///
  /// False where the cell is not live; `aftermath` is then to be acted on.
  func claim(_ aftermath: inout Aftermath) -> Bool {
    // acquire: pairs with the release in `open`. sequentially consistent, because a waiter that
    // cleared `live` must see this claim in the count, or this claim the cleared flag.
    let old = word.add(1, ordering: .sequentiallyConsistent).oldValue
    if old & Flag.live != 0 { return true }
    aftermath = finish()
    return false
  }

  /// Whether the registration has not ended; under the lock.
  ///
  /// relaxed: `live` changes under that lock alone.
  var isLive: Bool { word.load(ordering: .relaxed) & Flag.live != 0 }

  /// Ends a delivery that was claimed.
  func finish() -> Aftermath {
    // release: what the callback did is seen by who waits for its end.
    let old = word.subtract(1, ordering: .acquiringAndReleasing).oldValue
    if old & (Flag.pending | Flag.awaited) == 0 { return [] }
    var aftermath: Aftermath = old & Flag.awaited != 0 ? .isAwaited : []
    if old & Flag.pending != 0, old & Flag.count == 1 { aftermath.insert(.isOver) }
    return aftermath
  }

  /// Ends the registration; under the lock.
  ///
  /// - Returns: whether no delivery is running, so that `release` is due at once.
  func close() -> Bool {
    var old = word.load(ordering: .relaxed)
    while true {
      let isRunning = old & Flag.count != 0
      let new = old & ~Flag.live | (isRunning ? Flag.pending : 0)
      let outcome = word.compareExchange(
        expected: old,
        desired: new,
        ordering: .sequentiallyConsistent
      )
      if outcome.exchanged { return !isRunning }
      old = outcome.original
    }
  }

  /// Clears `pending` where nothing runs any more; under the lock.
  ///
  /// - Returns: whether it was this call that cleared it.
  func endPending() -> Bool {
    var old = word.load(ordering: .acquiring)
    while old & Flag.pending != 0, old & Flag.count == 0 {
      let outcome = word.compareExchange(
        expected: old,
        desired: old & ~Flag.pending,
        ordering: .acquiringAndReleasing
      )
      if outcome.exchanged { return true }
      old = outcome.original
    }
    return false
  }

  /// Lets the observation go; under the lock, when the registration is over.
  ///
  /// The caller releases what it gets when the lock is given back.
  func release() -> Unmanaged<Observation>? {
    defer { observationWord.store(0, ordering: .relaxed) }
    return observation
  }

  /// Asks to be told of every end of a delivery; under the lock.
  ///
  /// - Returns: how many are running.
  func await() -> Int {
    Int(
      word.bitwiseOr(Flag.awaited, ordering: .sequentiallyConsistent).oldValue & Flag.count
    )
  }

  /// Nobody waits any more; under the lock.
  func stopAwaiting() { word.bitwiseAnd(~Flag.awaited, ordering: .relaxed) }
}

/// A cell by its address, which is good as long as the storage that made it.
struct DeliveryCellReference: Hashable, @unchecked Sendable {
  // Sendable: `DeliveryCell` says which thread may touch what.
  let pointer: UnsafeMutablePointer<DeliveryCell>

  /// How many callbacks of this registration the calling thread is inside of.
  ///
  /// Complexity: O(callbacks that the thread is inside of).
  var depthOnThisThread: Int {
    var depth = 0
    var frame = DeliveryFrame.innermost
    while let at = frame {
      if at.pointee.cell == self { depth += 1 }
      frame = at.pointee.outer
    }
    return depth
  }
}

/// A callback that the calling thread is inside of; lies on its stack.
struct DeliveryFrame {
  let cell: DeliveryCellReference
  let outer: UnsafeMutablePointer<DeliveryFrame>?

  /// The innermost of the calling thread.
  static var innermost: UnsafeMutablePointer<DeliveryFrame>? {
    kvos_innermost_delivery().pointee?.assumingMemoryBound(to: DeliveryFrame.self)
  }

  /// Runs `callback` inside a frame of `cell`.
  @inline(__always)
  static func within<Result>(_ cell: DeliveryCellReference, _ callback: () -> Result) -> Result {
    let place = kvos_innermost_delivery()
    let outer = place.pointee
    var frame = DeliveryFrame(
      cell: cell,
      outer: outer?.assumingMemoryBound(to: DeliveryFrame.self)
    )
    return withUnsafeMutablePointer(to: &frame) { frame in
      place.pointee = UnsafeMutableRawPointer(frame)
      defer { place.pointee = outer }
      return callback()
    }
  }
}

/// The cells of one storage.
struct DeliveryCellPool: Sendable {
  private var all: [DeliveryCellReference] = []
  private var free: [DeliveryCellReference] = []

  /// A cell that is free.
  mutating func take() -> DeliveryCellReference {
    if let used = free.popLast() { return used }
    let cell = DeliveryCellReference(pointer: .allocate(capacity: 1))
    cell.pointer.initialize(to: DeliveryCell())
    all.append(cell)
    return cell
  }

  /// Takes back a cell whose registration is over.
  mutating func takeBack(_ cell: DeliveryCellReference) { free.append(cell) }

  /// Frees all cells; nobody may use one any more.
  mutating func deallocate() {
    for cell in all {
      cell.pointer.deinitialize(count: 1)
      cell.pointer.deallocate()
    }
    all = []
    free = []
  }
}
