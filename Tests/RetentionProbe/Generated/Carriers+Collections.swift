private struct ObjectKey: Hashable {
  let object: AnyObject
  init(_ object: AnyObject) { self.object = object }
  static func == (left: Self, right: Self) -> Bool { left.object === right.object }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}

extension Carrier {
  static let collections: [Carrier] = [
    Carrier("an Array") { _openExistential($0, do: anArray) },
    Carrier("a ContiguousArray") { _openExistential($0, do: aContiguousArray) },
    Carrier("an ArraySlice") { _openExistential($0, do: anArraySlice) },
    Carrier("a Dictionary") { _openExistential($0, do: aDictionary) },
    Carrier("a lazy map") { _openExistential($0, do: aLazyMap) },
    Carrier("an AnySequence") { _openExistential($0, do: anAnySequence) },
    Carrier("an iterator") { _openExistential($0, do: anIterator) },
    Carrier("a Set") { _openExistential($0, do: aSet) },
    Carrier("a key path") { _openExistential($0, do: aKeyPath) },
  ]
}

@inline(never)
private func anArray<Value>(_ value: Value) -> Any { [value] }

@inline(never)
private func aContiguousArray<Value>(_ value: Value) -> Any { ContiguousArray([value, value]) }

@inline(never)
private func anArraySlice<Value>(_ value: Value) -> Any { [value, value, value][1...] }

@inline(never)
private func aDictionary<Value>(_ value: Value) -> Any { ["a": value, "b": value] }

@inline(never)
private func aLazyMap<Value>(_ value: Value) -> Any { [value].lazy.map { ($0, 1) } }

@inline(never)
private func anAnySequence<Value>(_ value: Value) -> Any { AnySequence([value]) }

@inline(never)
private func anIterator<Value>(_ value: Value) -> Any { [value, value].makeIterator() }

@inline(never)
private func aSet<Value>(_ value: Value) -> Any { Set([ObjectKey(Node(value))]) }

@inline(never)
private func aKeyPath<Value>(_ value: Value) -> Any { \[ObjectKey: Int].[ObjectKey(Node(value))] }
