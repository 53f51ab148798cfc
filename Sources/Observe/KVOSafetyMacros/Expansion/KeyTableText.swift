#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

extension ObservedProperty {
  /// Whether it is in the table: all that an observer can read is.
  var isKey: Bool {
    notification.style != .ignored && isReadable && !isNoncopyable && !isUnavailable
      && nameObstacle == nil
  }

  /// The name of the key as accessors refer to it.
  var keyName: String { identifier.name(after: "_keyOf_") }

  /// Whether its entry is made by a declaration of its own, in which the compiler does not warn of the reference.
  ///
  /// Not for several constants in one declaration, of which a peer macro cannot tell which it belongs to.
  var isMadeApart: Bool { isKey && isDeprecated && declaration.bindings.count == 1 }

  /// The name of the declaration that makes the entry of a deprecated property.
  var deprecatedKeyName: String { identifier.name(after: "_deprecatedKeyOf_") }

  /// The entry of the key in the table, seen from the type `root`.
  func entry(root: String, isFinal: Bool) -> String {
    guard isMadeApart else { return keyExpression(root: root) }
    return isFinal ? deprecatedKeyName : "\(deprecatedKeyName)(of: root)"
  }

  /// A new key, read through the type `root`.
  func keyExpression(root: String) -> String {
    var arguments = [key.literal, "\\\(root).\(identifier.text)"]
    let dependencies = notification.dependencies.map { "\($0.trimmed)" }
    if !dependencies.isEmpty {
      arguments.append("affectedBy: [\(dependencies.joined(separator: ", "))]")
    }
    if notification.style == .manual { arguments.append("isManual: true") }
    if declaration.has(.weak) { arguments.append("isWeak: true") }
    if declaration.has(.override), binding.isComputed { arguments.append("hasOwnGetter: true") }
    if notification.style == .whenDifferent { arguments.append("onlyWhenDifferent: true") }
    return "KVOSafety.ObservableKey(\(arguments.joined(separator: ", ")))"
  }
}

extension ObservedClass {
  /// The properties in the table.
  var keys: [ObservedProperty] { properties.filter(\.isKey) }

  /// The declarations that give the class its table.
  ///
  /// A class that can be subclassed makes a table for each subclass that asks, because Swift takes
  /// `\Savings.balance` and `\Account.balance` for different key paths.
  func tableDeclarations(isSubclass: Bool, isGeneric: Bool) -> [DeclSyntax] {
    if isFinal && !isSubclass && !isGeneric {
      return [
        """
        \(raw: access(isOverridable: false))static let observableKeys = \
        \(raw: table(root: name))
        """
      ]
    }
    let override = isSubclass ? "override " : ""
    let getter: (String) -> DeclSyntax = { table in
      """
      \(raw: override)\(raw: access(isOverridable: !isFinal))class var observableKeys: \
      KVOSafety.ObservableKeyTable {
        .shared(by: Self.self, declaredBy: \(raw: name).self) {
          \(raw: table)
        }
      }
      """
    }
    if isFinal {
      let base = isSubclass ? "super.observableKeys" : nil
      return [getter(table(inheriting: base, root: name, indentation: "    "))]
    }
    let inherited = isSubclass ? ", inheriting: super.observableKeys" : ""
    let parameter = isSubclass ? ", inheriting base: KVOSafety.ObservableKeyTable" : ""
    return [
      getter("_observableKeys(of: Self.self\(inherited))"),
      """
      private static func _observableKeys<_Root: \(raw: name)>(of root: _Root.Type\(raw: parameter)) \
      -> KVOSafety.ObservableKeyTable {
        \(raw: table(inheriting: isSubclass ? "base" : nil, root: "_Root", indentation: "  "))
      }
      """,
    ]
  }

  private func table(
    inheriting base: String? = nil,
    root: String,
    indentation: String = ""
  ) -> String {
    let arguments =
      (base.map { ["inheriting: \($0)"] } ?? [])
      + keys.map { $0.entry(root: root, isFinal: isFinal) }
    guard !arguments.isEmpty else { return "KVOSafety.ObservableKeyTable()" }
    let lines = arguments.map { "\(indentation)  \($0)" }.joined(separator: ",\n")
    return "KVOSafety.ObservableKeyTable(\n\(lines)\n\(indentation))"
  }
}
#endif
