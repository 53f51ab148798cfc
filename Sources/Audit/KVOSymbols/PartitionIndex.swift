extension Array {
  /// The first index whose element, and every one after it, belongs to the second partition.
  ///
  /// - Parameter belongsInSecond: false for a leading part of the collection, true for the rest.
  /// - Returns: the index, which is `endIndex` if the second partition is empty.
  /// - Complexity: O(log n).
  @inline(__always)
  func partitionIndex(where belongsInSecond: (Element) -> Bool) -> Int {
    withUnsafeBufferPointer { $0.partitionIndex(where: belongsInSecond) }
  }
}

extension UnsafeBufferPointer {
  /// The same for elements in memory.
  @inline(__always)
  func partitionIndex(where belongsInSecond: (Element) -> Bool) -> Int {
    var low = 0
    var count = count
    // The only branch is the loop's: any other would be mispredicted half of the time.
    while count > 0 {
      let half = count / 2
      let isBefore = !belongsInSecond(self[low + half])
      low += isBefore ? half + 1 : 0
      count = isBefore ? count - half - 1 : half
    }
    return low
  }
}
