internal import CKVORetention

/// Finds the slots of a type by descending into its fields.
///
/// The recursion is as deep as types are nested by value, up to `depthLimit`.
struct LayoutBuilder {
  let store: PlanStore
  private(set) var slots: [Slot] = []
  /// The capture that contains the slots, or `Slot.noCapture`.
  var capture = Slot.noCapture
  /// Whether an adjacent reference keeps alive what pointers in the fields point to.
  private var keepsPointees = false

  private static let depthLimit = 64
  private static let fixedArrayLimit = 4096

  init(store: PlanStore) { self.store = store }

  // MARK: Types

  /// Adds the slots of a value of `type` that begins at `offset`.
  mutating func add(_ type: TypeMetadata, at offset: Int, label: String, depth: Int = 0) {
    guard let kind = type.kind else {
      return addOpaque(.unknownType, at: offset, byteCount: 8, label: label)
    }
    if kind == .class { return add(.reference, at: offset, label: label) }
    guard let witnesses = type.witnesses else {
      // A block is a reference to an object of its own kind.
      return kind == .function
        ? add(.reference, at: offset, label: label)
        : addOpaque(.unknownType, at: offset, byteCount: 8, label: label)
    }
    guard depth < Self.depthLimit else {
      return addOpaque(.unknownType, at: offset, byteCount: witnesses.size, label: label)
    }
    switch kind {
    case .struct: addStruct(type, at: offset, label: label, depth: depth)
    case .enum, .optional: addEnum(type, kind, at: offset, label: label, depth: depth)
    case .tuple: addTuple(type, at: offset, label: label, depth: depth)
    case .fixedArray: addFixedArray(type, at: offset, label: label, depth: depth)
    case .opaque where type == store.known.rawPointer:
      if !keepsPointees { add(.handle, reason: .unmanagedMemory, at: offset, label: label) }
    case .opaque where type == store.known.rawContinuation:
      add(.handle, reason: .task, at: offset, label: label)
    default:
      guard !witnesses.isTrivial else { return }
      addLeaf(type, kind, at: offset, label: label, depth: depth)
    }
  }

  private mutating func addLeaf(
    _ type: TypeMetadata,
    _ kind: TypeMetadata.Kind,
    at offset: Int,
    label: String,
    depth: Int
  ) {
    let byteCount = type.witnesses?.size ?? 8
    switch kind {
    case .function:
      switch type.record(KVOSFunctionMetadata.self).pointee.flags >> 16 & 0xff {
      case 0: add(.closure, at: offset, label: label)
      default: break
      }
    case .existential:
      let flags = type.record(KVOSExistentialMetadata.self).pointee.flags
      let isOfClasses = flags & 0x8000_0000 == 0
      let isError = flags >> 24 & 0x3f == 1
      add(isOfClasses || isError ? .reference : .existential, at: offset, label: label)
    case .extendedExistential:
      let shape = type.record(KVOSExtendedExistentialMetadata.self).pointee.shape
      switch shape.map({ $0.pointee & 0xff }) {
      case 0: add(.existential, at: offset, label: label)
      case 1: add(.reference, at: offset, label: label)
      default: addOpaque(.unknownType, at: offset, byteCount: byteCount, label: label)
      }
    case .opaque where type == store.known.nativeObject || type == store.known.unknownObject:
      add(.reference, at: offset, label: label)
    case .opaque where type == store.known.bridgeObject:
      add(.bridge, at: offset, label: label)
    case .foreignClass, .foreignReferenceType:
      addOpaque(.foreignObject, at: offset, byteCount: byteCount, label: label)
    default: addOpaque(.unknownType, at: offset, byteCount: byteCount, label: label)
    }
  }

