internal import CKVORetention
internal import KVORetainRegistry

/// Determines how to read heap objects with some metadata.
struct HeapPlanBuilder {
  let store: PlanStore

  /// The plan for objects with `metadata`, which has been checked.
  func plan(of metadata: TypeMetadata) -> HeapPlan {
    var plan =
      switch metadata.kind {
      case .class?: classPlan(metadata)
      case .box?: boxPlan(metadata)
      case .errorBox?:
        HeapPlan(kind: .errorBox, role: .storage, byteCount: 32)
      case .context?: ContextPlanBuilder(store: store, metadata: metadata).fixedPlan
      case .task?:
        HeapPlan(
          kind: .task,
          role: .instance,
          tail: .task,
          byteCount: 16,
          // Its result, and its closure.
          slots: PlanStore.keep([
            Slot(kind: .reference, offset: 0, label: 0), Slot(kind: .closure, offset: 0, label: 0),
          ])
        )
      default: opaquePlan(.foreignObject)
      }
    plan.metadata = metadata.pointer
    plan.hasOpaque =
      plan.hasOpaque || plan.tail != nil || Self.hasOpaque(plan.slots)
      || plan.element.map { Self.hasOpaque($0.pointee.slots) } ?? false
      || plan.value.map { Self.hasOpaque($0.pointee.slots) } ?? false
    return plan
  }

  /// Whether slots, or slots of enum cases among them, are opaque.
  static func hasOpaque(_ slots: UnsafeBufferPointer<Slot>) -> Bool {
    slots.contains { slot in
      switch slot.kind {
      case .opaque, .handle, .buffer: true
      case .enumeration: slot.enumPlan?.pointee.cases.contains { hasOpaque($0.slots) } ?? false
      // This depends on the value, and shows when it is read.
      case .existential: true
      default: false
      }
    }
  }

  private func opaquePlan(_ reason: OpaqueReason) -> HeapPlan {
    HeapPlan(kind: .opaque, role: .instance, tail: reason, byteCount: 16)
  }

  private func boxPlan(_ metadata: TypeMetadata) -> HeapPlan {
    let record = metadata.record(KVOSBoxMetadata.self).pointee
    guard let boxed = record.boxedType.map({ TypeMetadata($0) }) else {
      return opaquePlan(.unknownType)
    }
    var builder = LayoutBuilder(store: store)
    builder.add(boxed, at: Int(record.offset), label: "")
    return HeapPlan(
      kind: .fields,
      role: .storage,
      byteCount: UInt(record.offset) + UInt(boxed.witnesses?.size ?? 8),
      slots: PlanStore.keep(builder.slots)
    )
  }

  // MARK: Classes

  private func classPlan(_ metadata: TypeMetadata) -> HeapPlan {
    var plan = HeapPlan(
      kind: .fields,
      role: .instance,
      byteCount: UInt(metadata.record(KVOSClassMetadata.self).pointee.instanceSize)
    )
    let known = metadata.nominal.flatMap { store.knownClasses?[$0.descriptor] }
    if let known {
      plan.isKnown = true
      plan.isObservation = known.isObservation
      plan.isKeeper = known.isKeeper
      plan.role = known.isShown ? .instance : .storage
    }
    // A search's own objects hold nothing of the program: pointers in them are addresses only.
    if Self.isOfSearch(metadata) { return plan }
    var property: String?
    switch known?.reading {
    case .asked?:
      plan.kind = .asked
      return plan
    case .property(let name)?: property = name
    case nil: break
    }
    var builder = LayoutBuilder(store: store)
    for type in superclassesFirst(metadata) {
      guard let nominal = type.nominal else { continue }
      if let storage = collectionPlan(plan, nominal) { return storage }
      if nominal.descriptor == store.known.anyKeyPath { plan.tail = .keyPathArguments }
      if nominal.descriptor == store.known.managedBuffer,
        let element = nominal.arguments?[1].map({ TypeMetadata($0) }),
        store.checkForReferences(in: element)
      {
        plan.tail = .managedBuffer
      }
      // It stores a continuation after its fields.
      if nominal.descriptor.name == "CheckedContinuationCanary" { plan.tail = .task }
      if LibraryReferences.hasMemoryOfC(nominal.descriptor.name, in: nominal.descriptor.module) {
        plan.tail = .foreignObject
      }
      addFields(of: type, nominal, only: property, to: &builder)
    }
    plan.slots = PlanStore.keep(builder.slots)
    return plan
  }

