/// A set of places in an array; up to four take no allocation, and are what almost every set has.
///
/// Complexity: O(1) for every operation, O(n) for ``all``.
struct SmallSet: Sendable {
  // -1 where there is none. Not an array: that would be an allocation.
  private var first: Int32 = -1
  private var second: Int32 = -1
  private var third: Int32 = -1
  private var fourth: Int32 = -1
  private var more: Set<Int32> = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The members, in no order.
  var all: [Int] {
    ([first, second, third, fourth].filter { $0 >= 0 } + more).map { Int($0) }
  }

  func contains(_ place: Int) -> Bool {
    let place = Int32(truncatingIfNeeded: place)
    if first == place || second == place || third == place || fourth == place { return true }
    return !more.isEmpty && more.contains(place)
  }

  /// Adds `place`, which must not be negative or a member.
  mutating func insert(_ place: Int) {
    let place = Int32(truncatingIfNeeded: place)
    count += 1
    // Members that left have made gaps.
    if first < 0 {
      first = place
    } else if second < 0 {
      second = place
    } else if third < 0 {
      third = place
    } else if fourth < 0 {
      fourth = place
    } else {
      more.insert(place)
    }
  }

  /// Takes `place` out.
  ///
  /// - Returns: whether it was a member.
  mutating func remove(_ place: Int) -> Bool {
    let place = Int32(truncatingIfNeeded: place)
    if first == place {
      first = -1
    } else if second == place {
      second = -1
    } else if third == place {
      third = -1
    } else if fourth == place {
      fourth = -1
    } else if more.isEmpty || more.remove(place) == nil {
      return false
    }
    count -= 1
    return true
  }
}
