#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// Adds observers that notify to a property that can have no additional accessors: `lazy` or
/// wrapped.
enum KeyValueNotifyingMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = declaration.as(VariableDeclSyntax.self).flatMap(ObservedProperty.init)
    else { return [] }
    return [("willSet", "willChangeValue"), ("didSet", "didChangeValue")].map { observer, call in
      """
      \(raw: observer) {
        \(raw: call)(forKey: \(literal: property.key))
      }
      """
    }
  }
}
#endif
