internal import CKVORetention
internal import KVORetainRegistry

/// Reads the references of objects and values by their plans.
///
/// The caller checks that an object's own bytes can be read; the reader checks memory that they
/// point to.
struct ObjectReader {
  let store: PlanStore
  let memory: MemoryMap
  /// What is kept alive on behalf of objects, but not by them, by the address of the object.
  let attachments: [UInt: [RetainAttachment]]
  /// The possible targets of words in opaque bytes.
  let targets: PointerTargets
  /// How much of tasks that have not ended is read.
  var tasks = TaskAccess.words

  init(store: PlanStore, memory: MemoryMap, attachments: [UInt: [RetainAttachment]] = [:]) {
    self.store = store
    self.memory = memory
    self.attachments = attachments
    targets = PointerTargets(store: store, memory: memory)
  }

  private var check: MetadataCheck { MetadataCheck(memory: memory) }

  // MARK: Objects

  /// The plan of the object at `address`, or nil if no readable Swift object is there.
  @inline(__always)
  func plan(of address: UInt) -> UnsafePointer<HeapPlan>? {
    guard address & 7 == 0, memory.isReadable(address, 16),
      let object = UnsafeRawPointer(bitPattern: address)
    else { return nil }
    guard let plan = plan(metadata: object.load(as: UInt.self)) else { return nil }
    return resolved(plan, of: object)
  }

  /// The plan for all closure contexts of some generic code, if the object at an address is
  /// readable and such a context.
  ///
  /// The plan does not describe what they captured.
  func genericContext(at object: UnsafeRawPointer) -> UnsafePointer<HeapPlan>? {
    guard memory.isReadable(UInt(bitPattern: object), 16) else { return nil }
    let plan = plan(metadata: object.load(as: UInt.self))
    return plan?.pointee.kind == .genericContext ? plan : nil
  }

  /// The plan of objects whose first word is `metadata`.
  @inline(__always)
  func plan(metadata: UInt) -> UnsafePointer<HeapPlan>? {
    store.knownPlan(at: metadata) ?? makePlan(metadata: metadata)
  }

  /// The plan of one object, whose metadata has `plan`.
  @inline(__always)
  func resolved(
    _ plan: UnsafePointer<HeapPlan>,
    of object: UnsafeRawPointer
  ) -> UnsafePointer<HeapPlan>? {
    guard memory.isReadable(UInt(bitPattern: object), plan.pointee.byteCount) else { return nil }
    guard plan.pointee.kind == .genericContext else { return plan }
    // The metadata is not read again: the object may be freed meanwhile.
    let own = store.contextPlan(of: object, like: plan, memory: memory)
    guard memory.isReadable(UInt(bitPattern: object), own.pointee.byteCount) else { return nil }
    return own
  }

  @inline(never)
  private func makePlan(metadata: UInt) -> UnsafePointer<HeapPlan>? {
    if store.known.blockClasses.contains(metadata) { return store.makePlan(ofBlocks: metadata) }
    return check.heapMetadata(at: metadata).map { store.makePlan(of: $0) }
  }

  /// Passes the references of an object with the plan `plan` to `visitor`.
  @inline(__always)
  func read<Visitor: ReferenceVisitor & ~Copyable>(
    _ object: UnsafeRawPointer,
    _ plan: UnsafePointer<HeapPlan>,
    _ visitor: inout Visitor
  ) {
    switch plan.pointee.kind {
    case .fields: read(plan.pointee.slots, at: object, &visitor)
    case .array: readArray(object, plan, &visitor)
    case .dictionary, .set: readHashTable(object, plan, &visitor)
    case .errorBox: readError(object, &visitor)
    case .asked: readKnown(object, &visitor)
    case .block: readBlock(object, plan, &visitor)
    case .task: readTask(object, plan, &visitor)
    case .genericContext, .opaque: break
    }
  }

  @inline(never)
  private func readKnown<Visitor: ReferenceVisitor & ~Copyable>(
    _ object: UnsafeRawPointer,
    _ visitor: inout Visitor
  ) {
    let address = UInt(bitPattern: object)
    for kept in store.knownClasses?.source.references(ofObjectAt: address) ?? [] {
      visitor.kept(kept)
    }
  }

