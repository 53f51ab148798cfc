#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@KeyValueObservable`: the registrar, the key table, the conformance, and the accessors that make properties notify.
///
/// Two kinds of classes are distinguished by the conformance that the compiler requests: a class that has it already,
/// and does not declare it itself, inherits it from a superclass, whose registrar it uses and whose table it extends.
enum KeyValueObservableMacro {}

extension KeyValueObservableMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard
      let declaration = KindRefusal.requireClass(declaration, attribute: node, in: context)
    else { return [] }
    guard !context.isLocal else {
      KindRefusal.refuseLocalClass(attribute: node, in: context)
      return []
    }
    guard !declaration.isRefused else {
      KindRefusal.refuse(declaration, attribute: node, in: context)
      return []
    }
    let observed = ObservedClass(declaration)
    let isSubclass = protocols.isEmpty && !observed.statesConformance
    ClassCheck(observed: observed, context: context, hasObservableSuperclass: isSubclass).run()
    var members: [DeclSyntax] = []
    if !isSubclass, !observed.declares("observationRegistrar") {
      members.append(
        """
        \(raw: observed.access(isOverridable: false))let observationRegistrar = \
        KVOSafety.ObservationRegistrar()
        """
      )
    }
    if !observed.declares("observableKeys") {
      members += observed.tableDeclarations(
        isSubclass: isSubclass,
        isGeneric: observed.isGeneric(in: context)
      )
    }
    if let codingKeys = observed.codingKeys { members.append(codingKeys) }
    return members
  }
}

extension KeyValueObservableMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard !context.isLocal, let declaration = declaration.as(ClassDeclSyntax.self),
      !declaration.isRefused
    else { return [] }
    guard let variable = member.as(VariableDeclSyntax.self) else {
      let names = ObservedClass(declaration).directProperties(in: member)
      guard !names.isEmpty else { return [] }
      let list = names.map(\.literal).joined(separator: ", ")
      return ["@KVOSafety._KeyValueDirect(\(raw: list))"]
    }
    guard let property = ObservedProperty(variable) else { return [] }
    let apart: [AttributeSyntax] =
      property.isMadeApart ? ["@KVOSafety._KeyValueDeprecated"] : []
    if property.isObservingOverride { return ["@KVOSafety._KeyValueOverridden"] + apart }
    guard property.isNoticed,
      !property.isMoved || ObservedClass(declaration).clash(with: property) == nil
    else { return apart }
    return switch property.storage {
    case .plain: ["@KVOSafety._KeyValueStored"] + apart
    case .indirect: ["@KVOSafety._KeyValueNotifying"] + apart
    case .computed, .constant: apart
    }
  }
}

extension KeyValueObservableMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard !context.isLocal, !protocols.isEmpty,
      let declaration = declaration.as(ClassDeclSyntax.self), !declaration.isRefused
    else { return [] }
    let observed = ObservedClass(declaration)
    let isolation = observed.isolation.map { "\($0) " } ?? ""
    let suppressions = observed.suppressions.joined(separator: ", ")
    let requirements = suppressions.isEmpty ? "" : "where \(suppressions) "
    return [
      try ExtensionDeclSyntax(
        """
        extension \(type.trimmed): \(raw: isolation)KVOSafety.KeyValueObservable \
        \(raw: requirements){}
        """
      )
    ]
  }
}
#endif