  private static func isOfSearch(_ metadata: TypeMetadata) -> Bool {
    let types: [any AnyObject.Type] = [
      PlanStore.self, MemoryMap.self, PointerTargets.self, CopiedMemory.self, ObjectGranules.self,
    ]
    return types.contains { TypeMetadata($0) == metadata }
  }

  private func superclassesFirst(_ metadata: TypeMetadata) -> [TypeMetadata] {
    var chain: [TypeMetadata] = []
    var next: TypeMetadata? = metadata
    while let type = next, type.kind == .class, chain.count < 256 {
      let superclass = type.record(KVOSClassMetadata.self).pointee.superclass.map {
        TypeMetadata($0)
      }
      // A copy of a class's metadata that replaces it has the class as its superclass.
      if superclass?.nominal?.descriptor != type.nominal?.descriptor { chain.append(type) }
      next = superclass
    }
    return chain.reversed()
  }

  /// The plan for the standard library's storage of arrays, dictionaries and sets.
  private func collectionPlan(_ plan: HeapPlan, _ nominal: NominalType) -> HeapPlan? {
    func layout(_ index: Int) -> UnsafePointer<ValueLayout>? {
      nominal.arguments?[index].map { store.layout(of: TypeMetadata($0)) }
    }
    var plan = plan
    plan.role = .storage
    switch nominal.descriptor {
    case store.known.arrayStorage:
      plan.kind = .array
      plan.element = layout(0)
    case store.known.dictionaryStorage:
      plan.kind = .dictionary
      plan.element = layout(0)
      plan.value = layout(1)
    case store.known.setStorage:
      plan.kind = .set
      plan.element = layout(0)
    default: return nil
    }
    return plan
  }

  private func addFields(
    of type: TypeMetadata,
    _ nominal: NominalType,
    only property: String?,
    to builder: inout LayoutBuilder
  ) {
    let record = type.record(KVOSClassMetadata.self).pointee
    let end = Int(record.instanceSize)
    guard let fields = nominal.descriptor.fields else {
      let start =
        record.superclass.map {
          Int(TypeMetadata($0).record(KVOSClassMetadata.self).pointee.instanceSize)
        } ?? 16
      return builder.addOpaque(
        .noReflectionMetadata,
        at: start,
        byteCount: end - start,
        label: ""
      )
    }
    guard fields.count > 0 else { return }
    guard nominal.descriptor.classFieldCount == fields.count,
      let offsets = nominal.descriptor.fieldOffsets(ofClass: type)
    else { return builder.addOpaque(.unknownType, at: 16, byteCount: end - 16, label: "") }
    for index in 0..<fields.count {
      guard let name = fields[index].mangledType,
        property == nil || property == fields[index].name,
        !nominal.descriptor.passesOver(fields[index].name)
      else { continue }
      let start = Int(offsets[index])
      guard start >= 16, start <= end else { continue }
      builder.add(
        MangledTypeName(name),
        in: .nominal(nominal),
        at: start,
        room: ((0..<fields.count).lazy.map { Int(offsets[$0]) }.filter { $0 > start }.min() ?? end)
          - start,
        label: Self.propertyName(fields[index].name),
        depth: 0
      )
    }
  }

  /// The declared name of a property: the compiler renames the storage of lazy ones.
  private static func propertyName(_ name: String) -> String {
    let lazyPrefix = "$__lazy_storage_$_"
    return name.hasPrefix(lazyPrefix) ? String(name.dropFirst(lazyPrefix.count)) : name
  }
}
