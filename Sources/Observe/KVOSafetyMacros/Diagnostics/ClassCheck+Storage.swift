#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// Errors that would occur inside the expansion, reported at the declaration that causes them.
extension ClassCheck {
  func checkStorage() {
    for property in observed.properties {
      reportIsolation(of: property)
      switch property.obstacle {
      case .opaqueType(let type): reportOpaque(type, of: property)
      case .unsafeIsolation(let modifier): reportUnsafe(modifier, of: property)
      case nil: reportClash(with: property)
      }
    }
    for member in observed.declaration.memberBlock.members
    where member.decl.initializerBody?.hasCaptureList == true {
      reportSetters(in: member.decl)
    }
    for (element, replacement) in observed.misnamedCodingKeys {
      let name = element.name.text
      context.report(
        MacroMessage(
          "codingKey",
          """
          '\(name)' is stored as '_\(name)', which is the name that a synthesized coding key must have: \
          write '\(replacement)', or leave 'CodingKeys' to the macro
          """
        ),
        at: element,
        fixIts: [
          FixIt(
            "renameCodingKey",
            "write '\(replacement)'",
            replacing: element.name,
            by: element.rawValue == nil ? replacement : element.name.name(after: "_")
          )
        ]
      )
    }
  }

  /// Reports calls of setters in an initializer that does not call them in plain Swift.
  private func reportSetters(in member: DeclSyntax) {
    for name in observed.directReferences(in: member) {
      let storage = name.name(after: "_")
      context.report(
        MacroMessage(
          "setterInInitializer",
          """
          '\(name.text)' is reached through its accessors here, which calls observers and overrides as \
          plain Swift does not in 'init' and 'deinit': write '\(storage)', or move the closure that has \
          a capture list into a method
          """,
          severity: .warning
        ),
        at: name,
        fixIts: [FixIt("writeStorage", "write '\(storage)'", replacing: name, by: storage)]
      )
    }
  }

  private func reportOpaque(_ type: SomeOrAnyTypeSyntax, of property: ObservedProperty) {
    let replacement = "any \(type.constraint.trimmed)"
    context.report(
      MacroMessage(
        "opaqueType",
        """
        '\(property.key)' has an opaque type, and the storage behind its accessors would have another \
        one: write the type itself or '\(replacement)', or leave the property out of observation with \
        '@KeyValue(.ignored)'
        """
      ),
      at: type,
      fixIts: [
        FixIt("writeAny", "write '\(replacement)'", replacing: type, by: replacement),
        FixIt(ignoring: property),
      ]
    )
  }

  private func reportUnsafe(_ modifier: DeclModifierSyntax, of property: ObservedProperty) {
    context.report(
      MacroMessage(
        "unsafeIsolation",
        """
        '\(property.key)' is 'nonisolated(unsafe)', which a property with accessors cannot be: leave \
        it out of observation with '@KeyValue(.ignored)', or remove the modifier
        """
      ),
      at: modifier,
      fixIts: [FixIt(ignoring: property)]
    )
  }

  /// Reports an actor that the property states and the class does not: the compiler's errors are about the key, in
  /// code that nobody wrote.
  ///
  /// A warning, because the class may have an actor that a macro does not see: its superclass's, or that of the module.
  private func reportIsolation(of property: ObservedProperty) {
    guard observed.globalActor == nil, property.isKey,
      let actor = property.declaration.attributes.globalActor
    else { return }
    context.report(
      MacroMessage(
        "ownIsolation",
        """
        '\(property.key)' is isolated to '\(actor.trimmed)', and its class is not as far as it shows: a key is read \
        on any thread. Write '\(actor.trimmed)' at the class, or leave the property out of observation with \
        '@KeyValue(.ignored)'
        """,
        severity: .warning
      ),
      at: actor,
      fixIts: [FixIt(ignoring: property)]
    )
  }

  /// Reports a name, in backticks, that no key path can have.
  func checkName(of property: ObservedProperty) {
    guard let obstacle = property.nameObstacle, property.notification.style != .ignored
    else { return }
    context.report(
      MacroMessage(
        "unusableName",
        """
        '\(property.key)' \(obstacle): rename it, or leave it out of observation with \
        '@KeyValue(.ignored)'
        """
      ),
      at: property.identifier,
      fixIts: [FixIt(ignoring: property)]
    )
  }

  private func reportClash(with property: ObservedProperty) {
    guard property.isMoved, let clashing = observed.clash(with: property) else { return }
    context.report(
      MacroMessage(
        "storageName",
        """
        '_\(property.key)' is the name of the storage of '\(property.key)': rename it, or leave \
        '\(property.key)' out of observation with '@KeyValue(.ignored)'
        """
      ),
      at: clashing,
      fixIts: [FixIt(ignoring: property)]
    )
  }
}

extension FixIt {
  /// Marks a property `@KeyValue(.ignored)`.
  init(ignoring property: ObservedProperty) {
    self.init(
      "ignoreProperty",
      "leave it out of observation",
      replacing: property.declaration,
      by: "@KeyValue(.ignored) \(property.declaration.trimmed)"
    )
  }
}
#endif
