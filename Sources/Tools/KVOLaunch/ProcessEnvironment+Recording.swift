package import KVOSystem

extension ProcessEnvironment {
  /// The same for a program that is to be recorded, its children included.
  ///
  /// - Parameters:
  ///   - pattern: where each process writes its log.
  ///   - library: the library that is preloaded, after those that it preloads already; nil: none.
  ///   - containment: the value of `KVO_SAFETY_CONTAIN`; nil: faults are observed only.
  /// - Returns: the environment to run it with.
  package func recording(
    into pattern: String,
    library: PreloadLibrary?,
    containment: String?
  ) -> ProcessEnvironment {
    var copy = self
    copy["KVO_SAFETY_LOG"] = pattern
    copy["KVO_SAFETY_CONTAIN"] = containment
    if let library {
      let previous = self["LD_PRELOAD"] ?? ""
      copy["LD_PRELOAD"] = previous.isEmpty ? library.path : "\(previous):\(library.path)"
    }
    return copy
  }
}
