#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

extension TokenSyntax {
  /// The name without backticks: `my key` for the raw identifier `` `my key` ``.
  var bareName: String { identifier?.name ?? text }

  /// The name behind `prefix`, in backticks if it needs them.
  func name(after prefix: String) -> String {
    let name = prefix + bareName
    let isPlain = name.allSatisfy { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
    return isPlain || !text.hasPrefix("`") ? name : "`\(name)`"
  }
}

extension String {
  /// A literal of the text.
  var literal: String { "\(StringLiteralExprSyntax(content: self))" }
}

extension PatternSyntax {
  /// The names that a declaration with this pattern declares: both of `(width, height)`.
  var boundNames: [TokenSyntax] {
    if let name = self.as(IdentifierPatternSyntax.self)?.identifier { return [name] }
    return self.as(TuplePatternSyntax.self)?.elements.flatMap(\.pattern.boundNames) ?? []
  }
}
#endif
