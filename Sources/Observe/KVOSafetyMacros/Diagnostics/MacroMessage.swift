#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// A diagnostic or fix-it message of a macro.
struct MacroMessage: DiagnosticMessage, FixItMessage {
  let name: String
  let message: String
  let severity: DiagnosticSeverity

  init(_ name: String, _ message: String, severity: DiagnosticSeverity = .error) {
    self.name = name
    self.message = message
    self.severity = severity
  }

  var diagnosticID: MessageID { MessageID(domain: "KVOSafety", id: name) }
  var fixItID: MessageID { diagnosticID }
}

extension MacroExpansionContext {
  func report(_ message: MacroMessage, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
    diagnose(Diagnostic(node: Syntax(node), message: message, fixIts: fixIts))
  }
}

extension FixIt {
  /// Replaces `old` by `new`, and keeps the surrounding space and comments.
  init(_ name: String, _ message: String, replacing old: some SyntaxProtocol, by new: String) {
    self.init(
      message: MacroMessage(name, message),
      changes: [
        .replaceText(
          range: old.positionAfterSkippingLeadingTrivia..<old.endPositionBeforeTrailingTrivia,
          with: new,
          in: Syntax(old.root)
        )
      ]
    )
  }

  /// Removes an attribute, with the space after it.
  init(removing attribute: AttributeSyntax) {
    self.init(
      message: MacroMessage("removeAttribute", "remove '\(attribute.trimmed)'"),
      changes: [
        .replaceText(
          range: attribute.positionAfterSkippingLeadingTrivia..<attribute.followingPosition,
          with: "",
          in: Syntax(attribute.root)
        )
      ]
    )
  }
}

extension AttributeSyntax {
  /// The position at which the next token begins.
  fileprivate var followingPosition: AbsolutePosition {
    nextToken(viewMode: .sourceAccurate)?.positionAfterSkippingLeadingTrivia ?? endPosition
  }
}
#endif
