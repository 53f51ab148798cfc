#if Macros
internal import SwiftSyntax

/// The names in a key path literal, as a key path by name has them.
enum KeyPathParts {
  /// `owner.name` for `\Account.owner?.name`.
  ///
  /// - Parameters:
  ///   - literal: the key path.
  ///   - typeCount: how many of its first components are types: see ``nestedType(of:)``.
  /// - Returns: the names, with dots between.
  /// - Throws: the component that is not a property.
  static func name(
    of literal: KeyPathExprSyntax,
    after typeCount: Int = 0
  ) throws(Obstacle) -> String {
    var names: [String] = []
    for component in literal.components.dropFirst(typeCount) {
      switch component.component {
      case .property(let property):
        let name = property.declName.baseName.bareName
        // `\Account.self` is the object, not a property of it.
        guard name != "self", !name.isEmpty, !name.contains(".") else {
          throw Obstacle(component: component)
        }
        names.append(name)
      case .optional:
        continue
      default:
        throw Obstacle(component: component)
      }
    }
    return names.joined(separator: ".")
  }

  /// The type that a literal with a root starts from, as far as it is not its root: `Bank.Account` for
  /// `\Bank.Account.balance`, whose root is `Bank`; nil if there is no more.
  ///
  /// Syntax does not tell a type in a type, or in a module, from a property. What begins with a capital letter and is
  /// followed by another component is taken for a type; the compiler is asked to confirm that.
  static func nestedType(of literal: KeyPathExprSyntax) -> (text: String, count: Int)? {
    guard let root = literal.root else { return nil }
    let types = literal.components.dropLast().prefix { component in
      guard case .property(let property) = component.component else { return false }
      return property.declName.baseName.identifier?.name.first?.isUppercase == true
    }
    guard !types.isEmpty else { return nil }
    let names = types.map { ".\($0.component.trimmedDescription)" }.joined()
    return ("\(root.trimmedDescription)\(names)", types.count)
  }

  struct Obstacle: Error {
    var component: KeyPathComponentSyntax
  }
}
#endif
