#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@_KeyValueDirect("balance", …)`: lets an `init` or `deinit` access the storage of these properties directly, as
/// Swift does for stored ones.
///
/// An init accessor covers assignments until every property of the object has a value. Later ones would call the
/// setter, and with it observers and overrides that Swift does not call there.
///
/// The new body uses the source location of the old one, so that the stacks of a program still name its lines.
enum KeyValueDirectMacro: BodyMacro {
  // Another format would have different lines.
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax,
    providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
    in context: some MacroExpansionContext
  ) throws -> [CodeBlockItemSyntax] {
    guard let body = declaration.body, case .argumentList(let arguments) = node.arguments else {
      return []
    }
    let names = arguments.compactMap {
      $0.expression.as(StringLiteralExprSyntax.self)?.literalText
    }
    let access = DirectAccess(to: Set(names), hiddenBy: declaration.parameterNames)
    var statements = Array(access.rewrite(body.statements))
    guard let first = body.statements.first,
      let location = context.location(of: first, at: .afterLeadingTrivia, filePathMode: .filePath)
    else { return statements }
    statements[0].leadingTrivia = .newline
    let start: CodeBlockItemSyntax =
      "#sourceLocation(file: \(location.file), line: \(location.line))"
    let end: CodeBlockItemSyntax = "\n#sourceLocation()\n"
    return [start] + statements + [end]
  }
}

extension StringLiteralExprSyntax {
  /// The text of a literal without escapes and interpolations.
  fileprivate var literalText: String? {
    guard case .stringSegment(let text) = segments.first, segments.count == 1 else { return nil }
    return text.content.text
  }
}

extension DeclSyntaxProtocol {
  /// The names of an initializer's parameters, as its body has them.
  fileprivate var parameterNames: Set<String> {
    guard let parameters = self.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters
    else { return [] }
    return Set(parameters.compactMap { ($0.secondName ?? $0.firstName).identifier?.name })
  }
}

extension ObservedClass {
  /// The names of properties that the body of `member`, an `init` or `deinit`, must take from
  /// storage.
  ///
  /// The choice between storage and accessors matters if the property has observers, or a subclass may override it. A
  /// property without a value that is assigned once in a designated initializer gets its value through the init
  /// accessor.
  func directReferences(in member: some DeclSyntaxProtocol) -> [TokenSyntax] {
    guard let body = member.initializerBody else { return [] }
    let concerned = properties.filter {
      $0.isMoved && ($0.observers != nil || isOverridable($0))
    }
    let access = DirectAccess(
      to: Set(concerned.map(\.key)),
      hiddenBy: member.parameterNames
    )
    _ = access.rewrite(body.statements)
    var counts: [String: Int] = [:]
    for name in access.references.compactMap(\.identifier?.name) { counts[name, default: 0] += 1 }
    if member.isDesignatedInitializer {
      let initialized = Set(body.statements.compactMap(\.assignedProperty))
      for property in concerned where counts[property.key] == 1 && !property.hasInitialValue {
        if initialized.contains(property.key) { counts[property.key] = nil }
      }
    }
    return access.references.filter { counts[$0.identifier?.name ?? ""] != nil }
  }

  /// The properties that the macro takes from storage in `member`, in the order of their names.
  func directProperties(in member: some DeclSyntaxProtocol) -> [String] {
    guard let body = member.initializerBody, !body.hasCaptureList else { return [] }
    return Set(directReferences(in: member).compactMap(\.identifier?.name)).sorted()
  }

  private func isOverridable(_ property: ObservedProperty) -> Bool {
    !isFinal && !property.declaration.has(.final) && !property.declaration.has(.private)
  }
}

extension DeclSyntaxProtocol {
  /// The body of an `init` or `deinit`.
  var initializerBody: CodeBlockSyntax? {
    self.as(InitializerDeclSyntax.self)?.body ?? self.as(DeinitializerDeclSyntax.self)?.body
  }

  fileprivate var isDesignatedInitializer: Bool {
    guard let initializer = self.as(InitializerDeclSyntax.self) else { return false }
    return !initializer.modifiers.contains { $0.name.tokenKind == .keyword(.convenience) }
  }
}

extension CodeBlockSyntax {
  /// Whether a closure in it has a capture list, which the compiler (6.3) cannot check in a macro-generated body.
  var hasCaptureList: Bool { CaptureListFinder.finds(in: self) }
}

private final class CaptureListFinder: SyntaxVisitor {
  private var isFound = false

  static func finds(in node: some SyntaxProtocol) -> Bool {
    let finder = CaptureListFinder(viewMode: .sourceAccurate)
    finder.walk(node)
    return finder.isFound
  }

  override func visit(_ node: ClosureCaptureClauseSyntax) -> SyntaxVisitorContinueKind {
    isFound = true
    return .skipChildren
  }
}

extension ObservedProperty {
  /// Whether it has a value before an initializer assigns one.
  fileprivate var hasInitialValue: Bool {
    guard binding.initializer == nil, let type = binding.typeAnnotation?.type else { return true }
    return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
      || type.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
  }
}

extension CodeBlockItemSyntax {
  /// The name on the left of `name = …` or `self.name = …`.
  fileprivate var assignedProperty: String? {
    guard let expression = item.as(ExprSyntax.self) else { return nil }
    var target: ExprSyntax?
    if let sequence = expression.as(SequenceExprSyntax.self), sequence.elements.count > 2 {
      let elements = Array(sequence.elements.prefix(2))
      target = elements[1].is(AssignmentExprSyntax.self) ? elements[0] : nil
    } else if let infix = expression.as(InfixOperatorExprSyntax.self) {
      target = infix.operator.is(AssignmentExprSyntax.self) ? infix.leftOperand : nil
    }
    if let member = target?.as(MemberAccessExprSyntax.self), member.base?.isSelf == true {
      return member.declName.baseName.identifier?.name
    }
    return target?.as(DeclReferenceExprSyntax.self)?.baseName.identifier?.name
  }
}
#endif
