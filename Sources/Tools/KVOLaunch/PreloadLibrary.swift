import Glibc
package import KVOSystem

/// The library that records Objective-C programs from inside, through LD_PRELOAD.
package struct PreloadLibrary: Hashable, Sendable {
  package static let fileName = "libKVOSafetyPreload.so"
  /// The environment variable that names another path of it.
  package static let variable = "KVO_SAFETY_PRELOAD"

  /// Its absolute path.
  package let path: String

  /// Finds it: at the path in ``variable``, else beside this program, else in `../lib` of that.
  ///
  /// - Parameter environment: what this process was given.
  /// - Returns: the library, or nil if there is none.
  /// - Throws: ``LaunchRefusal`` if ``variable`` names nothing, or LD_PRELOAD could not hold the
  ///   path.
  package static func find(
    environment: ProcessEnvironment
  ) throws(LaunchRefusal) -> PreloadLibrary? {
    if let named = environment[variable], !named.isEmpty {
      guard let path = AbsolutePath.of(named) else {
        throw .unusable("\(variable) names \"\(named)\", which does not exist")
      }
      return try PreloadLibrary(path: path)
    }
    guard let own = AbsolutePath.of("/proc/self/exe"), let end = own.lastIndex(of: "/") else {
      return nil
    }
    let folder = own[..<end]
    for candidate in ["\(folder)/\(fileName)", "\(folder)/../lib/\(fileName)"] {
      if let path = AbsolutePath.of(candidate) { return try PreloadLibrary(path: path) }
    }
    return nil
  }

  private init(path: String) throws(LaunchRefusal) {
    // The loader takes both for the end of a name, and knows no quotes.
    guard !path.contains(where: { $0 == " " || $0 == ":" }) else {
      throw .unusable(
        "LD_PRELOAD cannot name \"\(path)\", because of the blank or colon in it; name a copy or a "
          + "link elsewhere with \(Self.variable)"
      )
    }
    self.path = path
  }
}
