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
  package var list: [String] { entries }
}