  /// Whether any word with the address of an object with this plan is a reference: nothing else has
  /// such words.
  func isSurelyReferred(_ plan: UnsafePointer<HeapPlan>) -> Bool {
    plan.pointee.isKnown && plan.pointee.role == .storage
  }

  // MARK: Values

  /// Passes the references in a value's slots to `visitor`.
  func read<Visitor: ReferenceVisitor & ~Copyable>(
    _ slots: UnsafeBufferPointer<Slot>,
    at base: UnsafeRawPointer,
    _ visitor: inout Visitor
  ) {
    guard var slot = slots.baseAddress else { return }
    let end = slot + slots.count
    while slot < end {
      let field = base + Int(slot.pointee.offset)
      switch slot.pointee.kind {
      case .reference, .box: visitor.reference(field.load(as: UInt.self), in: slot)
      case .bridge:
        // The highest bit marks a word that is not a native object; other high bits are flags.
        let word = field.load(as: UInt.self)
        if word >> 63 == 0 { visitor.reference(word & 0x0fff_ffff_ffff_fff8, in: slot) }
      case .closure:
        let code = field.load(as: UInt.self)
        if code >= 4096 {
          visitor.closure(
            context: field.load(fromByteOffset: 8, as: UInt.self),
            code: code,
            in: slot
          )
        }
      case .existential: readExistential(field, slot, &visitor)
      case .enumeration: readEnum(field, slot, &visitor)
      case .handle:
        if field.load(as: UInt.self) >= 4096 { visitor.opaque(field, byteCount: 8, in: slot) }
      case .opaque:
        visitor.opaque(field, byteCount: Int(slot.pointee.byteCount), in: slot)
      case .buffer:
        let word = field.load(as: UInt.self)
        visitor.reference(word, in: slot)
        visitor.buffer(at: word, in: slot)
      }
      slot += 1
    }
  }

  @inline(never)
  private func readExistential<Visitor: ReferenceVisitor & ~Copyable>(
    _ value: UnsafeRawPointer,
    _ slot: UnsafePointer<Slot>,
    _ visitor: inout Visitor
  ) {
    let typeWord = value.load(fromByteOffset: 24, as: UInt.self)
    guard typeWord >= 4096 else { return }
    guard let type = knownType(at: typeWord) else {
      return visitor.opaque(value, byteCount: 24, in: slot)
    }
    if type.kind == .class { return visitor.reference(value.load(as: UInt.self), in: slot) }
    guard let witnesses = type.witnesses else {
      return visitor.opaque(value, byteCount: 24, in: slot)
    }
    if witnesses.isBoxedInExistentials {
      return visitor.reference(value.load(as: UInt.self), in: slot)
    }
    let layout = store.layout(of: type)
    guard !layout.pointee.slots.isEmpty else { return }
    visitor.enter(slot)
    read(layout.pointee.slots, at: value, &visitor)
    visitor.leave()
  }

  func knownType(at address: UInt) -> TypeMetadata? {
    if store.knownLayout(at: address) != nil {
      return UnsafeRawPointer(bitPattern: address).map { TypeMetadata($0) }
    }
    return check.valueMetadata(at: address)
  }

  @inline(never)
  private func readEnum<Visitor: ReferenceVisitor & ~Copyable>(
    _ value: UnsafeRawPointer,
    _ slot: UnsafePointer<Slot>,
    _ visitor: inout Visitor
  ) {
    guard let plan = slot.pointee.enumPlan,
      let witnesses = TypeMetadata(plan.pointee.type).witnesses
    else { return }
    let tag = Int(kvos_enum_tag(witnesses, value, plan.pointee.type))
    guard tag < plan.pointee.cases.count, !plan.pointee.cases[tag].slots.isEmpty else { return }
    let slots = plan.pointee.cases[tag].slots
    visitor.enter(slot)
    defer { visitor.leave() }
    guard plan.pointee.needsProjection else { return read(slots, at: value, &visitor) }
    withUnsafeTemporaryAllocation(byteCount: plan.pointee.size + 8, alignment: 16) { copy in
      guard let payload = copy.baseAddress else { return }
      payload.copyMemory(from: value, byteCount: plan.pointee.size)
      kvos_project_enum(witnesses, payload, plan.pointee.type)
      read(slots, at: payload, &visitor)
    }
  }

