package import KVOTrace

/// The images that the addresses of one process lie in.
package struct LoadedImages: Sendable {
  /// Ordered by the beginning of their code.
  private let images: [Module]

  /// Takes the images, in any order.
  ///
  /// Complexity: O(n log n).
  package init(_ images: [Module]) { self.images = images.sorted { $0.textStart < $1.textStart } }

  /// The image that a return address lies in, or nil: the call is one byte before it.
  ///
  /// Complexity: O(log n).
  package func image(at returnAddress: UInt64) -> Module? {
    guard returnAddress > 0 else { return nil }
    let address = returnAddress - 1
    var low = 0
    var high = images.count
    while low < high {
      let middle = (low + high) / 2
      if images[middle].textStart <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, images[low - 1].contains(address) else { return nil }
    return images[low - 1]
  }
}
