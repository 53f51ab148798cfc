#if Macros
internal import SwiftSyntax

/// Why the value of a stored property cannot move behind accessors, as far as its declaration shows.
enum StorageObstacle {
  /// `var value: some Equatable`: the storage would have another opaque type.
  case opaqueType(SomeOrAnyTypeSyntax)
  /// `nonisolated(unsafe) var`, which no property with accessors can be.
  case unsafeIsolation(DeclModifierSyntax)
}

extension ObservedProperty {
  /// The obstacle that keeps a `var` from notifying.
  var obstacle: StorageObstacle? {
    guard storage == .plain,
      notification.style == .automatic || notification.style == .whenDifferent
    else { return nil }
    if let type = binding.typeAnnotation?.type.firstOpaqueType { return .opaqueType(type) }
    let isolation = declaration.modifiers.first {
      $0.name.tokenKind == .keyword(.nonisolated) && $0.detail?.detail.text == "unsafe"
    }
    return isolation.map { .unsafeIsolation($0) }
  }

  /// Whether the value is one of the standard library's that cannot be copied, and so never read as a whole:
  /// `let lock = Mutex(0)` is not a key.
  ///
  /// A macro sees only names. Other types that cannot be copied are marked `@KeyValue(.ignored)`.
  var isNoncopyable: Bool {
    let known = ["Mutex", "Atomic", "AtomicLazyReference"]
    if let type = binding.typeAnnotation?.type {
      return type.lastName.map(known.contains) ?? false
    }
    guard let call = binding.initializer?.value.as(FunctionCallExprSyntax.self) else {
      return false
    }
    var callee = call.calledExpression
    if let generic = callee.as(GenericSpecializationExprSyntax.self) { callee = generic.expression }
    let name =
      callee.as(MemberAccessExprSyntax.self)?.declName.baseName.text
      ?? callee.as(DeclReferenceExprSyntax.self)?.baseName.text
    return name.map(known.contains) ?? false
  }
}

extension TypeSyntax {
  /// `Mutex` for `Synchronization.Mutex<Int>`.
  var lastName: String? {
    self.as(MemberTypeSyntax.self)?.name.text ?? self.as(IdentifierTypeSyntax.self)?.name.text
  }

  /// The first `some P` in the type.
  fileprivate var firstOpaqueType: SomeOrAnyTypeSyntax? {
    if let type = self.as(SomeOrAnyTypeSyntax.self) {
      return type.someOrAnySpecifier.tokenKind == .keyword(.some) ? type : nil
    }
    for child in children(viewMode: .sourceAccurate) {
      if let found = child.firstOpaqueType { return found }
    }
    return nil
  }
}

extension Syntax {
  fileprivate var firstOpaqueType: SomeOrAnyTypeSyntax? {
    if let type = self.as(TypeSyntax.self) { return type.firstOpaqueType }
    for child in children(viewMode: .sourceAccurate) {
      if let found = child.firstOpaqueType { return found }
    }
    return nil
  }
}
#endif
