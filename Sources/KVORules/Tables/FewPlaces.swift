/// Up to four places in an array, without any memory of their own.
///
/// Complexity: O(1) for every operation.
struct FewPlaces: Sendable {
  static let capacity = 4

  // -1 where there is none.
  private var places = SIMD4<Int32>(repeating: -1)

  /// The members, in no order.
  var all: [Int] { places.indices.map { Int(places[$0]) }.filter { $0 >= 0 } }

  /// Adds `place`, which must not be negative or a member, where one is free.
  ///
  /// - Returns: whether there was room.
  mutating func insert(_ place: Int32) -> Bool {
    // Members that left have made gaps.
    for at in places.indices where places[at] < 0 {
      places[at] = place
      return true
    }
    return false
  }

  /// Takes `place` out.
  ///
  /// - Returns: whether it was a member.
  mutating func remove(_ place: Int32) -> Bool {
    let isPlace = places .== place
    guard any(isPlace) else { return false }
    places.replace(with: -1, where: isPlace)
    return true
  }
}
