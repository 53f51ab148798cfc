internal import KVOTrace

/// The recorded changes that the calling thread's setters have begun and not ended.
///
/// A setter ends what it began, and nearly always in order, so that there is nothing to judge: it enters and leaves
/// here in a few instructions. Code that examines how changes nest moves these entries to the other open changes first
/// (``takeAll(_:)``); a setter whose change is no longer the innermost one here has its end judged among those.
///
/// Belongs to one thread, like ``ThreadChanges``, which frees it. In separate memory, because an
/// access to a property of an object costs a call that asks whether another access is under way.
struct OpenSetters {
  struct Entry {
    let subject: ObjectRef
    let key: StringID
    let id: ChangeID
    /// The position of the first half among the events of the object.
    let order: UInt64
    let scope: ScopeID?
  }

  private struct State {
    var count = 0
    /// Unused numbers for changes: the next one, and the end of the block.
    var nextNumber: UInt64 = 0
    var endOfNumbers: UInt64 = 0
    /// How many open changes cover the notifications of setters inside them.
    var coveringCount = 0
  }

  /// Setters are seldom nested deeper.
  private static let capacity = 16

  private let state: UnsafeMutablePointer<State>
  private let entries: UnsafeMutablePointer<Entry>

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    entries = .allocate(capacity: Self.capacity)
  }

  /// Frees the memory; the value may not be used afterwards.
  func deallocate() {
    // Entries are trivial: nothing in them is to be destroyed.
    entries.deallocate()
    state.deallocate()
  }

  /// How many open changes on the setters' thread cover the notifications of setters inside them.
  var coveringCount: Int {
    get { state.pointee.coveringCount }
    nonmutating set { state.pointee.coveringCount = newValue }
  }

  /// An unused number for a change.
  ///
  /// Taken in blocks, so that threads do not contend for one counter.
  func nextChange() -> ChangeID {
    if state.pointee.nextNumber == state.pointee.endOfNumbers {
      let block = ObjectTable.shared.nextChangeNumbers(count: 256)
      (state.pointee.nextNumber, state.pointee.endOfNumbers) = (block.lowerBound, block.upperBound)
    }
    defer { state.pointee.nextNumber += 1 }
    return ChangeID(state.pointee.nextNumber)
  }

  /// Whether there is space for one more.
  var hasRoom: Bool { state.pointee.count < Self.capacity }

  /// Begins a setter's change; there must be space.
  func enter(_ entry: Entry) {
    precondition(hasRoom)
    (entries + state.pointee.count).initialize(to: entry)
    state.pointee.count += 1
  }

  /// Ends a setter's change.
  ///
  /// Returns false, and changes nothing, if it is not the innermost here.
  func leave(_ change: ChangeID) -> Bool {
    let last = state.pointee.count - 1
    guard last >= 0, entries[last].id == change else { return false }
    state.pointee.count = last
    return true
  }

  /// How many changes of `subject` are open here.
  func count(of subject: ObjectID) -> Int {
    (0..<state.pointee.count).count { entries[$0].subject.id == subject }
  }

  /// Removes and returns all open changes, the outermost first.
  func takeAll(_ take: (Entry) -> Void) {
    let count = state.pointee.count
    state.pointee.count = 0
    for index in 0..<count { take(entries[index]) }
  }
}
