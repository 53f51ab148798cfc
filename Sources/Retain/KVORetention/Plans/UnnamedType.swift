internal import CKVORetention

/// A type for which the runtime cannot create metadata.
///
/// Optimized code drops the metadata accessor of a type that is only used in captures. Its
/// descriptor exists, and its fields are laid out by the compiler's rules. The arguments of a generic
/// class may be unknown: references to its objects do not depend on them.
struct UnnamedType {
  struct Layout {
    var slots: [Slot]
    var size: Int
    var alignmentMask: Int

    func align(_ offset: Int) -> Int { (offset + alignmentMask) & ~alignmentMask }
  }

  private let descriptor: NominalDescriptor

  /// Returns nil if the name is more than a reference to a descriptor, except for the arguments of a
  /// generic class and an Optional of it.
  init?(_ name: MangledTypeName) {
    guard name.count == 5 || name.isBoundReference,
      let found = Self.descriptor(at: name.start), name.count == 5 || found.kind == .class
    else { return nil }
    descriptor = found
  }

  var name: String { descriptor.name }

  /// The descriptor at the beginning of a mangled name, if the name begins with a reference to one.
  static func descriptor(at name: UnsafePointer<UInt8>) -> NominalDescriptor? {
    guard name[0] == 1 || name[0] == 2 else { return nil }
    // The four bytes after the first are relative to their own address, and unaligned.
    let field = UnsafeRawPointer(name) + 1
    let target = field + Int(field.loadUnaligned(as: Int32.self))
    guard name[0] == 2 else { return NominalDescriptor(target) }
    return target.load(as: UnsafeRawPointer?.self).map { NominalDescriptor($0) }
  }

  /// The layout, or nil if it is not known: of generic types, of enums with payload.
  func layout(store: PlanStore, depth: Int) -> Layout? {
    guard depth < 32 else { return nil }
    switch descriptor.kind {
    case .class?:
      let slot = Slot(kind: .reference, offset: 0, label: store.textNumber(""))
      return Layout(slots: [slot], size: 8, alignmentMask: 7)
    case .enum? where !descriptor.isGeneric: return enumLayout
    case .struct? where !descriptor.isGeneric: return structLayout(store: store, depth: depth)
    default: return nil
    }
  }

  private var enumLayout: Layout? {
    guard let cases = descriptor.fields,
      (0..<cases.count).allSatisfy({ cases[$0].mangledType == nil })
    else { return nil }
    let size = cases.count <= 1 ? 0 : cases.count <= 256 ? 1 : cases.count <= 65536 ? 2 : 4
    return Layout(slots: [], size: size, alignmentMask: max(size, 1) - 1)
  }

  private func structLayout(store: PlanStore, depth: Int) -> Layout? {
    guard let fields = descriptor.fields else { return nil }
    var whole = Layout(slots: [], size: 0, alignmentMask: 0)
    for index in 0..<fields.count {
      guard let text = fields[index].mangledType else { return nil }
      let name = MangledTypeName(text)
      var part: Layout
      if name.ownership != .strong {
        // As many words as the reference takes: a reference to a protocol type takes two or more.
        let size = GenericEnvironment.none.resolve(name)?.witnesses?.size
        part = Layout(slots: [], size: size ?? 8, alignmentMask: 7)
      } else if let type = GenericEnvironment.none.resolve(name), let witnesses = type.witnesses {
        // A noncopyable type and its size are not known.
        guard name.start[0] != 0x09 else { return nil }
        var builder = LayoutBuilder(store: store)
        builder.add(type, at: 0, label: "", depth: depth + 1)
        part = Layout(
          slots: builder.slots,
          size: witnesses.size,
          alignmentMask: witnesses.alignmentMask
        )
      } else if let inner = UnnamedType(name)?.layout(store: store, depth: depth + 1) {
        part = inner
      } else {
        return nil
      }
      let start = part.align(whole.size)
      for slot in part.slots {
        var slot = slot
        slot.offset += UInt32(start)
        slot.label = store.textNumber(
          LayoutBuilder.join(fields[index].name, store.text(slot.label))
        )
        whole.slots.append(slot)
      }
      whole.size = start + part.size
      whole.alignmentMask |= part.alignmentMask
    }
    return whole
  }
}
