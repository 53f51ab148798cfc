internal import CKVOUnwind
package import KVOTrace

/// The images of this process.
package enum LoadedImages {
  /// All images with executable code, sorted by `textStart`.
  ///
  /// Complexity: O(images), with a lock of the loader.
  package static var all: [Module] {
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
