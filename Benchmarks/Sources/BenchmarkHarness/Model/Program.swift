/// A program that is measured, or that a measurement needs.
package enum Program: Hashable, Sendable {
  /// The build configuration of a product of the root package.
  package enum Build: String, Hashable, Sendable {
    case release
    case debug
    /// Release, with the Swift libraries linked statically.
    case standalone
  }

  /// A product of the root package.
  case product(String, Build = .release)
  /// A product of this package, built for release: our public API beside peers in Swift.
  case bench(String)
  /// A C file of this package, by its path without the suffix, with linker flags.
  case c(String, flags: [String] = [])
  /// An Objective-C program of this package, by its path without the suffix, built against GNUstep.
  case objectiveC(String)
  /// A program of the machine, found in PATH.
  case tool(String)

  /// Its name in reports.
  package var name: String {
    switch self {
    case .product(let name, _), .bench(let name), .tool(let name): name
    case .c(let path, _), .objectiveC(let path):
      path.split(separator: "/").last.map(String.init) ?? path
    }
  }
}
