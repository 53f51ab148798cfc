#if Macros
internal import SwiftSyntax

/// Rewrites the references to stored properties that Swift compiles to direct storage access.
///
/// In a property's own `willSet` and `didSet` a reference to that property through `self`, written or implied, calls no
/// accessor: that is why an assignment there does not call the observers again. The same holds in `init` and `deinit`
/// for every stored property of the class. Closures, local functions and local types inside are ordinary code, and
/// `defer` and autoclosures are treated as part of the body (`isDirectToStorageAccess` in the compiler's
/// `lib/AST/Decl.cpp`; PlainSwiftTests compare the macro with the compiler).
///
/// A macro class keeps the value of `level` in `_level`, so such a reference to `level` becomes one
/// to `_level`, for which the compiler applies the same rule.
final class DirectAccess: SyntaxRewriter {
  private let properties: Set<String>
  /// The local names that hide a property, from the outermost scope inwards.
  private var scopes: [Set<String>]
  /// The names that were rewritten, with their positions in the source.
  private(set) var references: [TokenSyntax] = []

  /// - Parameters:
  ///   - properties: the names of the properties.
  ///   - parameters: the names that the parameters of the body introduce.
  init(to properties: Set<String>, hiddenBy parameters: Set<String>) {
    self.properties = properties
    scopes = [parameters]
    super.init()
  }

  /// `body` with the references rewritten.
  func rewrite(_ body: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
    inScope(of: body) { visit(body) }
  }

  /// The name of the storage of `name`, if that is a property and nothing hides it.
  private func storage(of token: TokenSyntax) -> TokenSyntax? {
    guard let name = token.identifier?.name, properties.contains(name) else { return nil }
    references.append(token)
    return token.with(\.tokenKind, .identifier(token.name(after: "_")))
  }

  private func isHidden(_ token: TokenSyntax) -> Bool {
    guard let name = token.identifier?.name else { return true }
    return scopes.contains { $0.contains(name) }
  }

  // MARK: References

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    guard node.argumentNames == nil, !isHidden(node.baseName),
      let storage = storage(of: node.baseName)
    else { return ExprSyntax(node) }
    return ExprSyntax(node.with(\.baseName, storage))
  }

  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
    guard let base = node.base else { return ExprSyntax(node) }
    if base.isSelf, node.declName.argumentNames == nil,
      let storage = storage(of: node.declName.baseName)
    {
      return ExprSyntax(node.with(\.declName.baseName, storage))
    }
    return ExprSyntax(node.with(\.base, visit(base)))
  }

  override func visit(_ node: ClosureCaptureSyntax) -> ClosureCaptureSyntax {
    guard node.initializer == nil else { return super.visit(node) }
    guard !isHidden(node.name), let storage = storage(of: node.name) else { return node }
    return node.with(\.initializer, .init(of: storage, after: node.name))
      .with(\.name.trailingTrivia, [])
  }

  override func visit(_ node: OptionalBindingConditionSyntax) -> OptionalBindingConditionSyntax {
    defer { hide(node.pattern) }
    guard node.initializer == nil,
      let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier
    else { return node.with(\.initializer, node.initializer.map { visit($0) }) }
    guard !isHidden(name), let storage = storage(of: name) else { return node }
    return node.with(\.initializer, .init(of: storage, after: name))
      .with(\.pattern.trailingTrivia, [])
  }

  // MARK: Code that is not the body's own

  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax {
    guard let capture = node.signature?.capture else { return ExprSyntax(node) }
    return ExprSyntax(node.with(\.signature!.capture, visit(capture)))
  }

  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: FunctionDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: ClassDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: StructDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: EnumDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: ActorDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
  override func visit(_ node: AccessorBlockSyntax) -> AccessorBlockSyntax { node }

  // MARK: Scopes

  private func hide(_ pattern: some SyntaxProtocol) {
    scopes[scopes.count - 1].formUnion(BoundNames.of(pattern))
  }

  private func inScope<Result>(
    of statements: CodeBlockItemListSyntax? = nil,
    _ body: () -> Result
  ) -> Result {
    scopes.append(statements.map(BoundNames.declared(in:)) ?? [])
    defer { scopes.removeLast() }
    return body()
  }

  override func visit(_ node: CodeBlockSyntax) -> CodeBlockSyntax {
    inScope(of: node.statements) { super.visit(node) }
  }

  override func visit(_ node: PatternBindingSyntax) -> PatternBindingSyntax {
    defer { hide(node.pattern) }
    return super.visit(node)
  }

  override func visit(_ node: MatchingPatternConditionSyntax) -> MatchingPatternConditionSyntax {
    defer { hide(node.pattern) }
    return super.visit(node)
  }

  override func visit(_ node: IfExprSyntax) -> ExprSyntax {
    var node = node
    inScope {
      node.conditions = visit(node.conditions)
      node.body = visit(node.body)
    }
    switch node.elseBody {
    case .ifExpr(let other): node.elseBody = visit(other).as(IfExprSyntax.self).map { .ifExpr($0) }
    case .codeBlock(let block): node.elseBody = .codeBlock(visit(block))
    case nil: break
    }
    return ExprSyntax(node)
  }

  override func visit(_ node: WhileStmtSyntax) -> StmtSyntax { inScope { super.visit(node) } }

  override func visit(_ node: ForStmtSyntax) -> StmtSyntax {
    var node = node
    node.sequence = visit(node.sequence)
    inScope {
      node.pattern = visit(node.pattern)
      hide(node.pattern)
      node.whereClause = node.whereClause.map { visit($0) }
      node.body = visit(node.body)
    }
    return StmtSyntax(node)
  }

  override func visit(_ node: SwitchCaseSyntax) -> SwitchCaseSyntax {
    inScope(of: node.statements) { super.visit(node) }
  }

  override func visit(_ node: SwitchCaseItemSyntax) -> SwitchCaseItemSyntax {
    hide(node.pattern)
    return super.visit(node)
  }

  override func visit(_ node: CatchClauseSyntax) -> CatchClauseSyntax {
    inScope {
      if node.catchItems.isEmpty { scopes[scopes.count - 1].insert("error") }
      return super.visit(node)
    }
  }

  override func visit(_ node: CatchItemSyntax) -> CatchItemSyntax {
    if let pattern = node.pattern { hide(pattern) }
    return super.visit(node)
  }
}

/// The names that patterns and declarations introduce.
private final class BoundNames: SyntaxVisitor {
  private var names: Set<String> = []

  static func of(_ pattern: some SyntaxProtocol) -> Set<String> {
    let visitor = BoundNames(viewMode: .sourceAccurate)
    visitor.walk(pattern)
    return visitor.names
  }

  /// The functions and types in `statements`, which are visible before their declaration as well.
  static func declared(in statements: CodeBlockItemListSyntax) -> Set<String> {
    let names = statements.compactMap { statement in
      statement.item.asProtocol((any NamedDeclSyntax).self)?.name.identifier?.name
    }
    return Set(names)
  }

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    if let name = node.identifier.identifier?.name { names.insert(name) }
    return .skipChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

extension ExprSyntax {
  /// Whether it is `self`, in parentheses or not.
  var isSelf: Bool {
    if let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1 {
      return tuple.elements.first?.expression.isSelf == true
    }
    return self.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
  }
}

extension InitializerClauseSyntax {
  /// `= name`, with the trivia after the name that it follows.
  fileprivate init(of name: TokenSyntax, after previous: TokenSyntax) {
    self.init(
      equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
      value: DeclReferenceExprSyntax(baseName: name.with(\.leadingTrivia, [])),
      trailingTrivia: []
    )
  }
}
#endif
