#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

extension ObservedClass {
  /// Whether the class is a subclass of Foundation's `Operation`, as far as its own declaration shows.
  var isOperation: Bool {
    let superclass = declaration.inheritanceClause?.inheritedTypes.first?.type.lastName
    return superclass == "Operation" || superclass == "BlockOperation"
  }
}

extension ClassCheck {
  /// Reports a key of an operation that only the methods of `Operation` announce.
  ///
  /// Foundation's `Operation` has `willChangeValue` and `didChangeValue` of its own: the class calls those, and they
  /// notify its queue, but no observer.
  func checkOperation(_ property: ObservedProperty) {
    guard property.notification.style != .ignored, property.notification.dependencies.isEmpty,
      property.storage != .constant, !property.isNoticed, !property.isObservingOverride,
      AnnouncementFinder.findsOwn(property.key, in: observed.declaration.memberBlock)
    else { return }
    let key = property.key
    context.report(
      MacroMessage(
        "operationKey",
        """
        '\(key)' is announced by the methods of 'Operation', which notify its queue and no observer: \
        declare what it depends on, as in '@KeyValue(affectedBy: "state")', or mark it \
        '@KeyValue(.ignored)'
        """,
        severity: .warning
      ),
      at: property.identifier,
      fixIts: property.declaration.keyValueAttribute == nil ? [FixIt(ignoring: property)] : []
    )
  }
}
#endif
