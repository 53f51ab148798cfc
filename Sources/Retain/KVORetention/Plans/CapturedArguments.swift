internal import CKVORetention

/// The generic arguments of a closure, as far as its context and what it captured say.
struct CapturedArguments {
  /// The arguments by depth and index; nil if one is not known.
  private(set) var levels: [[GenericArgument?]] = []

  var environment: GenericEnvironment { levels.isEmpty ? .none : .captured(levels) }

  /// Reads the arguments that the sources define so far.
  ///
  /// A parameter may have several sources. What the context stores itself is certain. A captured object
  /// or metatype is described by its number among the parameters of the closure's function, of which
  /// the captures are the last: how many parameters precede them is described nowhere. So each number
  /// is tried, and counts if the objects are then of the types with which they are declared.
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
    var reader = SourceReader(
      captures: captures,
      bindings: bindings,
      object: object,
      offsets: offsets,
      check: MetadataCheck(memory: memory)
    )
    var sources: [Source] = []
    for index in 0..<captures.sourceCount {
      guard let found = captures.source(index) else { continue }
      let source = Source(
        parameter: found.parameter,
        name: found.name,
        path: ArgumentPath(found.steps)
      )
      put(source.path.flatMap { reader.bound($0) }, at: source.parameter)
      sources.append(source)
    }
    while reader.precedingCount <= SourceReader.precedingLimit,
      levels.contains(where: { $0.contains(nil) })
    {
      if let found = adding(sources, reader) { self = found }
      reader.precedingCount += 1
    }
  }

  private struct Source {
    var parameter: GenericParameter
    var name: UnsafePointer<UInt8>
    /// Nil if it is of an unknown kind.
    var path: ArgumentPath?
  }

  /// The arguments with those that captured objects and metatypes define.
  ///
  /// - Returns: nil if there are none, or if one of these is not of the type with which it is declared.
  private func adding(_ sources: [Source], _ reader: SourceReader) -> CapturedArguments? {
    var found = self
    var captures: Set<Int> = []
    for source in sources where found.argument(at: source.parameter) == nil {
      guard let path = source.path, let captured = reader.captured(path, of: source.name) else {
        continue
      }
      found.put(captured.argument, at: source.parameter)
      captures.insert(captured.index)
    }
    let environment = found.environment
    guard !captures.isEmpty, captures.allSatisfy({ reader.isDeclared($0, in: environment) })
    else { return nil }
    return found
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

  private func argument(at parameter: GenericParameter) -> GenericArgument? {
    guard levels.indices.contains(parameter.depth),
      levels[parameter.depth].indices.contains(parameter.index)
    else { return nil }
    return levels[parameter.depth][parameter.index]
  }

  private mutating func put(_ argument: GenericArgument?, at parameter: GenericParameter) {
    while levels.count <= parameter.depth { levels.append([]) }
    while levels[parameter.depth].count <= parameter.index { levels[parameter.depth].append(nil) }
    if let argument { levels[parameter.depth][parameter.index] = argument }
  }
}

/// The steps that lead from a context to a generic argument.
///
/// Source: include/swift/SIL/MetadataSource.h of swiftlang/swift. `B0`: a binding; `R0`: the class of a
/// captured object; `M0`: a captured metatype; `G1…_`: an argument of the type that follows; `v`: what follows is a
/// number.
private struct ArgumentPath {
  enum Root {
    case binding
    /// A binding that is a number.
    case value
    /// An object or a metatype.
    case captured
  }

  private static let depthLimit = 16

  let root: Root
  /// The number of the binding, or of the parameter of the closure's function.
  let number: Int
  /// The indexes of generic arguments, the first of which is that of the type at the root.
  let indexes: [Int]

  /// Returns nil for steps of an unknown kind.
  init?(_ steps: UnsafePointer<UInt8>) {
    var cursor = steps
    func readNumber() -> Int {
      var value = 0
      while cursor.pointee >= UInt8(ascii: "0"), cursor.pointee <= UInt8(ascii: "9"),
        value < 10_000
      {
        value = value * 10 + Int(cursor.pointee - UInt8(ascii: "0"))
        cursor += 1
      }
      return value
    }
    var outermostFirst: [Int] = []
    while cursor.pointee == UInt8(ascii: "G"), outermostFirst.count < Self.depthLimit {
      cursor += 1
      outermostFirst.append(readNumber())
    }
    switch (cursor.pointee, outermostFirst.isEmpty) {
    case (UInt8(ascii: "B"), _): root = .binding
    case (UInt8(ascii: "R"), _), (UInt8(ascii: "M"), _): root = .captured
    case (UInt8(ascii: "v"), true) where cursor[1] == UInt8(ascii: "B"):
      root = .value
      cursor += 1
    default: return nil
    }
    cursor += 1
    number = readNumber()
    indexes = outermostFirst.reversed()
  }
}

