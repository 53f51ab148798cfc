#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// Why `@KeyValueObservable` is refused on a declaration that is not a class.
enum KindRefusal {
  /// The class, or nil after reporting why the declaration is not one.
  static func requireClass(
    _ declaration: some DeclGroupSyntax,
    attribute: AttributeSyntax,
    in context: some MacroExpansionContext
  ) -> ClassDeclSyntax? {
    if let known = declaration.as(ClassDeclSyntax.self) { return known }
    let (kind, why) = reason(declaration)
    let message = MacroMessage(
      "notAClass",
      "'@KeyValueObservable' cannot be applied to \(kind): \(why)"
    )
    var fixIts: [FixIt] = []
    if let keyword = declaration.as(StructDeclSyntax.self)?.structKeyword {
      fixIts.append(
        FixIt("makeClass", "make it a final class", replacing: keyword, by: "final class")
      )
    }
    fixIts.append(FixIt(removing: attribute))
    context.report(message, at: attribute, fixIts: fixIts)
    return nil
  }

  /// Reports why a class inside a function is refused.
  static func refuseLocalClass(
    attribute: AttributeSyntax,
    in context: some MacroExpansionContext
  ) {
    context.report(
      MacroMessage(
        "localClass",
        """
        '@KeyValueObservable' cannot be applied to a class inside a function, which cannot be extended: \
        declare the class outside, or conform to 'KeyValueObservable' by hand
        """
      ),
      at: attribute,
      fixIts: [FixIt(removing: attribute)]
    )
  }

  /// Reports why a class is refused whose properties cannot be moved, or not be named in key paths.
  static func refuse(
    _ declaration: ClassDeclSyntax,
    attribute: AttributeSyntax,
    in context: some MacroExpansionContext
  ) {
    if let pack = declaration.parameterPack {
      context.report(
        MacroMessage(
          "parameterPack",
          """
          '@KeyValueObservable' cannot be applied to a class with a parameter pack: Swift (6.3) ends the \
          process at a key path to one of its properties
          """
        ),
        at: pack,
        fixIts: [FixIt(removing: attribute)]
      )
    } else {
      context.report(
        MacroMessage(
          "observation",
          """
          '@KeyValueObservable' cannot be applied to a class that is '@Observable': both move the \
          properties behind accessors of their own
          """
        ),
        at: attribute,
        fixIts: [FixIt(removing: attribute)]
      )
    }
  }

  private static func reason(_ declaration: some DeclGroupSyntax) -> (String, String) {
    switch declaration.kind {
    case .structDecl:
      ("a struct", "a struct has no identity, so an observer of one copy hears nothing of others")
    case .enumDecl:
      ("an enum", "an enum has no stored properties and no identity that could be observed")
    case .actorDecl:
      (
        "an actor",
        """
        observers are called by the statement that makes the change, and read the property there, \
        which nobody outside may do with an actor's; observe a '@MainActor' class instead
        """
      )
    case .protocolDecl:
      ("a protocol", "it has no stored properties; apply it to the classes that conform")
    default:
      ("an extension", "it can add no stored properties; apply it to the class itself")
    }
  }
}

extension ClassDeclSyntax {
  /// Whether `KindRefusal` has a reason to refuse it.
  var isRefused: Bool { isObservable || parameterPack != nil }

  /// Whether the macro of the standard library's Observation is attached as well.
  private var isObservable: Bool {
    attributes.contains { $0.as(AttributeSyntax.self)?.shortName == "Observable" }
  }

  fileprivate var parameterPack: GenericParameterSyntax? {
    genericParameterClause?.parameters.first { $0.specifier?.tokenKind == .keyword(.each) }
  }
}

extension MacroExpansionContext {
  /// Whether the declaration is in the body of a function, a closure or an accessor.
  var isLocal: Bool {
    lexicalContext.contains { scope in
      scope.is(FunctionDeclSyntax.self) || scope.is(ClosureExprSyntax.self)
        || scope.is(InitializerDeclSyntax.self) || scope.is(DeinitializerDeclSyntax.self)
        || scope.is(AccessorDeclSyntax.self) || scope.is(SubscriptDeclSyntax.self)
    }
  }
}
#endif
