extension Carrier {
  static let closures: [Carrier] = [
    Carrier("a closure") { _openExistential($0, do: aClosure) },
    Carrier("a closure with more captures") { _openExistential($0, do: aClosureWithMoreCaptures) },
    Carrier("closures in a tuple") { _openExistential($0, do: closuresInATuple) },
    Carrier("an Optional of an Optional of a closure") {
      _openExistential($0, do: anOptionalOfAnOptionalOfAClosure)
    },
    Carrier("a captured variable") { _openExistential($0, do: aCapturedVariable) },
    Carrier("an autoclosure") { _openExistential($0, do: anAutoclosure) },
    Carrier("a method") { _openExistential($0, do: aMethod) },
    Carrier("a closure in a closure") { _openExistential($0, do: aClosureInAClosure) },
    Carrier("an asynchronous closure") { _openExistential($0, do: anAsynchronousClosure) },
  ]

  static let generics: [Carrier] = [
    Carrier("a closure of a value generic") { _openExistential($0, do: aClosureOfAValueGeneric) },
    Carrier("a captured pack") { _openExistential($0, do: aCapturedPack) },
    Carrier("a captured associated type") { _openExistential($0, do: aCapturedAssociatedType) },
  ]
}

@inline(never)
private func autoclosure(_ value: @autoclosure @escaping () -> Void) -> () -> Void { value }

@inline(never)
private func packed<each Value>(_ value: repeat each Value) -> () -> Void {
  { repeat use(each value) }
}

@inline(never)
private func associated<Source: Collection>(_ source: Source) -> () -> Void {
  let first = source.first
  return { use((first, source.count)) }
}

@inline(never)
private func aClosure<Value>(_ value: Value) -> Any { { use(value) } as () -> Void }

@inline(never)
private func aClosureWithMoreCaptures<Value>(_ value: Value) -> Any {
  let number = Int8.random(in: 0...9)
  let text = "text \(number)"
  return { use((number, value, text)) } as () -> Void
}

@inline(never)
private func closuresInATuple<Value>(_ value: Value) -> Any {
  let action = { use(value) }
  return (action, { _ in action() }) as (() -> Void, (Int) -> Void)
}

@inline(never)
private func anOptionalOfAnOptionalOfAClosure<Value>(_ value: Value) -> Any {
  let action = { use(value) }
  return Optional(Optional(action)) as Any
}

@inline(never)
private func aCapturedVariable<Value>(_ value: Value) -> Any {
  var held = value
  return {
    use(held)
    held = value
  } as () -> Void
}

@inline(never)
private func anAutoclosure<Value>(_ value: Value) -> Any { autoclosure(use(value)) }

@inline(never)
private func aMethod<Value>(_ value: Value) -> Any { Node(value).poke as () -> Void }

@inline(never)
private func aClosureInAClosure<Value>(_ value: Value) -> Any {
  let inner = { use(value) }
  return { (number: Int) in use((inner, number)) } as (Int) -> Void
}

@inline(never)
private func anAsynchronousClosure<Value>(_ value: Value) -> Any {
  { use(value) } as () async -> Void
}

@inline(never)
private func aClosureOfAValueGeneric<Value>(_ value: Value) -> Any {
  Sized<3, Value>(value: value, numbers: [1, 2, 3]).action()
}

@inline(never)
private func aCapturedPack<Value>(_ value: Value) -> Any { packed(value, 1) }

@inline(never)
private func aCapturedAssociatedType<Value>(_ value: Value) -> Any { associated([value]) }
