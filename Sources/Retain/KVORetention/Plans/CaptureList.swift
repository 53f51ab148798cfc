internal import CKVORetention

/// The captures of a closure as described in its module.
struct CaptureList {
  let count: Int
  let sourceCount: Int
  let bindingCount: Int
  private let words: UnsafePointer<Int32>

  init(_ descriptor: UnsafeRawPointer) {
    let record = descriptor.assumingMemoryBound(to: KVOSCaptureDescriptor.self).pointee
    count = Int(record.captureCount)
    sourceCount = Int(record.sourceCount)
    bindingCount = Int(record.bindingCount)
    words = (descriptor + MemoryLayout<KVOSCaptureDescriptor>.size)
      .assumingMemoryBound(to: Int32.self)
  }

  func mangledType(_ index: Int) -> UnsafePointer<UInt8>? { text(index) }

  /// The generic parameter of a source and its name, and the steps that lead to its argument.
  func source(
    _ index: Int
  ) -> (parameter: GenericParameter, name: UnsafePointer<UInt8>, steps: UnsafePointer<UInt8>)? {
    guard let name = text(count + index * 2), let steps = text(count + index * 2 + 1),
      let parameter = GenericParameter(name)
    else { return nil }
    return (parameter, name, steps)
  }

  /// Whether the generic arguments are known without reading captured objects.
  ///
  /// A parameter may have several sources, of which one is enough.
  var isDecidedByBindings: Bool {
    let bound = (0..<sourceCount).filter(isBound).compactMap { source($0)?.parameter }
    return (0..<sourceCount).allSatisfy { index in
      isBound(index) || source(index).map { bound.contains($0.parameter) } ?? false
    }
  }

  /// Whether a source is in the context itself.
  private func isBound(_ index: Int) -> Bool {
    guard var step = text(count + index * 2 + 1) else { return false }
    while step.pointee != 0 {
      if step.pointee == UInt8(ascii: "R") || step.pointee == UInt8(ascii: "M") { return false }
      step += 1
    }
    return true
  }

  /// The index of the first binding that is known to be the metadata of a type; nil if none is.
  var firstBoundArgument: Int? {
    (0..<sourceCount).lazy.compactMap { index -> Int? in
      guard let steps = source(index)?.steps, steps.pointee == UInt8(ascii: "B") else {
        return nil
      }
      var binding = 0
      var step = steps + 1
      while step.pointee >= UInt8(ascii: "0"), step.pointee <= UInt8(ascii: "9"), binding < 10_000 {
        binding = binding * 10 + Int(step.pointee - UInt8(ascii: "0"))
        step += 1
      }
      return binding < bindingCount ? binding : nil
    }.first
  }

  private func text(_ word: Int) -> UnsafePointer<UInt8>? {
    kvos_relative(words + word)?.assumingMemoryBound(to: UInt8.self)
  }
}

/// A generic parameter by depth and index, as in mangled names: `x`, `q_`, `q0_`, `qd__`, `qd0_1_`.
struct GenericParameter: Equatable {
  var depth: Int
  var index: Int

  init?(_ text: UnsafePointer<UInt8>) {
    var cursor = text
    func number() -> Int? {
      var value = 0
      var hasDigits = false
      while cursor.pointee >= UInt8(ascii: "0"), cursor.pointee <= UInt8(ascii: "9"), value < 1000 {
        value = value * 10 + Int(cursor.pointee - UInt8(ascii: "0"))
        hasDigits = true
        cursor += 1
      }
      guard cursor.pointee == UInt8(ascii: "_") else { return nil }
      cursor += 1
      return hasDigits ? value + 1 : 0
    }
    switch cursor.pointee {
    case UInt8(ascii: "x"):
      cursor += 1
      (depth, index) = (0, 0)
    case UInt8(ascii: "q"):
      cursor += 1
      if cursor.pointee == UInt8(ascii: "d") {
        cursor += 1
        guard let outer = number(), let inner = number() else { return nil }
        (depth, index) = (outer + 1, inner)
      } else {
        guard let inner = number() else { return nil }
        (depth, index) = (0, inner + 1)
      }
    default: return nil
    }
    guard cursor.pointee == 0, depth < 64 else { return nil }
  }
}
