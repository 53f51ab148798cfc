/// The object that a generated shape begins with, and that it may lead back to.
class GeneratedRoot: @unchecked Sendable {
  // Sendable: each is used by one shape at a time.
  var number = 1
  /// Has it hold a value, as something of its own type if it has one for it.
  func hold(_ value: Any) { fatalError("\(Self.self) holds nothing") }
  func poke() { number += 1 }
}

final class AnyRoot: GeneratedRoot, @unchecked Sendable {
  // Sendable: as its superclass.
  var held: Any?
  override func hold(_ value: Any) { held = value }
}

final class ListRoot: GeneratedRoot, @unchecked Sendable {
  // Sendable: as its superclass.
  var flag = true
  var held: [Any] = [1, "two"]
  override func hold(_ value: Any) { held.append(value) }
}

/// Has a property of the very type of what it holds.
final class TypedRoot<Value>: GeneratedRoot, @unchecked Sendable {
  // Sendable: as its superclass.
  var before: UInt8 = 7
  var held: Value?
  override func hold(_ value: Any) { held = value as? Value }
}

/// Holds it in a closure, which generic code makes.
final class ClosureRoot<Value>: GeneratedRoot, @unchecked Sendable {
  // Sendable: as its superclass.
  var held: ((Int) -> Void)?
  override func hold(_ value: Any) {
    guard let value = value as? Value else { return }
    held = { [number] in use((value, $0, number)) }
  }
}

/// How an object is made that holds values like a sample.
enum RootKind: CaseIterable, Sendable {
  case any
  case list
  case typed
  case closure

  func root(for sample: Any) -> GeneratedRoot {
    switch self {
    case .any: AnyRoot()
    case .list: ListRoot()
    case .typed: _openExistential(sample, do: typedRoot)
    case .closure: _openExistential(sample, do: closureRoot)
    }
  }
}

private func typedRoot<Value>(for _: Value) -> GeneratedRoot { TypedRoot<Value>() }
private func closureRoot<Value>(for _: Value) -> GeneratedRoot { ClosureRoot<Value>() }
