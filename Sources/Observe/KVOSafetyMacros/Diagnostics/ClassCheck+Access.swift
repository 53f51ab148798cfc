#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

extension ClassCheck {
  /// Reports a class that the extension with its conformance cannot name.
  ///
  /// The compiler puts that extension at the top of the file, where a private type of another declaration is not
  /// visible. A conformance that the class states itself needs no extension.
  func checkAccess() {
    let name = observed.name
    let own = observed.declaration.modifiers.first(where: \.isPrivate)
    let isHidden = own != nil && !context.lexicalContext.isEmpty
    // The outermost declaration is visible in the whole file, whatever its access.
    let isInHidden = context.lexicalContext.dropLast().contains { scope in
      let modifiers = scope.asProtocol((any WithModifiersSyntax).self)?.modifiers
      return modifiers?.contains(where: \.isPrivate) == true
    }
    guard isHidden || isInHidden else { return }
    let conformance = "\(observed.isolation.map { "\($0) " } ?? "")KeyValueObservable"
    var fixIts = [FixIt(stating: conformance, in: observed.declaration)]
    var advice = "state the conformance, ': \(conformance)'"
    if let own, !isInHidden {
      fixIts.insert(
        FixIt("writeFileprivate", "write 'fileprivate'", replacing: own, by: "fileprivate"),
        at: 0
      )
      advice = "write 'fileprivate', or \(advice)"
    }
    let hidden = isHidden ? "'private' in" : "in a 'private' type of"
    context.report(
      MacroMessage(
        "hiddenClass",
        """
        '\(name)' is \(hidden) another declaration, and cannot be extended at the top of the file, as \
        the macro does: \(advice)
        """
      ),
      at: own.map(Syntax.init) ?? Syntax(observed.declaration.name),
      fixIts: fixIts
    )
  }
}

extension DeclModifierSyntax {
  /// Whether it makes a declaration private, and not only its setter.
  fileprivate var isPrivate: Bool { name.tokenKind == .keyword(.private) && detail == nil }
}

extension FixIt {
  /// States a conformance after the types that the class inherits from already.
  fileprivate init(stating conformance: String, in declaration: ClassDeclSyntax) {
    let last = declaration.inheritanceClause?.inheritedTypes.last.map { Syntax($0) }
    let end =
      last ?? declaration.genericParameterClause.map { Syntax($0) } ?? Syntax(declaration.name)
    let separator = last == nil ? ":" : ","
    self.init(
      "stateConformance",
      "state the conformance",
      replacing: end,
      by: "\(end.trimmed)\(separator) \(conformance)"
    )
  }
}
#endif
