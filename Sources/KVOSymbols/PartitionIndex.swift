extension Array {
  /// The first index whose element, and every one behind it, belongs to the second partition.
  ///
  /// - Parameter belongsInSecond: false for a leading part of the collection, true for the rest.
  /// - Returns: the index, which is `endIndex` where the second partition is empty.
  /// - Complexity: O(log n).
  @inline(__always)
  func partitionIndex(where belongsInSecond: (Element) -> Bool) -> Int {
    withUnsafeBufferPointer { elements in
      var low = 0
      var count = elements.count
      // The only branch is the loop's: an address is a coin toss for the others.
      while count > 0 {
        let half = count / 2
        let isBefore = !belongsInSecond(elements[low + half])
        low += isBefore ? half + 1 : 0
        count = isBefore ? count - half - 1 : half
      }
      return low
    }
  }
}