  private mutating func addStruct(
    _ type: TypeMetadata,
    at offset: Int,
    label: String,
    depth: Int
  ) {
    guard let nominal = type.nominal, let witnesses = type.witnesses else {
      return addOpaque(.unknownType, at: offset, byteCount: 8, label: label)
    }
    let traits = store.traits(of: nominal.descriptor)
    switch traits.role {
    case .leaf: return
    case .pointer where keepsPointees, .handle where keepsPointees: return
    case .pointer:
      // The type of its pointee is its first generic argument.
      guard let argument = nominal.arguments?.pointee,
        store.checkForReferences(in: TypeMetadata(argument))
      else { return }
      return add(.handle, reason: .unmanagedMemory, at: offset, label: label)
    case .handle: return add(.handle, reason: traits.reason, at: offset, label: label)
    case .buffer:
      // Its header and its elements.
      let mayRefer = store.checkForReferences(inArguments: 2, of: nominal)
      return add(mayRefer ? .buffer : .reference, reason: .managedBuffer, at: offset, label: label)
    case .foreign where witnesses.size < 8: return
    case .foreign:
      // Unions and bit fields are not described, so all words are examined.
      return addOpaque(.unmanagedMemory, at: offset, byteCount: witnesses.size, label: label)
    case .ordinary: break
    }
    if witnesses.isTrivial, traits.isStandardLibrary, !nominal.descriptor.isGeneric { return }
    guard let fields = nominal.descriptor.fields else {
      if witnesses.isTrivial { return }
      return addOpaque(
        .noReflectionMetadata,
        at: offset,
        byteCount: witnesses.size,
        label: label
      )
    }
    guard fields.count > 0 else { return }
    guard nominal.descriptor.structFieldCount == fields.count,
      let offsets = nominal.descriptor.fieldOffsets(ofStruct: type)
    else {
      if witnesses.isTrivial { return }
      return addOpaque(.unknownType, at: offset, byteCount: witnesses.size, label: label)
    }
    let keptPointees = keepsPointees
    keepsPointees = traits.keepsPointees
    defer { keepsPointees = keptPointees }
    for index in 0..<fields.count {
      let field = fields[index]
      guard let name = field.mangledType, !nominal.descriptor.passesOver(field.name) else {
        continue
      }
      let start = Int(offsets[index])
      add(
        MangledTypeName(name),
        in: .nominal(nominal),
        at: offset + start,
        // Up to the end of the value for the last field.
        room: ((0..<fields.count).lazy.map { Int(offsets[$0]) }.filter { $0 > start }.min()
          ?? witnesses.size) - start,
        // The names of fields in the standard library mean nothing to a programmer.
        label: traits.isStandardLibrary ? label : Self.join(label, field.name),
        depth: depth + 1
      )
    }
  }

  private mutating func addTuple(
    _ type: TypeMetadata,
    at offset: Int,
    label: String,
    depth: Int
  ) {
    let elements = type.trailing(KVOSTupleMetadata.self, KVOSTupleElement.self)
    for index in 0..<Int(type.record(KVOSTupleMetadata.self).pointee.elementCount) {
      guard let element = elements[index].type else { continue }
      add(
        TypeMetadata(element),
        at: offset + Int(elements[index].offset),
        label: Self.join(label, "\(index)"),
        depth: depth + 1
      )
    }
  }

  /// Adds the slots of consecutive values, as in a tuple.
  ///
  /// - Returns: the offset after the last value.
  @discardableResult
  mutating func addTuple(
    of types: [TypeMetadata],
    at offset: Int,
    label: String,
    depth: Int
  ) -> Int {
    var end = offset
    for (index, type) in types.enumerated() {
      let mask = type.witnesses?.alignmentMask ?? 7
      let start = (end + mask) & ~mask
      let name = types.count == 1 ? label : Self.join(label, "\(index)")
      add(type, at: start, label: name, depth: depth + 1)
      end = start + (type.witnesses?.size ?? 8)
    }
    return end
  }

  private mutating func addFixedArray(
    _ type: TypeMetadata,
    at offset: Int,
    label: String,
    depth: Int
  ) {
    let record = type.record(KVOSFixedArrayMetadata.self).pointee
    // Numbers hold nothing, however many there are.
    guard let element = record.element.map({ TypeMetadata($0) }), let witnesses = element.witnesses,
      !store.layout(of: element).pointee.slots.isEmpty
    else { return }
    guard record.count <= Self.fixedArrayLimit else {
      return addOpaque(
        .unknownType,
        at: offset,
        byteCount: record.count * witnesses.stride,
        label: label
      )
    }
    for index in 0..<max(record.count, 0) {
      add(
        element,
        at: offset + index * witnesses.stride,
        label: Self.join(label, "[\(index)]"),
        depth: depth + 1
      )
    }
  }

  // MARK: Enums

  private mutating func addEnum(
    _ type: TypeMetadata,
    _ kind: TypeMetadata.Kind,
    at offset: Int,
    label: String,
    depth: Int
  ) {
    if kind == .optional, let payload = type.nominal?.arguments?.pointee,
      addFlattened(TypeMetadata(payload), optional: type, at: offset, label: label, depth: depth)
    {
      return
    }
    let isTrivial = type.witnesses?.isTrivial ?? false
    guard let plan = store.enumPlan(of: type, depth: depth + 1) else {
      if isTrivial { return }
      return addOpaque(
        .noReflectionMetadata,
        at: offset,
        byteCount: type.witnesses?.size ?? 8,
        label: label
      )
    }
    guard plan.pointee.cases.contains(where: { !$0.slots.isEmpty }) else { return }
    add(.enumeration, at: offset, label: label, enumPlan: plan)
  }

