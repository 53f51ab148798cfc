import Glibc

/// The environment variables of a process, in their order.
package struct ProcessEnvironment: Sendable {
  private var entries: [String]

  /// The environment of this process.
  package static var own: ProcessEnvironment {
    var entries: [String] = []
    var next = environ
    while let entry = next.pointee {
      entries.append(String(cString: entry))
      next += 1
    }
    return ProcessEnvironment(entries: entries)
  }

  /// Makes an environment of entries as `environ` has them, `NAME=value`.
  package init(entries: [String]) { self.entries = entries }

  /// The value of a variable, or nil if it is not set; setting nil removes it.
  package subscript(name: String) -> String? {
    get {
      entries.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    set {
      entries.removeAll { $0.hasPrefix("\(name)=") }
      if let newValue { entries.append("\(name)=\(newValue)") }
    }
  }

  /// As `environ` has it.
  var list: [String] { entries }

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
