#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// Reports declarations of an observable class that cannot be observed, with possible fixes.
struct ClassCheck<Context: MacroExpansionContext> {
  let observed: ObservedClass
  let context: Context
  /// Whether a superclass may have keys that are not seen here.
  let hasObservableSuperclass: Bool

  func run() {
    for variable in observed.variables { check(variable) }
    for property in observed.properties {
      check(property)
      checkName(of: property)
    }
    checkStorage()
    if !hasObservableSuperclass, !observed.statesConformance { checkAccess() }
    for member in observed.declaration.memberBlock.members {
      if let block = member.decl.as(IfConfigDeclSyntax.self) { check(block) }
    }
  }

  /// A property inside `#if` is not in the table: a macro sees no build settings.
  private func check(_ block: IfConfigDeclSyntax) {
    for clause in block.clauses {
      guard case .decls(let members) = clause.elements else { continue }
      for member in members {
        if let inner = member.decl.as(IfConfigDeclSyntax.self) { check(inner) }
        guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.isOfType,
          !variable.isIgnored
        else { continue }
        for name in variable.bindings.flatMap(\.pattern.boundNames) { reportConditional(name) }
      }
    }
  }

  private func reportConditional(_ name: TokenSyntax) {
    context.report(
      MacroMessage(
        "insideIfConfig",
        """
        '\(name.bareName)' stands inside '#if' and is not a key: observing it is refused (KVO029). \
        Declare it outside, or mark it '@KeyValue(.ignored)'
        """,
        severity: .warning
      ),
      at: name
    )
  }

  private func check(_ variable: VariableDeclSyntax) {
    guard !variable.isOfType, !variable.isConstant, !variable.isIgnored else { return }
    if variable.bindings.count > 1 {
      let words = "\(variable.attributes.trimmed) \(variable.modifiers.trimmed) var "
      let start = words.drop { $0 == " " }.replacing("  ", with: " ")
      let split = variable.bindings.map { "\(start)\($0.standingAlone.trimmed)" }
      let indentation = variable.leadingTrivia.pieces.last.map { Trivia(pieces: [$0]) } ?? []
      context.report(
        MacroMessage(
          "severalProperties",
          "a declaration of several properties cannot be observed: give each its own"
        ),
        at: variable,
        fixIts: [
          FixIt(
            "splitDeclaration",
            "declare them one by one",
            replacing: variable,
            by: split.joined(separator: "\n\(indentation)")
          )
        ]
      )
    } else if variable.bindings.first?.pattern.is(TuplePatternSyntax.self) == true {
      context.report(
        MacroMessage(
          "tuplePattern",
          "properties that are declared as a tuple cannot be observed: give each its own 'var'"
        ),
        at: variable
      )
    }
  }

  private func check(_ property: ObservedProperty) {
    if property.storage == .indirect, property.observers != nil, !property.notifiesByItself,
      property.notification.style == .automatic
    {
      reportOwnObservers(of: property)
    }
    if property.notification.style == .whenDifferent, property.storage != .plain {
      context.report(
        MacroMessage(
          "cannotCompare",
          """
          '\(property.key)' cannot be notified only when it differs: that is for stored properties \
          that are neither 'lazy' nor wrapped
          """
        ),
        at: property.declaration.keyValueAttribute.map(Syntax.init) ?? Syntax(property.identifier)
      )
    }
    if !hasObservableSuperclass {
      checkOverride(property)
      if observed.isOperation { checkOperation(property) }
    }
    for dependency in property.notification.dependencies {
      if let literal = dependency.as(StringLiteralExprSyntax.self) { check(literal, of: property) }
    }
  }

  private func reportOwnObservers(of property: ObservedProperty) {
    let kind = property.declaration.has(.lazy) ? "lazy" : "wrapped"
    let key = property.key
    var fixIts: [FixIt] = []
    if let observers = property.observers {
      fixIts.append(
        FixIt(
          "notifyInObservers",
          "notify in its observers",
          replacing: observers,
          by: notifying(observers, of: property)
        )
      )
    }
    fixIts.append(FixIt(ignoring: property))
    context.report(
      MacroMessage(
        "ownObservers",
        """
        '\(key)' is \(kind) and has property observers of its own, beside which no others can be \
        added: call 'willChangeValue(for:)' and 'didChangeValue(for:)' in them, or mark it \
        '@KeyValue(.ignored)'
        """
      ),
      at: property.identifier,
      fixIts: fixIts
    )
  }

