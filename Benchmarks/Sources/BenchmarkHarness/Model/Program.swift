/// A program that is measured, or that a measurement needs.
package enum Program: Hashable, Sendable {
  /// How a product of the root package is built.
  package enum Build: String, Hashable, Sendable {
    case release
    case debug
    /// Release, with the Swift libraries inside.
    case standalone
  }

  /// A product of the root package.
  case product(String, Build = .release)
  /// A product of this package, built for release: what is public beside peers in Swift.
  case bench(String)
  /// A C file of this package, by its path without the suffix, with flags for the linker.
  case c(String, flags: [String] = [])
  /// A program in Objective-C of this package, by its path without the suffix, built against GNUstep.
  case objectiveC(String)
  /// A program of the machine's own, found through PATH.
  case tool(String)

  /// How a report names it.
  package var name: String {
    switch self {
    case .product(let name, _), .bench(let name), .tool(let name): name
    case .c(let path, _), .objectiveC(let path):
      path.split(separator: "/").last.map(String.init) ?? path
    }
  }
}