  // MARK: Collections and boxes

  private func readArray<Visitor: ReferenceVisitor & ~Copyable>(
    _ object: UnsafeRawPointer,
    _ plan: UnsafePointer<HeapPlan>,
    _ visitor: inout Visitor
  ) {
    guard let layout = plan.pointee.element, !layout.pointee.slots.isEmpty else { return }
    // The count, and then capacity and flags, follow the header.
    let count = object.load(fromByteOffset: 16, as: Int.self)
    let start = (32 + layout.pointee.alignmentMask) & ~layout.pointee.alignmentMask
    guard isReadable(object + start, count, layout.pointee.stride) else { return }
    for index in 0..<count {
      if visitor.isSatisfied { return }
      visitor.enter(element: .index(index))
      read(layout.pointee.slots, at: object + start + index * layout.pointee.stride, &visitor)
      visitor.leave()
    }
  }

  /// Reads the storage of a dictionary or set.
  ///
  /// It contains count and capacity, scale and seed, the addresses of keys and values, and a bit
  /// for each bucket that is in use. Source: stdlib/public/core/NativeDictionary.swift,
  /// HashTable.swift.
  private func readHashTable<Visitor: ReferenceVisitor & ~Copyable>(
    _ object: UnsafeRawPointer,
    _ plan: UnsafePointer<HeapPlan>,
    _ visitor: inout Visitor
  ) {
    let isDictionary = plan.pointee.kind == .dictionary
    guard let keyLayout = plan.pointee.element,
      !keyLayout.pointee.slots.isEmpty || plan.pointee.value?.pointee.slots.isEmpty == false,
      object.load(fromByteOffset: 16, as: Int.self) > 0
    else { return }
    let scale = Int(object.load(fromByteOffset: 32, as: Int8.self))
    guard scale >= 0, scale < 40 else { return }
    let bucketCount = 1 << scale
    let bits = object + (isDictionary ? 64 : 56)
    guard let keys = object.load(fromByteOffset: 48, as: UnsafeRawPointer?.self),
      isReadable(bits, (bucketCount + 63) / 64, 8),
      isReadable(keys, bucketCount, keyLayout.pointee.stride)
    else { return }
    var values: (start: UnsafeRawPointer, layout: UnsafePointer<ValueLayout>)?
    if isDictionary, let layout = plan.pointee.value, !layout.pointee.slots.isEmpty {
      guard let start = object.load(fromByteOffset: 56, as: UnsafeRawPointer?.self),
        isReadable(start, bucketCount, layout.pointee.stride)
      else { return }
      values = (start, layout)
    }
    for bucket in 0..<bucketCount {
      if visitor.isSatisfied { return }
      let word = bits.load(fromByteOffset: bucket / 64 * 8, as: UInt.self)
      guard word >> (bucket % 64) & 1 == 1 else { continue }
      let key = keys + bucket * keyLayout.pointee.stride
      if !keyLayout.pointee.slots.isEmpty {
        visitor.enter(element: isDictionary ? .key : .member)
        read(keyLayout.pointee.slots, at: key, &visitor)
        visitor.leave()
      }
      if let values {
        visitor.enter(element: .value)
        read(
          values.layout.pointee.slots,
          at: values.start + bucket * values.layout.pointee.stride,
          &visitor
        )
        visitor.leave()
      }
    }
  }

  private func readError<Visitor: ReferenceVisitor & ~Copyable>(
    _ object: UnsafeRawPointer,
    _ visitor: inout Visitor
  ) {
    guard let type = knownType(at: object.load(fromByteOffset: 16, as: UInt.self)) else { return }
    let layout = store.layout(of: type)
    let start = (32 + layout.pointee.alignmentMask) & ~layout.pointee.alignmentMask
    guard isReadable(object + start, 1, layout.pointee.size) else { return }
    read(layout.pointee.slots, at: object + start, &visitor)
  }

  private func isReadable(_ start: UnsafeRawPointer, _ count: Int, _ stride: Int) -> Bool {
    guard count >= 0, stride >= 0 else { return false }
    let (byteCount, overflows) = count.multipliedReportingOverflow(by: stride)
    return !overflows && memory.isReadable(UInt(bitPattern: start), UInt(byteCount))
  }
}
