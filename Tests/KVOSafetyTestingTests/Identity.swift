import Foundation
import KVORules

/// What names a fault to a person: what is copied from one report must be found in another.
struct Identity: Hashable, Comparable, CustomStringConvertible {
  var code: String
  var signature: String
  var message: String

  var description: String { "\(code) \(signature) \(message)" }

  static func < (left: Identity, right: Identity) -> Bool {
    left.description < right.description
  }
}

extension Identity {
  /// The findings of a text report, those that follow from others included.
  static func inText(_ text: String) -> [Identity] {
    var found: [Identity] = []
    var head: (code: String, message: String)?
    let lines = text.split(separator: "\n").map(String.init)
    for (line, next) in zip(lines, lines.dropFirst() + [""]) {
      if let match = line.firstMatch(of: #/KVOSafety: .* \((KVO\d+) /#) {
        head = (String(match.1), next.trimmingCharacters(in: .whitespaces))
      } else if let match = line.firstMatch(of: #/^    (.*) \((KVO\d+) [a-z-]+, (\S+), seen/#) {
        found.append(
          Identity(code: "\(match.2)", signature: "\(match.3)", message: "\(match.1)")
        )
      } else if let match = line.firstMatch(of: #/^  Signature: (\S+) /#), let known = head {
        found.append(
          Identity(code: known.code, signature: "\(match.1)", message: known.message)
        )
      }
    }
    return found
  }

  init(_ finding: Finding) {
    self.init(
      code: finding.code.rawValue,
      signature: finding.shortSignature,
      message: finding.message
    )
  }
}
