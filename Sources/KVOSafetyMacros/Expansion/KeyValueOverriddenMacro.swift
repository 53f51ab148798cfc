#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// Moves the observers that an override adds into a setter of its own, around which the change is one.
///
/// Swift calls the superclass's setter between them, and that setter notifies: of a value that the override's
/// `didSet` has yet to correct, and once more when it does. The observers stay what they are, ordinary code: a
/// reference to the property in them goes through its accessors, as it does in every override (in the
/// property's own class it would go to storage).
enum KeyValueOverriddenMacro {}

extension KeyValueOverriddenMacro: AccessorMacro {
  // Another format would have other lines.
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = declaration.as(VariableDeclSyntax.self).flatMap(ObservedProperty.init),
      let observers = property.observers,
      let scope = context.lexicalContext.first?.as(ClassDeclSyntax.self)
    else { return [] }
    let inherited = "super.\(property.identifier.text)"
    var before: [String] = []
    var after: [String] = []
    for observer in observers {
      guard let body = observer.body else { continue }
      let isBefore = observer.accessorSpecifier.tokenKind == .keyword(.willSet)
      let parameter =
        observer.parameters?.name.text ?? (isBefore ? "newValue" : "oldValue")
      let isUsed = observer.parameters != nil || body.refers(to: parameter)
      let code = "_ = { () -> Void in\n\(body.statements.located(in: context))\n}()"
      if isBefore {
        let value = isUsed ? "let \(parameter) = _newValue\n" : ""
        before.append("do {\n\(value)\(code)\n}")
      } else {
        if isUsed { before.insert("let \(parameter) = \(inherited)", at: 0) }
        after.append(code)
      }
    }
    let key = "\(scope.name.text).\(KeyValueStoredMacro.keyPrefix)\(property.key)"
    let change = (before + ["\(inherited) = _newValue"] + after).joined(separator: "\n")
    return [
      """
      get {
      \(raw: inherited)
      }
      """,
      """
      set(_newValue) {
      func change() {
      \(raw: change)
      }
      guard observationRegistrar.wasEverObserved else { return change() }
      observationRegistrar.changeOverride(
      \(raw: key), of: self, from: \(raw: inherited), to: _newValue, by: change)
      }
      """,
    ]
  }
}

extension KeyValueOverriddenMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = declaration.as(VariableDeclSyntax.self).flatMap(ObservedProperty.init),
      let scope = context.lexicalContext.first?.as(ClassDeclSyntax.self)
    else { return [] }
    return [ObservedClass(scope).keyDeclaration(of: property, in: context)]
  }
}

extension CodeBlockSyntax {
  /// Whether the name stands anywhere in it.
  fileprivate func refers(to name: String) -> Bool {
    tokens(viewMode: .sourceAccurate).contains { $0.identifier?.name == name }
  }
}

extension CodeBlockItemListSyntax {
  /// The statements, which say of themselves that they stand where they do in the source.
  fileprivate func located(in context: some MacroExpansionContext) -> String {
    guard let first,
      let place = context.location(of: first, at: .afterLeadingTrivia, filePathMode: .filePath)
    else { return "\(trimmed)" }
    return """
      #sourceLocation(file: \(place.file), line: \(place.line))
      \(trimmed)
      #sourceLocation()
      """
  }
}
#endif
