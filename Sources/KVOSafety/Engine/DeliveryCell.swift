internal import CKVOIntrinsics
internal import KVOTrace
internal import Synchronization

/// The word by which deliveries of one registration are claimed, without a lock.
///
/// A cell belongs to the storage of the observed object, which frees it only when it is freed itself: a thread may
/// therefore add to the word of a cell that it found earlier, even if the registration has ended since. Cells are
/// reused by later registrations of the object.
///
/// The word: bits 0 to 31 count the deliveries that are running; above them are three flags.
///
/// The timeline of a cell, and the races that it must survive:
/// 1. `open`, under the lock of the storage: the observation is written, then `live` is set (release:
///    pairs with the acquire of a claim).
/// 2. `claim`: one is added to the count. If the word had `live` the delivery is claimed, and the cell cannot be closed
///    for good before `finish`. Otherwise the increment is undone.
/// 3. `close`, under the lock: `live` is cleared. From here on every claim fails: this is the moment at which the
///    registration has ended. Running deliveries are counted; if there are any, `pending` is set in the same exchange,
///    so that no delivery can end between the two.
/// 4. `finish`, or taking back a claim: the call that brings the count of a pending cell to zero reports that, and the
///    storage, under its lock, clears `pending`; the exchange lets exactly one of several callers do it. Then the
///    observation is released and the cell is free.
/// - A late claim of an earlier registration finds a free cell: it fails and undoes its increment, which is harmless,
///   because `open` sets a bit and leaves the count alone.
/// - If the cell has been reopened for another registration, the claim holds that one; so a claimer compares the
///   `observation` that it found, and finishes if it is not the expected one.
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
  /// Written under the lock while the cell is free; read with a claim or under the lock. relaxed:
  /// `word` orders both.
  private let observationWord = Atomic<UInt>(0)

  /// The observation; to be read only with a claim or under the lock.
  var observation: Unmanaged<Observation>? {
    UnsafeRawPointer(bitPattern: observationWord.load(ordering: .relaxed))
      .map(Unmanaged.fromOpaque)
  }

  /// Work that a finished delivery leaves to do under the lock.
  struct Aftermath: OptionSet {
    let rawValue: UInt8
    /// The registration has ended and its last delivery is done.
    static let isOver = Aftermath(rawValue: 1)
    /// A thread waits for deliveries to end.
    static let isAwaited = Aftermath(rawValue: 2)
  }

  /// Stores a registration and takes over a reference to it; under the lock, on a free cell.
  func open(_ observation: Unmanaged<Observation>) {
    observationWord.store(UInt(bitPattern: observation.toOpaque()), ordering: .relaxed)
    // release: pairs with the acquire in `claim`.
    word.bitwiseOr(Flag.live, ordering: .releasing)
  }

  /// Claims a delivery.
  ///
  /// False if the cell is not live; the caller then acts on `aftermath`.
  func claim(_ aftermath: inout Aftermath) -> Bool {
    // acquire: pairs with the release in `open`. Sequentially consistent: either a waiter that cleared `live` sees this
    // claim in the count, or this claim sees the cleared flag.
    let old = word.add(1, ordering: .sequentiallyConsistent).oldValue
    if old & Flag.live != 0 { return true }
    aftermath = finish()
    return false
  }

  /// Whether the registration has not ended; under the lock, or by a thread that asks for what it ended itself.
  ///
  /// relaxed: `live` changes only under that lock.
  var isLive: Bool { word.load(ordering: .relaxed) & Flag.live != 0 }

  /// Ends a delivery that was claimed.
  func finish() -> Aftermath {
    // release: a thread that waits for the end of the callback sees what it did.
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

  /// Clears `pending` if no delivery is running; under the lock.
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

  /// Gives up the observation; under the lock, when the registration is over.
  ///
  /// The caller releases it after unlocking.
  func release() -> Unmanaged<Observation>? {
    defer { observationWord.store(0, ordering: .relaxed) }
    return observation
  }

  /// Requests that every end of a delivery is reported; under the lock.
  ///
  /// - Returns: how many are running.
  func await() -> Int {
    Int(
      word.bitwiseOr(Flag.awaited, ordering: .sequentiallyConsistent).oldValue & Flag.count
    )
  }

  /// Notes that no thread is waiting; under the lock.
  func stopAwaiting() { word.bitwiseAnd(~Flag.awaited, ordering: .relaxed) }
}

/// A cell by its address, which is valid as long as the storage that made it.
struct DeliveryCellReference: Hashable, @unchecked Sendable {
  // Sendable: `DeliveryCell` documents which thread may access which state.
  let pointer: UnsafeMutablePointer<DeliveryCell>

  /// How many callbacks of this registration are on the calling thread's stack.
  ///
  /// Complexity: O(callbacks on the thread's stack).
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

/// A callback that the calling thread is running; stored on its stack.
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
    let innermost = kvos_innermost_delivery()
    let outer = innermost.pointee
    var frame = DeliveryFrame(
      cell: cell,
      outer: outer?.assumingMemoryBound(to: DeliveryFrame.self)
    )
    return withUnsafeMutablePointer(to: &frame) { frame in
      innermost.pointee = UnsafeMutableRawPointer(frame)
      defer { innermost.pointee = outer }
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

  /// Reclaims a cell whose registration has ended.
  mutating func takeBack(_ cell: DeliveryCellReference) { free.append(cell) }

  /// Frees all cells; none may be used afterwards.
  mutating func deallocate() {
    for cell in all {
      cell.pointer.deinitialize(count: 1)
      cell.pointer.deallocate()
    }
    all = []
    free = []
  }
}
