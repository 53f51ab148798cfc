#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// `@KeyValue(…)`: annotates a property for `@KeyValueObservable`.
enum KeyValueMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if let obstacle = obstacle(declaration, node, context) {
      context.report(
        MacroMessage("misplacedKeyValue", "'@KeyValue' says nothing here: \(obstacle)"),
        at: node,
        fixIts: [.init(removing: node)]
      )
    }
    return []
  }

  private static func obstacle(
    _ declaration: some DeclSyntaxProtocol,
    _ node: AttributeSyntax,
    _ context: some MacroExpansionContext
  ) -> String? {
    guard let variable = declaration.as(VariableDeclSyntax.self) else {
      return "it belongs to a property"
    }
    if variable.isOfType { return "a property of the type itself cannot be observed" }
    let scope = context.lexicalContext.first?.as(ClassDeclSyntax.self)
    guard let scope, scope.isMarkedObservable else {
      return "it belongs in a class that is '@KeyValueObservable'"
    }
    let notification = KeyNotification(node)
    let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
    if isConstant, notification.style != .ignored { return "a 'let' never changes" }
    return nil
  }
}

extension ClassDeclSyntax {
  fileprivate var isMarkedObservable: Bool {
    attributes.contains { $0.as(AttributeSyntax.self)?.shortName == "KeyValueObservable" }
  }
}
#endif
