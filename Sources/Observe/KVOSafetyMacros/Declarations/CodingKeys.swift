#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// Keeps the synthesis of `Encodable` and `Decodable` as it is without the macro.
///
/// The compiler makes one coding key per stored property. A moved property is stored under another
/// name, and the registrar is not coded at all, so the macro writes the keys that the compiler would
/// have made. Only for a class that states the conformance itself: a macro does not see extensions.
extension ObservedClass {
  /// `CodingKeys`, if the compiler needs them to synthesize a conformance of the class.
  ///
  /// A case has the name of the stored property. The direction that the class writes itself, if it writes one, names
  /// the property: `forKey: .volume`.
  var codingKeys: DeclSyntax? {
    guard isCodingSynthesized, codingKeysOfItsOwn == nil else { return nil }
    let cases = variables.flatMap(codedProperties)
    guard !cases.isEmpty else { return "private enum CodingKeys: CodingKey {}" }
    let names = variables.flatMap(movedProperties).map { property in
      "static var \(property.identifier.text): Self { .\(property.storageName) }"
    }
    return """
      private enum CodingKeys: String, CodingKey {
        case \(raw: cases.joined(separator: ", "))
        \(raw: names.joined(separator: "\n"))
      }
      """
  }

  /// The cases of the class's own `CodingKeys` that name a moved property, for which the compiler finds no stored
  /// property, with the replacement to write.
  var misnamedCodingKeys: [(element: EnumCaseElementSyntax, replacement: String)] {
    guard isCodingSynthesized, let own = codingKeysOfItsOwn else { return [] }
    let moved = Set(properties.filter(\.isMoved).map(\.key))
    let elements = own.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
      .flatMap(\.elements)
    return elements.compactMap { element in
      guard let name = element.name.identifier?.name, moved.contains(name) else { return nil }
      let value = element.rawValue?.value.trimmedDescription ?? name.literal
      return (element, "\(element.name.name(after: "_")) = \(value)")
    }
  }

  private var codingKeysOfItsOwn: EnumDeclSyntax? {
    members(EnumDeclSyntax.self).first { $0.name.text == "CodingKeys" }
  }

  /// Whether the compiler synthesizes one of the two directions.
  private var isCodingSynthesized: Bool {
    let names = inheritedNames
    let encodes = names.contains { $0 == "Codable" || $0 == "Encodable" }
    let decodes = names.contains { $0 == "Codable" || $0 == "Decodable" }
    let hasEncode = members(FunctionDeclSyntax.self).contains {
      $0.name.text == "encode" && $0.signature.firstLabel == "to"
    }
    let hasDecode = members(InitializerDeclSyntax.self).contains {
      $0.signature.firstLabel == "from"
    }
    return encodes && !hasEncode || decodes && !hasDecode
  }

  private var inheritedNames: [String] {
    let types = declaration.inheritanceClause?.inheritedTypes.map(\.type) ?? []
    return types.flatMap { type in
      type.as(CompositionTypeSyntax.self)?.elements.map(\.type) ?? [type]
    }.compactMap(\.lastName)
  }

  private func members<Member: DeclSyntaxProtocol>(_ type: Member.Type) -> [Member] {
    declaration.memberBlock.members.compactMap { $0.decl.as(type) }
  }

  /// The coded property that `variable` declares, if it is stored under another name.
  private func movedProperties(_ variable: VariableDeclSyntax) -> [ObservedProperty] {
    guard isCoded(variable), let property = ObservedProperty(variable) else { return [] }
    return property.isMoved ? [property] : []
  }

  private func isCoded(_ variable: VariableDeclSyntax) -> Bool {
    !variable.isOfType && !variable.has(.lazy) && !variable.has(.override)
  }

  /// A case for each stored property of `variable`.
  private func codedProperties(_ variable: VariableDeclSyntax) -> [String] {
    guard isCoded(variable) else { return [] }
    return variable.bindings.filter { !$0.isComputed }.flatMap(\.pattern.boundNames).map { name in
      let property = ObservedProperty(variable)
      guard let property, property.isMoved else { return name.text }
      return "\(property.storageName) = \(property.key.literal)"
    }
  }
}

extension FunctionSignatureSyntax {
  fileprivate var firstLabel: String? { parameterClause.parameters.first?.firstName.text }
}
#endif
