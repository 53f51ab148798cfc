#if Macros
internal import SwiftSyntax

/// A property of an observable class, as declared.
struct ObservedProperty {
  /// The storage of the value, and so how a change of it can be noticed.
  enum Storage: Equatable {
    /// In the object: it moves behind accessors that notify.
    case plain
    /// In `lazy` and wrapped properties, for which Swift allows no additional accessors: observers
    /// notify.
    case indirect
    /// Nowhere: the property notifies when a key that it depends on changes.
    case computed
    /// In a `let`, which never changes.
    case constant
  }

  let declaration: VariableDeclSyntax
  let binding: PatternBindingSyntax
  let identifier: TokenSyntax
  let storage: Storage
  let notification: KeyNotification

  /// The name of the key, without backticks.
  var key: String { identifier.bareName }

  /// The name of the private property that has the value, if it moves.
  var storageName: String { identifier.name(after: "_") }

  /// Why no key path can have the name, which backticks allow for a property; nil if one can.
  var nameObstacle: String? {
    if key.contains(".") { return "has a dot in its name, which separates the keys of a key path" }
    // The compiler (6.3) refuses such a key path, or takes it for another one.
    let reserved = ["init", "Type", "Protocol"].contains(key)
    return reserved ? "has a name that Swift does not allow in a key path" : nil
  }

  /// Whether the value is a collection, as far as the declared type shows.
  var isToMany: Bool {
    guard let type = binding.typeAnnotation?.type else { return false }
    if type.is(ArrayTypeSyntax.self) || type.is(DictionaryTypeSyntax.self) { return true }
    let name = type.as(IdentifierTypeSyntax.self)?.name.text ?? ""
    return ["Array", "Set", "Dictionary", "ContiguousArray", "ArraySlice"].contains(name)
  }

  /// The property's own `willSet` and `didSet`, if it has any.
  var observers: AccessorDeclListSyntax? {
    guard case .accessors(let accessors) = binding.accessorBlock?.accessors else { return nil }
    return accessors.contains(where: \.isObserver) ? accessors : nil
  }

  /// Whether changes are noticed by accessors or observers that are added.
  var isNoticed: Bool {
    guard notification.style == .automatic || notification.style == .whenDifferent else {
      return false
    }
    guard nameObstacle == nil else { return false }
    return storage == .plain && obstacle == nil || storage == .indirect && observers == nil
  }

  /// Whether it is an override that adds observers, whose setter makes them part of one change.
  var isObservingOverride: Bool {
    declaration.has(.override) && observers != nil && !notifiesByItself
      && notification.style == .automatic && nameObstacle == nil
  }

  /// Whether the value moves behind accessors, into a property whose name begins with an underscore.
  var isMoved: Bool { isNoticed && storage == .plain }

  /// The properties that `declaration` declares: those of an instance, and several only if they are constants.
  static func all(in declaration: VariableDeclSyntax) -> [ObservedProperty] {
    if let property = ObservedProperty(declaration) { return [property] }
    guard !declaration.isOfType, declaration.isConstant else { return [] }
    return declaration.bindings.flatMap { binding in
      binding.pattern.boundNames.map { ObservedProperty(declaration, binding, $0) }
    }
  }

  /// The property that `declaration` declares, or nil if it declares none of an instance, or
  /// several at once.
  init?(_ declaration: VariableDeclSyntax) {
    guard !declaration.isOfType, declaration.bindings.count == 1,
      let binding = declaration.bindings.first,
      let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
    else { return nil }
    self.init(declaration, binding, identifier)
  }

  private init(
    _ declaration: VariableDeclSyntax,
    _ binding: PatternBindingSyntax,
    _ identifier: TokenSyntax
  ) {
    self.declaration = declaration
    self.binding = binding
    self.identifier = identifier
    notification = declaration.keyValueAttribute.map { KeyNotification($0) } ?? KeyNotification()
    storage =
      if declaration.isConstant {
        .constant
      } else if binding.isComputed || declaration.has(.override) {
        .computed
      } else if declaration.has(.lazy) || declaration.isWrapped {
        .indirect
      } else {
        .plain
      }
  }

  /// Whether a key path can read it.
  var isReadable: Bool {
    guard case .accessors(let accessors) = binding.accessorBlock?.accessors else { return true }
    return !accessors.contains { $0.effectSpecifiers != nil }
  }

  /// Whether no code can read it, because it is `@available(*, unavailable)`.
  var isUnavailable: Bool {
    declaration.attributes.contains { attribute in
      guard case .availability(let list) = attribute.as(AttributeSyntax.self)?.arguments else {
        return false
      }
      let words = list.map { "\($0.argument.trimmed)" }
      return words.contains("*") && words.contains("unavailable")
    }
  }

  /// Whether the compiler may warn of a reference to it, because it is `@available(…, deprecated)`.
  var isDeprecated: Bool {
    declaration.attributes.contains { attribute in
      guard case .availability(let list) = attribute.as(AttributeSyntax.self)?.arguments else {
        return false
      }
      return list.contains { argument in
        switch argument.argument {
        case .token(let word): word.text == "deprecated"
        case .availabilityLabeledArgument(let labeled): labeled.label.text == "deprecated"
        default: false
        }
      }
    }
  }
}

extension VariableDeclSyntax {
  /// Whether it belongs to the type and not to its instances.
  var isOfType: Bool { has(.static) || has(.class) }

  /// Whether it is a `let`.
  var isConstant: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

  /// Whether its properties are left out of observation.
  var isIgnored: Bool { keyValueAttribute.map { KeyNotification($0).style } == .ignored }

  func has(_ keyword: Keyword) -> Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(keyword) }
  }

  /// The attribute `@KeyValue(…)`.
  var keyValueAttribute: AttributeSyntax? {
    namedAttributes.first { $0.shortName == "KeyValue" }
  }

  /// Whether it has an attribute that is not built in: a property wrapper, as far as the syntax shows.
  fileprivate var isWrapped: Bool {
    namedAttributes.contains { !$0.isBuiltIn && !$0.isGlobalActor }
  }

  private var namedAttributes: [AttributeSyntax] {
    attributes.compactMap { $0.as(AttributeSyntax.self) }
  }
}

extension AttributeSyntax {
  /// The last part of the name: `KeyValue` for `@KVOSafety.KeyValue`.
  var shortName: String {
    if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
    return attributeName.as(IdentifierTypeSyntax.self)?.name.text
      ?? attributeName.trimmedDescription
  }

  /// Whether the compiler or KVOSafety knows it, so that it wraps nothing.
  fileprivate var isBuiltIn: Bool {
    let name = shortName
    return name.hasPrefix("_") || name.first?.isLowercase == true
      || ["KeyValue", "ObservationIgnored"].contains(name)
  }
}

extension PatternBindingSyntax {
  var isComputed: Bool {
    switch accessorBlock?.accessors {
    case .getter: true
    case .accessors(let accessors): !accessors.contains(where: \.isObserver)
    case nil: false
    }
  }
}

extension AccessorDeclSyntax {
  var isObserver: Bool {
    [.keyword(.willSet), .keyword(.didSet)].contains(accessorSpecifier.tokenKind)
  }
}
#endif
