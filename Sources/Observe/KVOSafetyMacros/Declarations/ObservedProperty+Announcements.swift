#if Macros
internal import SwiftSyntax

extension ObservedProperty {
  /// Whether the property's own observers send its notifications themselves.
  var notifiesByItself: Bool { observers.map { isAnnounced(in: $0) } ?? false }

  /// Whether a call of `willChangeValue` in `code` announces this property, as far as the syntax shows.
  ///
  /// A call for another key, such as one whose value this property determines, does not.
  func isAnnounced(in code: some SyntaxProtocol) -> Bool { AnnouncementFinder.finds(key, in: code) }
}

/// Finds a call of `willChangeValue` for a key.
private final class AnnouncementFinder: SyntaxVisitor {
  private let key: String
  private var isFound = false

  private init(_ key: String) {
    self.key = key
    super.init(viewMode: .sourceAccurate)
  }

  static func finds(_ key: String, in node: some SyntaxProtocol) -> Bool {
    let finder = AnnouncementFinder(key)
    finder.walk(node)
    return finder.isFound
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let called =
      node.calledExpression.as(MemberAccessExprSyntax.self)?.declName
      ?? node.calledExpression.as(DeclReferenceExprSyntax.self)
    if called?.baseName.text == "willChangeValue", let key = node.arguments.first {
      // What is not a literal may be this key.
      isFound = isFound || key.expression.namedKey.map { $0 == self.key } ?? true
    }
    return .visitChildren
  }
}

extension ExprSyntax {
  /// The key that a string or a key path of one part names, as far as the syntax shows.
  fileprivate var namedKey: String? {
    if let text = self.as(StringLiteralExprSyntax.self) {
      guard case .stringSegment(let segment) = text.segments.first, text.segments.count == 1
      else { return nil }
      return segment.content.text
    }
    guard let components = self.as(KeyPathExprSyntax.self)?.components, components.count == 1,
      let property = components.first?.component.as(KeyPathPropertyComponentSyntax.self)
    else { return nil }
    return property.declName.baseName.identifier?.name
  }
}
#endif
