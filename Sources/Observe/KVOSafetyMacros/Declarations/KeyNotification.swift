#if Macros
internal import SwiftSyntax

/// The arguments of `@KeyValue` on a property.
struct KeyNotification {
  /// How changes of the property are notified; the cases have the names of KVOSafety's.
  enum Style: String {
    case automatic
    case whenDifferent
    case manual
    case ignored
  }

  var style = Style.automatic
  /// The key paths in `affectedBy`: literals, or other expressions, which the class evaluates.
  var dependencies: [ExprSyntax] = []

  init() {}

  init(_ attribute: AttributeSyntax) {
    guard case .argumentList(let arguments) = attribute.arguments else { return }
    var isDependency = false
    for argument in arguments {
      if let label = argument.label { isDependency = label.text == "affectedBy" }
      if isDependency {
        dependencies.append(argument.expression)
      } else if let member = argument.expression.as(MemberAccessExprSyntax.self),
        let named = Style(rawValue: member.declName.baseName.text)
      {
        style = named
      }
    }
  }
}
#endif
