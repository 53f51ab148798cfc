#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// Makes the entry of a deprecated property in the table of keys, as a peer of the property.
///
/// The compiler warns of a reference to the property in the table, in code that nobody wrote, but not in what a macro
/// adds to the deprecated declaration itself.
enum KeyValueDeprecatedMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = declaration.as(VariableDeclSyntax.self).flatMap(ObservedProperty.init),
      let scope = context.lexicalContext.first?.as(ClassDeclSyntax.self)
    else { return [] }
    let name = property.deprecatedKeyName
    guard !ObservedClass(scope).isFinal else {
      return [
        """
        private static var \(raw: name): KVOSafety.ObservableKey {
          \(raw: property.keyExpression(root: scope.name.text))
        }
        """
      ]
    }
    return [
      """
      private static func \(raw: name)<_Root: \(raw: scope.name.text)>(of root: _Root.Type) \
      -> KVOSafety.ObservableKey {
        \(raw: property.keyExpression(root: "_Root"))
      }
      """
    ]
  }
}
#endif
