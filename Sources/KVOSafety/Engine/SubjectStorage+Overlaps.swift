internal import CKVORecorder
internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// The last order of an object's events, and in the bits above it the state of its changes at that moment.
///
/// One addition takes the order, counts the open changes and shows whether another one is open, so that an overlap of
/// two threads is noticed at no extra cost.
struct OrderWord {
  /// Set while changes of two threads overlap, and until both have ended.
  static let overlap: UInt64 = 1 << 47
  static let change: UInt64 = 1 << 48

  let word: UInt64

  init(_ word: UInt64) { self.word = word }

  var order: UInt64 { word & (Self.overlap - 1) }
  var openCount: UInt64 { word >> 48 }
  var isOverlap: Bool { word & Self.overlap != 0 }
  /// Whether the change that has just begun is the only one that is open.
  var isOnlyOpen: Bool { word >> 47 == Self.change >> 47 }
  /// Whether no change is open after the one that has just ended.
  var isNoneOpen: Bool { word >> 47 == 0 }
}

// Changes of one object on two threads at once (KVO024). Changes carry no stack, because a stack costs more than the
// change. Only two overlapping changes carry theirs: the one that finds another open at its beginning, and the one that
// was found, at its end.
//
// 1. A begins and is alone.
// 2. B begins, finds a change open on another thread, sets `overlap`, and captures its stack.
// 3. A ends, finds `overlap` set, or B open, and captures its stack.
// 4. The one that ends last clears `overlap`.
//
// A change that a thread begins by hand and never ends (KVO012) stays counted: each change of that object
// captures its stack from then on while something records.
extension SubjectStorage {
  /// Whether recorded changes of the object are open, and its last order, at one moment.
  var progress: ChangeProgress {
    // relaxed: as every order.
    let word = OrderWord(lastOrder.load(ordering: .relaxed))
    return ChangeProgress(order: word.order, isOpen: word.openCount > 0)
  }

  /// A recorded change begins.
  @inline(__always)
  func beginChange() -> OrderWord {
    // relaxed: as every order.
    OrderWord(lastOrder.wrappingAdd(OrderWord.change + 1, ordering: .relaxed).newValue)
  }

  /// A recorded change ends.
  @inline(__always)
  func endChange() -> OrderWord {
    // relaxed: as every order.
    OrderWord(lastOrder.wrappingAdd(1 &- OrderWord.change, ordering: .relaxed).newValue)
  }

  /// Notes if a change that has begun overlaps one of another thread, and returns whether it does; `here` says how
  /// many changes of the object the thread has open, this one among them.
  @inline(never)
  func noteOverlap(begun word: OrderWord, here: Int) -> Bool {
    guard word.openCount > here else { return false }
    // relaxed: if another thread misses the mark, it sees that this change is open.
    lastOrder.bitwiseOr(OrderWord.overlap, ordering: .relaxed)
    return true
  }

  /// Returns whether a change that has ended overlapped one of another thread; the last of them clears the mark.
  ///
  /// `here` says how many changes of the object the thread still has open.
  @inline(never)
  func noteOverlap(ended word: OrderWord, here: Int) -> Bool {
    guard word.isOverlap || word.openCount > here else { return false }
    if word.isOverlap, word.openCount == 0 {
      // Unless anything has happened since: then the next end clears it. relaxed: as every order.
      _ = lastOrder.compareExchange(
        expected: word.word,
        desired: word.order,
        ordering: .relaxed
      )
    }
    return true
  }
}
