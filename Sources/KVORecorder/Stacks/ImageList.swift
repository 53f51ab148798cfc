internal import CKVOUnwind
package import KVOTrace

/// The images of this process that a log was already told of.
///
/// The loader counts what it loads and unloads; when the count changed, the list is read anew.
package struct ImageList: Sendable {
  /// Sorted by `textStart`.
  private var images: [Module] = []

  package init() {}

  /// Reads the list of images anew.
  ///
  /// - Returns: those that were not in the list before; they are in it now.
  package mutating func update() -> [Module] {
    let loaded = Self.loadedImages()
    let known = Set(images)
    images = loaded
    return loaded.filter { !known.contains($0) }
  }

  /// Takes images out, so that they are new again.
  package mutating func forget(_ some: some Sequence<Module>) {
    let forgotten = Set(some)
    images.removeAll(where: forgotten.contains)
  }

  /// Where an address lies, from what is known so far.
  package func module(containing address: UInt64) -> Module? {
    guard let index = index(of: address), images[index].contains(address) else { return nil }
    return images[index]
  }

  /// The last image that starts at or below `address`.
  private func index(of address: UInt64) -> Int? {
    var low = 0
    var high = images.count
    while low < high {
      let middle = (low + high) / 2
      if images[middle].textStart <= address { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }

  /// All images with executable code, sorted by `textStart`.
  package static func loadedImages() -> [Module] {
    var found: [Module] = []
    withUnsafeMutablePointer(to: &found) { list in
      kvos_visit_images(
        { image, context in
          guard let list = context?.assumingMemoryBound(to: [Module].self) else { return }
          list.pointee.append(Module(image.pointee))
        },
        list
      )
    }
    return found.sorted { $0.textStart < $1.textStart }
  }
}

extension Module {
  fileprivate init(_ image: KVOSImage) {
    let id = UnsafeBufferPointer(start: image.buildID, count: image.buildIDByteCount)
    self.init(
      path: String(cString: image.path),
      buildID: id.reduce(into: "") { text, byte in
        text += byte < 16 ? "0" : ""
        text += String(byte, radix: 16)
      },
      loadBias: image.loadBias,
      textStart: image.textStart,
      textEnd: image.textEnd
    )
  }
}
