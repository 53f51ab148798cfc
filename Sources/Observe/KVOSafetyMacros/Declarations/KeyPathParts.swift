#if Macros
internal import SwiftSyntax

/// The names in a key path literal, as a key path by name has them.
enum KeyPathParts {
  /// `owner.name` for `\Account.owner?.name`.
  ///
  /// - Throws: the component that is not a property.
  static func name(of literal: KeyPathExprSyntax) throws(Obstacle) -> String {
    var names: [String] = []
    for component in literal.components {
      switch component.component {
      case .property(let property):
        let name = property.declName.baseName.identifier?.name ?? ""
        // `\Account.self` is the object, not a property of it.
        guard name != "self", !name.isEmpty else { throw Obstacle(component: component) }
        names.append(name)
      case .optional:
        continue
      default:
        throw Obstacle(component: component)
      }
    }
    return names.joined(separator: ".")
  }

  struct Obstacle: Error {
    var component: KeyPathComponentSyntax
  }
}
#endif
