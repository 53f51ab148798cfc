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
final class AnnouncementFinder: SyntaxVisitor {
  private let key: String
  /// Whether only a method of the class itself counts, and only a key that is a literal.
  private let isOwn: Bool
  private var isFound = false

  private init(_ key: String, isOwn: Bool) {
    self.key = key
    self.isOwn = isOwn
    super.init(viewMode: .sourceAccurate)
  }

  /// Whether `node` has a call for `key`, or for a key that the syntax does not show.
  static func finds(_ key: String, in node: some SyntaxProtocol) -> Bool {
    let finder = AnnouncementFinder(key, isOwn: false)
    finder.walk(node)
    return finder.isFound
  }

  /// Whether `node` has a call on `self` that names `key`.
  static func findsOwn(_ key: String, in node: some SyntaxProtocol) -> Bool {
    let finder = AnnouncementFinder(key, isOwn: true)
    finder.walk(node)
    return finder.isFound
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let access = node.calledExpression.as(MemberAccessExprSyntax.self)
    let called = access?.declName ?? node.calledExpression.as(DeclReferenceExprSyntax.self)
    if called?.baseName.text == "willChangeValue", let key = node.arguments.first,
      !isOwn || access?.base.map(\.isSelfOrSuper) ?? true
    {
      // What is not a literal may be this key.
      isFound = isFound || key.expression.namedKey.map { $0 == self.key } ?? !isOwn
    }
    return .visitChildren
  }
}

extension ExprSyntax {
  /// Whether it is `self` or `super`.
  fileprivate var isSelfOrSuper: Bool {
    self.is(SuperExprSyntax.self)
      || self.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
  }

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
