#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// Moves the observers that an override adds into its own setter, which makes one change of them.
///
/// Swift calls the superclass's setter between them, and that setter notifies: of a value that the override's `didSet`
/// has yet to correct, and once more when it does. The observers remain ordinary code: a reference to the property in
/// them goes through its accessors, as it does in every override (in the property's own class it would go to storage).
enum KeyValueOverriddenMacro {}

extension KeyValueOverriddenMacro: AccessorMacro {
  // Another format would have different lines.
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
    let key = "\(scope.name.text).\(property.keyName)"
    let change = (before + ["\(inherited) = _newValue"] + after).joined(separator: "\n")
    return [
      """
      get {
      return \(raw: inherited)
      }
      """,
      """
      set(_newValue) {
      func _setAndObserve() {
      \(raw: change)
      }
      guard observationRegistrar.wasEverObserved else { return _setAndObserve() }
      observationRegistrar.changeOverride(
      \(raw: key), of: self, from: \(raw: inherited), to: _newValue, by: _setAndObserve)
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
  /// Whether the name occurs anywhere in it.
  fileprivate func refers(to name: String) -> Bool {
    tokens(viewMode: .sourceAccurate).contains { $0.identifier?.name == name }
  }
}

extension CodeBlockItemListSyntax {
  /// The statements, with their original source location.
  fileprivate func located(in context: some MacroExpansionContext) -> String {
    guard let first,
      let location = context.location(of: first, at: .afterLeadingTrivia, filePathMode: .filePath)
    else { return "\(trimmed)" }
    return """
      #sourceLocation(file: \(location.file), line: \(location.line))
      \(trimmed)
      #sourceLocation()
      """
  }
}
#endif