/// Reads what sources of generic arguments lead to.
private struct SourceReader {
  /// The maximum number of parameters of a closure's function before the captures.
  static let precedingLimit = 16

  let captures: CaptureList
  let bindings: UnsafeRawPointer
  let object: UnsafeRawPointer
  let offsets: [Int]
  let check: MetadataCheck
  /// The number of parameters of the closure's function before the captures.
  var precedingCount = 0

  /// What the context stores itself.
  func bound(_ path: ArgumentPath) -> GenericArgument? {
    guard path.root != .captured, path.number < captures.bindingCount else { return nil }
    let word = bindings.load(fromByteOffset: path.number * 8, as: UInt.self)
    if path.root == .value { return .value(Int(bitPattern: word)) }
    return argument(path.indexes, of: check.valueMetadata(at: word))
  }

  /// What a captured object or metatype says of a parameter, and the index of the capture.
  ///
  /// It says nothing if the name of the parameter is not in that of the type.
  func captured(
    _ path: ArgumentPath,
    of parameter: UnsafePointer<UInt8>
  ) -> (argument: GenericArgument, index: Int)? {
    let index = path.number - precedingCount
    guard path.root == .captured, offsets.indices.contains(index),
      let text = captures.mangledType(index), MangledTypeName(text).contains(parameter),
      let argument = argument(path.indexes, of: type(ofCapture: index))
    else { return nil }
    return (argument, index)
  }

  /// Whether a captured object or metatype is of the type with which it is declared.
  func isDeclared(_ index: Int, in environment: GenericEnvironment) -> Bool {
    guard let text = captures.mangledType(index) else { return false }
    var name = MangledTypeName(text)
    name.takeOutOfMetatype()
    guard let declared = environment.resolve(name) else { return false }
    return type(ofCapture: index) == declared
  }

  private func argument(_ indexes: [Int], of type: TypeMetadata?) -> GenericArgument? {
    var found = type
    for index in indexes {
      guard let argument = found?.nominal?.arguments?[index] else { return nil }
      found = check.valueMetadata(at: UInt(bitPattern: argument))
    }
    return found.map { GenericArgument.type($0.pointer) }
  }

  /// The type of a captured object or metatype: of a class that one with which it is declared, as the
  /// arguments of a subclass are others.
  private func type(ofCapture index: Int) -> TypeMetadata? {
    guard let text = captures.mangledType(index), let word = word(ofCapture: index) else {
      return nil
    }
    let isMetatype = MangledTypeName(text).metatype == .stored
    let actual = isMetatype ? check.valueMetadata(at: word) : classOfObject(at: word)
    guard let own = actual, own.kind == .class else { return actual }
    return UnnamedType.descriptor(at: text).flatMap { superclass(of: own, $0) }
  }

  /// The word of a capture; nil if a smaller value is there.
  private func word(ofCapture index: Int) -> UInt? {
    guard offsets[index] & 7 == 0,
      check.memory.isReadable(UInt(bitPattern: object) + UInt(offsets[index]), 8)
    else { return nil }
    return object.load(fromByteOffset: offsets[index], as: UInt.self)
  }

  private func classOfObject(at reference: UInt) -> TypeMetadata? {
    guard reference > 4096, reference & 7 == 0, check.memory.isReadable(reference, 16),
      let object = UnsafeRawPointer(bitPattern: reference)
    else { return nil }
    return check.valueMetadata(at: object.load(as: UInt.self))
  }

  /// The superclass with a descriptor: the last one, as a copy of a class's metadata that replaces it has
  /// the class as its superclass.
  private func superclass(
    of type: TypeMetadata,
    _ descriptor: NominalDescriptor
  ) -> TypeMetadata? {
    var next: TypeMetadata? = type
    var found: TypeMetadata?
    for _ in 0..<256 {
      guard let type = next, type.kind == .class else { break }
      if type.nominal?.descriptor == descriptor { found = type }
      next = type.record(KVOSClassMetadata.self).pointee.superclass.map { TypeMetadata($0) }
    }
    return found
  }
}
