// Values of the program's own types, and what types of the language hold.

private struct Padded<Value> {
  var before: Int8 = 1
  var value: Value
  var after = false
}

private enum Payload<Value> {
  case none
  case value(Value)
  case numbered(Int, Value)
  case text(String)
}

private indirect enum Indirect<Value> {
  case end(Value)
  case next(Indirect<Value>)
}

private protocol Carrying {}
private struct Carried<Value>: Carrying { var value: Value }
private struct CarriedError<Value>: Error, @unchecked Sendable {
  // Sendable: used by one shape.
  var value: Value
}

struct Sized<let count: Int, Value> {
  var value: Value
  var numbers: InlineArray<count, Int8>

  @inline(never)
  func action() -> () -> Void { { use((self.value, count)) } }
}

private struct Pack<each Value> {
  var values: (repeat each Value)
}

final class Node<Value> {
  var number: Int32 = 1
  var value: Value
  init(_ value: Value) { self.value = value }
  func poke() { number += 1 }
}

private class Base<Value> {
  var first: Value?
}

private final class Derived<Value>: Base<[Value]> {
  var second: Value?
  lazy var third = second
}

private actor Keeper<Value> {
  let value: Value
  init(_ value: Value) { self.value = value }
}

extension Carrier {
  static let values: [Carrier] = [
    Carrier("an Optional") { _openExistential($0, do: anOptional) },
    Carrier("an Optional of an Optional") { _openExistential($0, do: anOptionalOfAnOptional) },
    Carrier("a struct") { _openExistential($0, do: aStruct) },
    Carrier("an enum") { _openExistential($0, do: anEnum) },
    Carrier("an enum with a number") { _openExistential($0, do: anEnumWithANumber) },
    Carrier("an indirect enum") { _openExistential($0, do: anIndirectEnum) },
    Carrier("a tuple") { _openExistential($0, do: aTuple) },
    Carrier("any protocol") { _openExistential($0, do: anyProtocol) },
    Carrier("any Error") { _openExistential($0, do: anyError) },
    Carrier("a Result") { _openExistential($0, do: aResult) },
    Carrier("an array of Any") { _openExistential($0, do: anArrayOfAny) },
    Carrier("an InlineArray") { _openExistential($0, do: anInlineArray) },
    Carrier("a value generic") { _openExistential($0, do: aValueGeneric) },
    Carrier("a pack") { _openExistential($0, do: aPack) },
    Carrier("an object") { _openExistential($0, do: anObject) },
    Carrier("an inherited property") { _openExistential($0, do: anInheritedProperty) },
    Carrier("a lazy property") { _openExistential($0, do: aLazyProperty) },
    Carrier("an actor") { _openExistential($0, do: anActor) },
  ]
}

@inline(never)
private func anOptional<Value>(_ value: Value) -> Any { Optional(value) as Any }

@inline(never)
private func anOptionalOfAnOptional<Value>(_ value: Value) -> Any {
  Optional(Optional(value)) as Any
}

@inline(never)
private func aStruct<Value>(_ value: Value) -> Any { Padded(value: value) }

@inline(never)
private func anEnum<Value>(_ value: Value) -> Any { Payload.value(value) }

@inline(never)
private func anEnumWithANumber<Value>(_ value: Value) -> Any { Payload.numbered(1, value) }

@inline(never)
private func anIndirectEnum<Value>(_ value: Value) -> Any { Indirect.next(.end(value)) }

@inline(never)
private func aTuple<Value>(_ value: Value) -> Any { (UInt8(1), value, "text") }

@inline(never)
private func anyProtocol<Value>(_ value: Value) -> Any { [Carried(value: value) as any Carrying] }

@inline(never)
private func anyError<Value>(_ value: Value) -> Any { [CarriedError(value: value) as any Error] }

@inline(never)
private func aResult<Value>(_ value: Value) -> Any { Result<Value, any Error>.success(value) }

@inline(never)
private func anArrayOfAny<Value>(_ value: Value) -> Any { [value as Any] }

@inline(never)
private func anInlineArray<Value>(_ value: Value) -> Any {
  [value, value] as InlineArray<2, Value>
}

@inline(never)
private func aValueGeneric<Value>(_ value: Value) -> Any {
  Sized<3, Value>(value: value, numbers: [1, 2, 3])
}

@inline(never)
private func aPack<Value>(_ value: Value) -> Any { Pack(values: (1, value, "text")) }

@inline(never)
private func anObject<Value>(_ value: Value) -> Any { Node(value) }

@inline(never)
private func anInheritedProperty<Value>(_ value: Value) -> Any {
  let derived = Derived<Value>()
  derived.first = [value]
  return derived
}

@inline(never)
private func aLazyProperty<Value>(_ value: Value) -> Any {
  let derived = Derived<Value>()
  derived.second = value
  use(derived.third)
  return derived
}

@inline(never)
private func anActor<Value>(_ value: Value) -> Any {
  nonisolated(unsafe) let value = value
  return Keeper(value)
}
