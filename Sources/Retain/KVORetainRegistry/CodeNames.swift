package import KVOTrace

/// Symbolicates code of this process: a resolver, and the process's images.
package struct CodeNames {
  private let resolver: any FrameResolver
  private let images: [Module]

  /// - Parameters:
  ///   - resolver: reads the images' debug information.
  ///   - images: the images of this process.
  package init(resolver: any FrameResolver, images: [Module]) {
    self.resolver = resolver
    self.images = images
  }

  /// The source frames of the instruction at `address`, innermost first; empty if nothing is known.
  package func frames(atInstruction address: UInt64) -> [SourceFrame] {
    guard let image = images.first(where: { $0.contains(address) }) else { return [] }
    return resolver.frames(at: address + 1, in: image)
  }

  /// The names of the parameters and variables of the function of the instruction at `address`; empty if they are not
  /// known.
  package func variables(atInstruction address: UInt64) -> [String] {
    guard let image = images.first(where: { $0.contains(address) }) else { return [] }
    return resolver.variables(at: address + 1, in: image)
  }
}
