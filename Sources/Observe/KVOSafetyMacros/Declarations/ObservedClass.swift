#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// A class that is made observable, as declared.
struct ObservedClass {
  let declaration: ClassDeclSyntax
  /// The variables that it declares itself, outside of `#if`.
  let variables: [VariableDeclSyntax]
  let properties: [ObservedProperty]

  init(_ declaration: ClassDeclSyntax) {
    self.declaration = declaration
    variables = declaration.memberBlock.members.compactMap {
      $0.decl.as(VariableDeclSyntax.self)
    }
    properties = variables.flatMap(ObservedProperty.all)
  }

  var name: String { declaration.name.text }

  var isFinal: Bool {
    declaration.modifiers.contains { $0.name.tokenKind == .keyword(.final) }
  }

  /// The access of the members that the protocol requires, with a space after it, or nothing.
  func access(isOverridable: Bool) -> String {
    for modifier in declaration.modifiers {
      switch modifier.name.tokenKind {
      case .keyword(.open): return isOverridable ? "open " : "public "
      case .keyword(.public): return "public "
      case .keyword(.package): return "package "
      default: continue
      }
    }
    return ""
  }

  /// The global actor that the class says it runs on.
  var globalActor: String? { declaration.attributes.globalActor.map { "\($0.trimmed)" } }

  /// The isolation of its conformance, as far as the class states one.
  ///
  /// A class that is `nonisolated` has to repeat it: in a module whose default is the main actor, the compiler would
  /// isolate the conformance alone.
  var isolation: String? {
    let isNonisolated = declaration.modifiers.contains {
      $0.name.tokenKind == .keyword(.nonisolated)
    }
    return globalActor ?? (isNonisolated ? "nonisolated" : nil)
  }

  /// What generic parameters need not conform to, as in `T: ~Copyable`: an extension has to repeat it.
  var suppressions: [String] {
    let parameters = declaration.genericParameterClause?.parameters.compactMap { parameter in
      parameter.inheritedType.map { (name: parameter.name.text, type: $0) }
    }
    let requirements = declaration.genericWhereClause?.requirements.compactMap { requirement in
      requirement.requirement.as(ConformanceRequirementSyntax.self)
        .map { (name: $0.leftType.trimmedDescription, type: $0.rightType) }
    }
    return ((parameters ?? []) + (requirements ?? [])).flatMap { name, type in
      let parts = type.as(CompositionTypeSyntax.self)?.elements.map(\.type) ?? [type]
      return parts.compactMap { $0.as(SuppressedTypeSyntax.self) }.map { "\(name): \($0.trimmed)" }
    }
  }

  /// Whether the class itself declares the conformance, rather than leaving it to the macro.
  var statesConformance: Bool {
    declaration.inheritanceClause?.inheritedTypes.contains { inherited in
      var type = inherited.type
      if let attributed = type.as(AttributedTypeSyntax.self) { type = attributed.baseType }
      let name =
        type.as(MemberTypeSyntax.self)?.name.text
        ?? type.as(IdentifierTypeSyntax.self)?.name.text
      return name == "KeyValueObservable"
    } ?? false
  }

  /// Whether the class can have no static stored properties, because of its own generic parameters
  /// or those of the declarations around it.
  func isGeneric(in context: some MacroExpansionContext) -> Bool {
    let around = context.lexicalContext.contains { scope in
      scope.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
        || scope.is(ExtensionDeclSyntax.self)
    }
    return around || declaration.genericParameterClause != nil
  }

  /// The variable or method that has the name of the storage of `property`.
  ///
  /// A method with parameters, too, makes that name ambiguous in the accessors.
  func clash(with property: ObservedProperty) -> TokenSyntax? {
    let methods = declaration.memberBlock.members.compactMap {
      $0.decl.as(FunctionDeclSyntax.self)?.name
    }
    let names = variables.flatMap(\.bindings)
      .compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier }
    return (names + methods).first { $0.bareName == "_\(property.key)" }
  }

  func declares(_ name: String) -> Bool {
    variables.contains { variable in
      variable.bindings.contains { "\($0.pattern.trimmed)" == name }
    }
  }
}

extension AttributeListSyntax {
  /// The attribute of a global actor.
  var globalActor: AttributeSyntax? {
    lazy.compactMap { $0.as(AttributeSyntax.self) }.first(where: \.isGlobalActor)
  }
}

extension AttributeSyntax {
  /// Whether it isolates to a global actor.
  ///
  /// A macro sees only names, and takes an attribute that ends in "Actor" for one.
  var isGlobalActor: Bool { shortName.hasSuffix("Actor") }
}
#endif
