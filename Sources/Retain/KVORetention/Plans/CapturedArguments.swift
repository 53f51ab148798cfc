internal import CKVORetention

/// The generic arguments of a closure, as far as its context stores them.
struct CapturedArguments {
  /// The arguments by depth and index; nil if one is not known.
  private(set) var levels: [[GenericArgument?]] = []

  var environment: GenericEnvironment { levels.isEmpty ? .none : .captured(levels) }

  /// Reads the arguments that the sources define so far.
  ///
  /// - Parameters:
  ///   - captures: the captures, with the sources of arguments.
  ///   - bindings: the arguments that are stored in the context.
  ///   - object: the context.
  ///   - offsets: the offsets of the captures whose positions in the context are known so far.
  ///   - memory: the memory that can be read.
  mutating func take(
    _ captures: CaptureList,
    from bindings: UnsafeRawPointer,
    of object: UnsafeRawPointer,
    at offsets: [Int],
    memory: MemoryMap
  ) {
    if let pack = Self.pack(captures, from: bindings, memory: memory) {
      levels = [[.pack(pack)]]
      return
    }
    for index in 0..<captures.sourceCount {
      guard let (parameter, steps) = captures.source(index) else { continue }
      var reader = SourceReader(
        steps: steps,
        captures: captures,
        bindings: bindings,
        object: object,
        offsets: offsets,
        check: MetadataCheck(memory: memory)
      )
      put(reader.value() ?? reader.argument().map { .type($0.pointer) }, at: parameter)
    }
  }

  /// The elements of a pack that is the only parameter: its bindings are its length and its
  /// address.
  ///
  /// The lowest bit of the address says who owns the memory.
  private static func pack(
    _ captures: CaptureList,
    from bindings: UnsafeRawPointer,
    memory: MemoryMap
  ) -> [UnsafeRawPointer]? {
    guard captures.sourceCount == 2, captures.bindingCount == 2,
      captures.source(0) == nil, captures.source(1) == nil
    else { return nil }
    let count = bindings.load(as: UInt.self)
    let start = bindings.load(fromByteOffset: 8, as: UInt.self) & ~1
    guard count <= GenericArgument.packLimit, start & 7 == 0, memory.isReadable(start, count * 8),
      let elements = UnsafePointer<UInt>(bitPattern: start)
    else { return nil }
    let check = MetadataCheck(memory: memory)
    let types = (0..<Int(count)).map { check.valueMetadata(at: elements[$0])?.pointer }
    return types.contains(nil) ? nil : types.compactMap { $0 }
  }

  private mutating func put(_ argument: GenericArgument?, at parameter: GenericParameter) {
    while levels.count <= parameter.depth { levels.append([]) }
    while levels[parameter.depth].count <= parameter.index { levels[parameter.depth].append(nil) }
    if let argument { levels[parameter.depth][parameter.index] = argument }
  }
}

/// Follows the steps that lead from a context to a generic argument.
///
/// Source: include/swift/SIL/MetadataSource.h of swiftlang/swift. `B0`: a binding; `R0`: the class of a
/// captured object; `M0`: a captured metatype; `G1…_`: an argument of the type that follows; `v`: what follows is a
/// number.
private struct SourceReader {
  var steps: UnsafePointer<UInt8>
  let captures: CaptureList
  let bindings: UnsafeRawPointer
  let object: UnsafeRawPointer
  let offsets: [Int]
  let check: MetadataCheck

  /// The value of a parameter that is a number: `v`, and then its binding.
  mutating func value() -> GenericArgument? {
    guard steps[0] == UInt8(ascii: "v"), steps[1] == UInt8(ascii: "B") else { return nil }
    steps += 2
    let index = number()
    guard index < captures.bindingCount else { return nil }
    return .value(bindings.load(fromByteOffset: index * 8, as: Int.self))
  }

  mutating func argument(depth: Int = 0) -> TypeMetadata? {
    guard depth < 16 else { return nil }
    let step = steps.pointee
    guard step != 0 else { return nil }
    steps += 1
    let index = number()
    switch step {
    case UInt8(ascii: "B"):
      guard index < captures.bindingCount else { return nil }
      return check.valueMetadata(at: bindings.load(fromByteOffset: index * 8, as: UInt.self))
    case UInt8(ascii: "M"):
      guard let word = word(ofCapture: index) else { return nil }
      return check.valueMetadata(at: word)
    case UInt8(ascii: "R"): return classOf(capture: index)
    case UInt8(ascii: "G"):
      // An object may be of a subclass, which has other arguments.
      let declared = steps.pointee == UInt8(ascii: "R") ? declaredClass(after: steps + 1) : nil
      guard var type = argument(depth: depth + 1) else { return nil }
      if steps.pointee == UInt8(ascii: "_") { steps += 1 }
      if type.kind == .class {
        guard let declared, let superclass = superclass(of: type, declared) else { return nil }
        type = superclass
      }
      guard let argument = type.nominal?.arguments?[index] else { return nil }
      return check.valueMetadata(at: UInt(bitPattern: argument))
    default: return nil
    }
  }

  private mutating func number() -> Int {
    var value = 0
    while steps.pointee >= UInt8(ascii: "0"), steps.pointee <= UInt8(ascii: "9"), value < 10_000 {
      value = value * 10 + Int(steps.pointee - UInt8(ascii: "0"))
      steps += 1
    }
    return value
  }

  private func word(ofCapture index: Int) -> UInt? {
    guard index < offsets.count,
      check.memory.isReadable(UInt(bitPattern: object) + UInt(offsets[index]), 8)
    else { return nil }
    return object.load(fromByteOffset: offsets[index], as: UInt.self)
  }

  private func classOf(capture index: Int) -> TypeMetadata? {
    guard let reference = word(ofCapture: index), reference > 4096, reference & 7 == 0,
      check.memory.isReadable(reference, 16), let object = UnsafeRawPointer(bitPattern: reference)
    else { return nil }
    return check.valueMetadata(at: object.load(as: UInt.self))
  }

  /// The class that a capture is declared with, by the capture's index in the steps.
  private func declaredClass(after number: UnsafePointer<UInt8>) -> NominalDescriptor? {
    var reader = self
    reader.steps = number
    let index = reader.number()
    guard index < captures.count, let text = captures.mangledType(index) else { return nil }
    return UnnamedType.descriptor(at: text)
  }

  private func superclass(
    of type: TypeMetadata,
    _ descriptor: NominalDescriptor
  ) -> TypeMetadata? {
    var next: TypeMetadata? = type
    for _ in 0..<256 {
      guard let type = next, type.kind == .class else { return nil }
      if type.nominal?.descriptor == descriptor { return type }
      next = type.record(KVOSClassMetadata.self).pointee.superclass.map { TypeMetadata($0) }
    }
    return nil
  }
}
