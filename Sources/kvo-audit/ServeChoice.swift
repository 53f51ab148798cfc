import ArgumentParser

/// The value of `--serve`, which may be a port.
///
/// The initializer does not refuse other values: `--serve app.kvolog` passes the log to it.
enum ServeChoice: Hashable, ExpressibleByArgument {
  static let usualPort: UInt16 = 8765

  case usual
  case port(UInt16)
  /// Something that is not a number: the log.
  case other(String)
  /// A number that is not a port.
  case outOfRange(String)

  init?(argument: String) {
    if let port = UInt16(argument) {
      self = .port(port)
    } else if argument.allSatisfy({ $0.isNumber || $0 == "-" }), argument != "-" {
      self = .outOfRange(argument)
    } else {
      self = .other(argument)
    }
  }

  /// The port to serve on.
  var port: UInt16 {
    if case .port(let port) = self { port } else { Self.usualPort }
  }
}

extension ServeChoice: CustomStringConvertible {
  var description: String { String(port) }
}
