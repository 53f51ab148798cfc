import Glibc

/// The environment variables of a process, in their order.
///
/// They are bytes, because a value need not be UTF-8, and the programs that get them should get the same ones.
package struct ProcessEnvironment: Sendable {
  /// As `environ` has them, `NAME=value`, each with the zero at its end.
  package private(set) var entries: [[CChar]]

  /// The environment of this process.
  package static var own: ProcessEnvironment {
    var environment = ProcessEnvironment(entries: [])
    var next = environ
    while let entry = next.pointee {
      environment.entries.append(
        Array(UnsafeBufferPointer(start: UnsafePointer(entry), count: strlen(entry) + 1))
      )
      next += 1
    }
    return environment
  }

  /// Makes an environment of entries, `NAME=value`.
  package init(entries: [String]) { self.entries = entries.map { Array($0.utf8CString) } }

  /// The value of a variable, or nil if it is not set; setting nil removes it.
  ///
  /// Bytes that are not UTF-8 are repaired in the text.
  package subscript(name: String) -> String? {
    get {
      let start = Self.start(of: name)
      return entries.first { $0.starts(with: start) }.map { entry in
        let value = entry.dropFirst(start.count).dropLast()
        return String(decoding: value.map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
    }
    set {
      let start = Self.start(of: name)
      entries.removeAll { $0.starts(with: start) }
      if let newValue { entries.append(Array("\(name)=\(newValue)".utf8CString)) }
    }
  }

  private static func start(of name: String) -> [CChar] {
    "\(name)=".utf8.map(CChar.init(bitPattern:))
  }
}
