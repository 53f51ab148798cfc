import Glibc
import Synchronization

/// Elements after the object, the first of which is removed when it is destroyed.
private final class Tail<Element>: ManagedBuffer<Int, Element> {
  deinit { _ = withUnsafeMutablePointerToElements { $0.deinitialize(count: 1) } }
}

private final class Guard<Value>: Sendable {
  private struct Unchecked: @unchecked Sendable {
    // Sendable: used by one shape.
    var value: Value?
  }
  private let state = Mutex(Unchecked())
  init(_ value: Value) {
    let held = Unchecked(value: value)
    state.withLock { $0 = held }
  }
}

extension Carrier {
  static let manual: [Carrier] = [
    Carrier("a typed pointer") { _openExistential($0, do: aTypedPointer) },
    Carrier("an immutable pointer") { _openExistential($0, do: anImmutablePointer) },
    Carrier("a raw pointer") { _openExistential($0, do: aRawPointer) },
    Carrier("a typed buffer") { _openExistential($0, do: aTypedBuffer) },
    Carrier("a slice of a buffer") { _openExistential($0, do: aSliceOfABuffer) },
    Carrier("a raw buffer") { _openExistential($0, do: aRawBuffer) },
    Carrier("a slice of a raw buffer") { _openExistential($0, do: aSliceOfARawBuffer) },
    Carrier("a pointer into a buffer") { _openExistential($0, do: aPointerIntoABuffer) },
    Carrier("an opaque pointer") { _openExistential($0, do: anOpaquePointer) },
    Carrier("a raw pointer to an object") { _openExistential($0, do: aRawPointerToAnObject) },
    Carrier("an Unmanaged") { _openExistential($0, do: anUnmanaged) },
    Carrier("an InlineArray of Unmanaged") { _openExistential($0, do: anInlineArrayOfUnmanaged) },
    Carrier("a C struct") { _openExistential($0, do: aCStruct) },
    Carrier("a pointer to a C struct") { _openExistential($0, do: aPointerToACStruct) },
    Carrier("memory of C that leads to more") {
      _openExistential($0, do: memoryOfCThatLeadsToMore)
    },
    Carrier("a ManagedBuffer") { _openExistential($0, do: aManagedBuffer) },
    Carrier("a Mutex") { _openExistential($0, do: aMutex) },
  ]
}

/// Memory that holds a value `count` times, and is never freed.
@inline(never)
private func memory<Value>(of value: Value, _ count: Int = 1) -> UnsafeMutablePointer<Value> {
  let memory = UnsafeMutablePointer<Value>.allocate(capacity: count)
  memory.initialize(repeating: value, count: count)
  return memory
}

private func buffer<Value>(of value: Value, _ count: Int) -> UnsafeMutableBufferPointer<Value> {
  UnsafeMutableBufferPointer(start: memory(of: value, count), count: count)
}

@inline(never)
private func aTypedPointer<Value>(_ value: Value) -> Any { memory(of: value) }

@inline(never)
private func anImmutablePointer<Value>(_ value: Value) -> Any { UnsafePointer(memory(of: value)) }

@inline(never)
private func aRawPointer<Value>(_ value: Value) -> Any { UnsafeRawPointer(memory(of: value)) }

@inline(never)
private func aTypedBuffer<Value>(_ value: Value) -> Any { buffer(of: value, 2) }

@inline(never)
private func aSliceOfABuffer<Value>(_ value: Value) -> Any { buffer(of: value, 3)[1...] }

@inline(never)
private func aRawBuffer<Value>(_ value: Value) -> Any {
  UnsafeRawBufferPointer(buffer(of: value, 2))
}

@inline(never)
private func aSliceOfARawBuffer<Value>(_ value: Value) -> Any {
  UnsafeMutableRawBufferPointer(buffer(of: value, 2))[8...]
}

@inline(never)
private func aPointerIntoABuffer<Value>(_ value: Value) -> Any { memory(of: value, 9) + 5 }

@inline(never)
private func anOpaquePointer<Value>(_ value: Value) -> Any {
  OpaquePointer(Unmanaged.passRetained(Node(value)).toOpaque())
}

@inline(never)
private func aRawPointerToAnObject<Value>(_ value: Value) -> Any {
  UnsafeMutableRawPointer(Unmanaged.passRetained(Node(value)).toOpaque())
}

@inline(never)
private func anUnmanaged<Value>(_ value: Value) -> Any { Unmanaged.passRetained(Node(value)) }

@inline(never)
private func anInlineArrayOfUnmanaged<Value>(_ value: Value) -> Any {
  [.passRetained(Node(value))] as InlineArray<1, Unmanaged<Node<Value>>>
}

@inline(never)
private func aCStruct<Value>(_ value: Value) -> Any {
  iovec(iov_base: Unmanaged.passRetained(Node(value)).toOpaque(), iov_len: 1)
}

@inline(never)
private func aPointerToACStruct<Value>(_ value: Value) -> Any {
  let pointer = UnsafeMutablePointer<iovec>.allocate(capacity: 1)
  pointer.initialize(
    to: iovec(iov_base: Unmanaged.passRetained(Node(value)).toOpaque(), iov_len: 1)
  )
  return pointer
}

@inline(never)
private func memoryOfCThatLeadsToMore<Value>(_ value: Value) -> Any {
  let first = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: 4)
  first.initialize(repeating: UnsafeMutableRawPointer(memory(of: value)), count: 4)
  return UnsafeRawPointer(first)
}

@inline(never)
private func aManagedBuffer<Value>(_ value: Value) -> Any {
  let buffer = Tail<Value>.create(minimumCapacity: 2) { _ in 1 }
  buffer.withUnsafeMutablePointerToElements { $0.initialize(to: value) }
  return buffer
}

@inline(never)
private func aMutex<Value>(_ value: Value) -> Any { Guard(value) }
