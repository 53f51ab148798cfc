#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

extension ClassCheck {
  /// Reports that the setter of an override does not notify, in a class whose superclass has no
  /// keys.
  ///
  /// Observers that an override adds are made part of a change; accessors of its own are the class's, and the
  /// superclass does not notify either.
  func checkOverride(_ property: ObservedProperty) {
    guard property.declaration.has(.override), property.notification.style == .automatic,
      property.notification.dependencies.isEmpty,
      case .accessors(let accessors) = property.binding.accessorBlock?.accessors,
      let setter = accessors.first(where: { $0.accessorSpecifier.tokenKind == .keyword(.set) }),
      !property.isAnnounced(in: setter),
      !setter.description.contains("willChange("), !setter.description.contains(".change(")
    else { return }
    let key = property.key
    var fixIts: [FixIt] = []
    if let body = setter.body {
      let path = "\\.\(property.identifier.text)"
      let change = "willChangeValue(for: \(path)); defer { didChangeValue(for: \(path)) }"
      fixIts.append(
        FixIt(
          "notifyInSetter",
          "notify in its setter",
          replacing: body.leftBrace,
          by: "{ \(change); "
        )
      )
    }
    fixIts.append(FixIt(ignoring: property))
    context.report(
      MacroMessage(
        "unnoticedOverride",
        """
        '\(key)' overrides a property of a superclass that does not notify, and its own setter does not \
        either: call 'willChangeValue(for:)' and 'didChangeValue(for:)' in it, or mark it \
        '@KeyValue(.manual)' or '@KeyValue(.ignored)'
        """,
        severity: .warning
      ),
      at: property.identifier,
      fixIts: fixIts
    )
  }
}
#endif
