extension RandomAccessCollection where Index == Int {
  /// The first index whose element, and every one behind it, belongs to the second partition.
  ///
  /// - Parameter belongsInSecond: false for a leading part of the collection, true for the rest.
  /// - Returns: the index, which is `endIndex` where the second partition is empty.
  /// - Complexity: O(log n).
  @inline(__always)
  func partitionIndex(where belongsInSecond: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if belongsInSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
