import KVORetention
import Synchronization

/// Has no properties: its objects have what is allocated after them.
private final class Storage {}

/// A cycle through something that cannot be inspected.
struct OpaqueShape: Sendable, CustomStringConvertible {
  let shape: Shape
  let reason: OpaqueReason
  var description: String { shape.name }

  static let all = [
    OpaqueShape(
      shape: Shape("a Mutex with an object", nil, Guarded.init) { root, other in
        root.state.withLock { $0 = other }
      },
      reason: .noncopyable
    ),
    OpaqueShape(
      shape: Shape("elements of a ManagedBuffer", nil, Holder.init) { root, other in
        let buffer = Buffer.create(minimumCapacity: 2) { _ in 1 }
        // All that is allocated: what a scan finds in the rest is left from others.
        buffer.withUnsafeMutablePointerToElements { $0.initialize(repeating: other, count: 2) }
        root.object = buffer
      },
      reason: .managedBuffer
    ),
    OpaqueShape(
      shape: Shape("elements of a ManagedBufferPointer", nil, Holder.init) { root, other in
        let buffer = ManagedBufferPointer<Int, AnyObject>(
          bufferClass: Storage.self,
          minimumCapacity: 2
        ) { _, _ in 1 }
        // All that is allocated, as above.
        buffer.withUnsafeMutablePointerToElements { $0.initialize(repeating: other, count: 2) }
        root.anything = buffer
      },
      reason: .managedBuffer
    ),
    OpaqueShape(
      shape: Shape("an argument of a key path", nil, Holder.init) { root, other in
        root.keyPath = \[Box: Int].[Box(other)]
      },
      reason: .keyPathArguments
    ),
    OpaqueShape(
      shape: Shape("memory that the program manages", nil, Holder.init) { root, other in
        // All that is allocated, as above.
        let pointer = UnsafeMutablePointer<Holder>.allocate(capacity: 3)
        pointer.initialize(repeating: other, count: 3)
        root.manual = pointer
      },
      reason: .unmanagedMemory
    ),
    OpaqueShape(
      shape: Shape("Unmanaged", nil, Holder.init) { $0.unmanaged = .passRetained($1) },
      reason: .unmanagedMemory
    ),
  ]
}