  /// Treats an Optional like its payload, if `nil` is a payload of zeros.
  private mutating func addFlattened(
    _ payload: TypeMetadata,
    optional: TypeMetadata,
    at offset: Int,
    label: String,
    depth: Int
  ) -> Bool {
    switch payload.kind {
    case .class?: break
    case .function?, .existential?, .extendedExistential?:
      guard payload.witnesses != nil else { return false }
    case .struct?:
      guard let size = payload.witnesses?.size, size == 8, optional.witnesses?.size == 8 else {
        return false
      }
      var inner = LayoutBuilder(store: store)
      inner.add(payload, at: 0, label: "", depth: depth + 1)
      let isWord: [Slot.Kind] = [.reference, .bridge, .handle, .buffer]
      guard inner.slots.count == 1, isWord.contains(inner.slots[0].kind) else { return false }
    default: return false
    }
    add(payload, at: offset, label: label, depth: depth + 1)
    return true
  }

  // MARK: Fields and captures

  /// Adds the slots of a stored value by the mangled name of its type.
  ///
  /// `room` is the maximum size of the value in bytes; it is evaluated if the value is opaque.
  mutating func add(
    _ name: MangledTypeName,
    in environment: GenericEnvironment,
    at offset: Int,
    room: @autoclosure () -> Int,
    label: String,
    depth: Int
  ) {
    if name.isBox { return add(.box, at: offset, label: label) }
    guard name.ownership == .strong else { return }
    switch name.function {
    case .block?: return add(.reference, at: offset, label: label)
    case .closure?: return add(.closure, at: offset, label: label)
    case nil: break
    }
    if let elements = environment.packElements(name) {
      addTuple(of: elements, at: offset, label: label, depth: depth)
      return
    }
    guard let type = environment.resolve(name) else {
      if let layout = UnnamedType(name)?.layout(store: store, depth: depth) {
        return add(layout, at: offset, label: label)
      }
      let reason: OpaqueReason =
        name.mentionsPack ? .parameterPack : name.mentionsBlock ? .block : .unknownType
      return addOpaque(reason, at: offset, byteCount: room(), label: label)
    }
    // For a noncopyable type the compiler emits a function instead of the name, which returns `()`.
    if name.start.pointee == 0x09, type.kind == .tuple, type.witnesses?.size == 0 {
      return addOpaque(.noncopyable, at: offset, byteCount: room(), label: label)
    }
    add(type, at: offset, label: label, depth: depth)
  }

  /// Adds the slots of a layout that was computed before.
  mutating func add(_ layout: UnnamedType.Layout, at offset: Int, label: String) {
    for slot in layout.slots {
      var slot = slot
      slot.offset += UInt32(offset)
      slot.label = store.textNumber(Self.join(label, store.text(slot.label)))
      slot.capture = capture
      slots.append(slot)
    }
  }

  /// Adds a pointer to memory that is not reference-counted.
  mutating func addHandle(_ reason: OpaqueReason, at offset: Int, label: String) {
    add(.handle, reason: reason, at: offset, label: label)
  }

  mutating func addReference(at offset: Int, label: String) {
    add(.reference, at: offset, label: label)
  }

  mutating func addClosure(at offset: Int, label: String) {
    add(.closure, at: offset, label: label)
  }

  mutating func addBox(label: String) { add(.box, at: 0, label: label) }

  mutating func addOpaque(
    _ reason: OpaqueReason,
    at offset: Int,
    byteCount: Int,
    label: String
  ) {
    guard byteCount > 0 else { return }
    add(.opaque, reason: reason, at: offset, byteCount: byteCount, label: label)
  }

  private mutating func add(
    _ kind: Slot.Kind,
    reason: OpaqueReason = .unknownType,
    at offset: Int,
    byteCount: Int = 0,
    label: String,
    enumPlan: UnsafePointer<EnumPlan>? = nil
  ) {
    slots.append(
      Slot(
        kind: kind,
        reason: reason,
        capture: capture,
        offset: UInt32(truncatingIfNeeded: offset),
        byteCount: UInt32(truncatingIfNeeded: byteCount),
        label: store.textNumber(label),
        enumPlan: enumPlan
      )
    )
  }

  /// Appends names to each other, like the other `join`.
  static func join(_ names: [String], _ last: String) -> String {
    var path = ""
    for name in names { append(name, to: &path) }
    append(last, to: &path)
    return path
  }

  /// Appends a name to a path in place, like `join`.
  static func append(_ name: String, to path: inout String) {
    if name.isEmpty { return }
    if path.isEmpty {
      path = name
      return
    }
    if name.utf8.first != UInt8(ascii: "[") { path += "." }
    path += name
  }

  /// Appends a name to a path: `pair` and `owner` become `pair.owner`.
  static func join(_ path: String, _ name: String) -> String {
    if path.isEmpty { return name }
    if name.isEmpty { return path }
    return name.hasPrefix("[") ? path + name : path + "." + name
  }
}
