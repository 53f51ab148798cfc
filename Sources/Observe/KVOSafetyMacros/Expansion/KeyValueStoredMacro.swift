#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// Moves a stored property behind accessors that notify.
///
/// The value, with the property's own observers, is in a private property of the same name prefixed with an underscore.
/// Until the object is first observed the accessors cost a load and a branch.
enum KeyValueStoredMacro {}

extension KeyValueStoredMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = declaration.as(VariableDeclSyntax.self).flatMap(ObservedProperty.init),
      let scope = context.lexicalContext.first?.as(ClassDeclSyntax.self)
    else { return [] }
    let stored = property.storageName
    let key = "\(scope.name.text).\(property.keyName)"
    let isComparing = property.notification.style == .whenDifferent
    let difference =
      isComparing ? ", observationRegistrar.isChange(from: \(stored), to: newValue)" : ""
    // With `return`, because the compiler warns of an unused value of the type Void.
    var accessors: [AccessorDeclSyntax] = [
      """
      @storageRestrictions(initializes: \(raw: stored))
      init(initialValue) {
        \(raw: stored) = initialValue
      }
      """,
      """
      get {
        return \(raw: stored)
      }
      """,
      """
      set {
        guard observationRegistrar.wasEverObserved\(raw: difference) else {
          \(raw: stored) = newValue
          return
        }
        @inline(never)
        func change() {
          observationRegistrar.change(\(raw: key), of: self, value: \(raw: stored)) {
            \(raw: stored) = newValue
          }
        }
        change()
      }
      """,
    ]
    // Changing in place would change before it could be compared.
    if !isComparing {
      accessors.append(
        """
        _modify {
          guard observationRegistrar.wasEverObserved else {
            yield &\(raw: stored)
            return
          }
          observationRegistrar.willChange(\(raw: key), of: self)
          defer {
            observationRegistrar.didChange(\(raw: key), of: self)
          }
          yield &\(raw: stored)
        }
        """
      )
    }
    return accessors
  }
}

extension KeyValueStoredMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(VariableDeclSyntax.self),
      let property = ObservedProperty(declaration),
      let scope = context.lexicalContext.first?.as(ClassDeclSyntax.self)
    else { return [] }
    return [
      DeclSyntax(storage(of: property)),
      ObservedClass(scope).keyDeclaration(of: property, in: context),
    ]
  }

  /// The same declaration under another name, without the parts that the accessors have now.
  private static func storage(of property: ObservedProperty) -> VariableDeclSyntax {
    let access: Set<Keyword> = [
      .open, .public, .package, .internal, .fileprivate, .private, .final, .dynamic,
    ]
    let kept = property.declaration.modifiers.filter { modifier in
      guard case .keyword(let keyword) = modifier.name.tokenKind else { return true }
      return !access.contains(keyword)
    }
    var binding = property.binding
    binding.pattern = PatternSyntax(
      IdentifierPatternSyntax(identifier: .identifier(property.storageName))
        .with(\.trailingTrivia, property.binding.pattern.trailingTrivia)
    )
    if let observers = property.observers {
      binding.accessorBlock?.accessors = .accessors(direct(observers, to: property.key))
    }
    return VariableDeclSyntax(
      modifiers: [DeclModifierSyntax(name: .keyword(.private, trailingTrivia: .space))] + kept,
      bindingSpecifier: .keyword(.var, trailingTrivia: .space),
      bindings: [binding]
    )
  }
}

extension KeyValueStoredMacro {
  /// The observers of a property, which refer to it without its accessors.
  private static func direct(
    _ observers: AccessorDeclListSyntax,
    to key: String
  ) -> AccessorDeclListSyntax {
    AccessorDeclListSyntax(
      observers.map { observer in
        guard let body = observer.body else { return observer }
        let isBefore = observer.accessorSpecifier.tokenKind == .keyword(.willSet)
        let parameter =
          observer.parameters?.name.identifier?.name ?? (isBefore ? "newValue" : "oldValue")
        let access = DirectAccess(to: [key], hiddenBy: [parameter])
        return observer.with(\.body, body.with(\.statements, access.rewrite(body.statements)))
      }
    )
  }
}

extension ObservedClass {
  /// The key as the accessors name it, made once.
  ///
  /// A generic class has no static storage; its table holds the key.
  func keyDeclaration(
    of property: ObservedProperty,
    in context: some MacroExpansionContext
  ) -> DeclSyntax {
    let name = property.keyName
    let key = property.keyExpression(root: self.name)
    guard isGeneric(in: context) else {
      return "private static let \(raw: name) = \(raw: key)"
    }
    return """
      private static var \(raw: name): KVOSafety.ObservableKey {
        observableKeys[\(literal: property.key)] ?? \(raw: key)
      }
      """
  }
}
#endif
