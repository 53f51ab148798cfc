import KVOTrace

/// The threads of a log, each with its open changes, its callbacks and what it has still to tell.
///
/// Complexity: O(1) for finding a thread; memory is bounded by the threads.
struct ThreadTable: Sendable {
  /// One thread.
  struct Thread: Sendable {
    var id: ThreadID?
    var name = StringID.none
    var brackets = ChangeBrackets()
    var callbacks: [Callback] = []
    /// How many callbacks it is in that are no longer followed, outside of the others.
    var forgottenCallbackCount = 0
    var missed = MissedDeliveries()
    /// To whom its open changes were already delivered.
    var early = EarlyDeliveries()
    /// How many things it did that a program decides to do.
    var activity = 0
    /// Where it is in the list of busy threads; -1: not there.
    fileprivate var busyPlace = -1

    /// How many callbacks it is in.
    var depth: Int { forgottenCallbackCount + callbacks.count }

    /// Whether it has no open changes, and no deliveries to come.
    var isIdle: Bool { brackets.isEmpty && missed.isEmpty }
  }

  struct Callback: Sendable {
    var delivery: Delivery
    var began: Evidence
    /// Where the ledger has its registration, which stays there meanwhile; -1: not at all.
    var slot: Int
  }

  /// The word of events that name no thread: no identifier has it.
  private static let unknown = WordTable.none - 1

  private var threads: [Thread] = []
  private var places = WordTable()
  private var lastWord = WordTable.none
  private var lastPlace = -1
  /// The threads that may have open changes, or deliveries to come: all others need not be looked
  /// at when something ends.
  private(set) var busy: [Int] = []

  var count: Int { threads.count }
  /// Whether any thread is named.
  private(set) var hasNamed = false

  subscript(place: Int) -> Thread {
    _read { yield threads[place] }
    _modify { yield &threads[place] }
  }

  /// The place of `thread`, which is new if it was not seen before.
  @inline(__always)
  mutating func place(of thread: ThreadID?) -> Int {
    // Threads run for a while before another one has its turn.
    let word = thread?.rawValue ?? Self.unknown
    return word == lastWord ? lastPlace : find(word, thread)
  }

  private mutating func find(_ word: UInt64, _ thread: ThreadID?) -> Int {
    var place = places.find(word)
    if place < 0 {
      place = threads.count
      threads.append(Thread(id: thread))
      if thread != nil { hasNamed = true }
      places.set(word, place)
    }
    lastWord = word
    lastPlace = place
    return place
  }

  /// Puts the thread on the list of the busy ones or takes it off, as it is now.
  mutating func updateBusy(_ place: Int) {
    let at = threads[place].busyPlace
    if threads[place].isIdle {
      guard at >= 0 else { return }
      let last = busy.removeLast()
      if last != place {
        busy[at] = last
        threads[last].busyPlace = at
      }
      threads[place].busyPlace = -1
    } else if at < 0 {
      threads[place].busyPlace = busy.count
      busy.append(place)
    }
  }

  /// The places of `places`, ordered by the numbers of the threads.
  func sorted(_ places: some Sequence<Int>) -> [Int] {
    places.sorted { left, right in
      guard let right = threads[right].id else { return false }
      guard let left = threads[left].id else { return true }
      return left.rawValue < right.rawValue
    }
  }
}