  /// The observers with the two calls in them, and the one that is missing.
  private func notifying(
    _ observers: AccessorDeclListSyntax,
    of property: ObservedProperty
  ) -> String {
    var texts: [String] = []
    for (name, call) in [("willSet", "willChangeValue"), ("didSet", "didChangeValue")] {
      let call = "\(call)(for: \\.\(property.identifier.text))"
      let own = observers.first { $0.accessorSpecifier.text == name }
      let statements = own?.body.map { "\($0.statements.trimmed)" } ?? ""
      let parameter = own?.parameters.map { "\($0.trimmed)" } ?? ""
      let all = name == "willSet" ? [statements, call] : [call, statements]
      texts.append(
        "\(name)\(parameter) { \(all.filter { !$0.isEmpty }.joined(separator: "; ")) }"
      )
    }
    return texts.joined(separator: "\n")
  }

  private func check(_ literal: StringLiteralExprSyntax, of property: ObservedProperty) {
    guard case .stringSegment(let text) = literal.segments.first, literal.segments.count == 1
    else { return }
    let path = text.content.text
    let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let first = parts.first, !parts.contains("") else {
      return context.report(
        MacroMessage(
          "emptyPart",
          "the key path \"\(path)\" has an empty part: it is made of names with dots between"
        ),
        at: literal
      )
    }
    guard let target = observed.properties.first(where: { $0.key == first }) else {
      if !hasObservableSuperclass { reportUnknown(first, in: path, literal: literal) }
      return
    }
    if target.key == property.key, parts.count == 1 {
      context.report(
        MacroMessage("affectsItself", "'\(property.key)' cannot be affected by itself"),
        at: literal
      )
    } else if target.isToMany, parts.count > 1 {
      context.report(
        MacroMessage(
          "throughCollection",
          """
          the key path "\(path)" goes through '\(first)', a collection: only what leads to one \
          object can be followed. Depend on "\(first)" itself, or notify by hand
          """
        ),
        at: literal
      )
    }
  }

  private func reportUnknown(
    _ part: String,
    in path: String,
    literal: StringLiteralExprSyntax
  ) {
    let near = observed.properties.map(\.key)
      .map { (key: $0, distance: part.editDistance(to: $0)) }
      .filter { $0.distance <= max(1, part.count / 3) }
      .min { $0.distance < $1.distance }
    let fixed = near.map { "\"\($0.key)\(path.dropFirst(part.count))\"" }
    context.report(
      MacroMessage(
        "unknownKey",
        "'\(observed.name)' has no key '\(part)'"
          + (near.map { "; did you mean '\($0.key)'?" } ?? "")
      ),
      at: literal,
      fixIts: fixed.map {
        [FixIt("correctKey", "write \($0)", replacing: literal, by: $0)]
      } ?? []
    )
  }
}

extension PatternBindingSyntax {
  /// The binding without those beside it: `width: Int` for the first of `width, height: Int`.
  fileprivate var standingAlone: PatternBindingSyntax {
    let alone = with(\.trailingComma, nil)
    guard initializer == nil, typeAnnotation == nil,
      let following = parent?.as(PatternBindingListSyntax.self)?.drop(while: { $0.id != id }),
      let type = following.lazy.compactMap(\.typeAnnotation).first
    else { return alone }
    return alone.with(\.pattern.trailingTrivia, []).with(\.typeAnnotation, type.trimmed)
  }
}

extension String {
  /// How many letters must be added, removed or replaced to turn the receiver into `other`.
  fileprivate func editDistance(to other: String) -> Int {
    let letters = Array(other)
    var row = Array(0...letters.count)
    for (index, letter) in enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in letters.indices {
        let replaced = diagonal + (letter == letters[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[letters.count]
  }
}
#endif
