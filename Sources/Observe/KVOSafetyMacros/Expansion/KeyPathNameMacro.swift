#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `#keyPathName(\Account.owner?.name)`: the key path by name, which the compiler has checked.
enum KeyPathNameMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    guard let argument = node.arguments.last?.expression,
      let literal = argument.as(KeyPathExprSyntax.self)
    else {
      context.report(
        MacroMessage(
          "notALiteral",
          "'#keyPathName' takes a key path that is written out, such as '\\Account.balance'"
        ),
        at: node.arguments.last.map { Syntax($0) } ?? Syntax(node)
      )
      return "\"\""
    }
    do {
      guard let type = KeyPathParts.nestedType(of: literal) else {
        return "\(literal: try KeyPathParts.name(of: literal))"
      }
      let name = try KeyPathParts.name(of: literal, after: type.count)
      return "KVOSafety._keyPathName(\(literal: name), of: \(raw: type.text).self)"
    } catch {
      context.report(
        MacroMessage(
          "notAProperty",
          "a key path by name is made of properties: '\(error.component.trimmed)' is not one"
        ),
        at: error.component
      )
      return "\"\""
    }
  }
}
#endif
