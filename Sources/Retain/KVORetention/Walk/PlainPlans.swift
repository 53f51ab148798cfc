internal import CKVORetention

/// The tables of the loop that reads common objects: plans without opaque fields, the types of
/// values in existentials, and shared objects in other mappings.
struct PlainPlans: ~Copyable {
  private static let firstBits: UInt32 = 8
  private static let elsewhereCount = Int(KVOS_ELSEWHERE_COUNT)

  private(set) var plans: UnsafeMutablePointer<KVOSPlainPlan>
  private(set) var planBits = Self.firstBits
  private var planCount = 0
  private(set) var existentials: UnsafeMutablePointer<KVOSPlainExistential>
  private(set) var existentialBits = Self.firstBits
  private var existentialCount = 0
  /// The most recent object for each slot.
  let elsewhere: UnsafeMutablePointer<KVOSElsewhere>
  /// The memory that the plans point to.
  private var kept: [UnsafeMutableRawPointer] = []
  /// A plan that leaves its object to `GraphWalk.readNext`.
  private let none: KVOSPlainPlan

  init() {
    let step = UnsafeMutablePointer<KVOSPlainStep>.allocate(capacity: 1)
    step.initialize(
      to: KVOSPlainStep(offset: 0, kind: UInt32(KVOS_STEP_UNKNOWN), enumeration: nil)
    )
    kept = [UnsafeMutableRawPointer(step)]
    var none = KVOSPlainPlan()
    none.steps = UnsafePointer(step)
    none.otherCount = 1
    self.none = none
    plans = Self.table(Self.firstBits, of: none)
    existentials = Self.table(Self.firstBits, of: KVOSPlainExistential())
    elsewhere = .allocate(capacity: Self.elsewhereCount)
    elsewhere.initialize(repeating: KVOSElsewhere(), count: Self.elsewhereCount)
  }

  deinit {
    plans.deallocate()
    existentials.deallocate()
    // Otherwise addresses of objects in freed memory would look like the program's references.
    elsewhere.update(repeating: KVOSElsewhere(), count: Self.elsewhereCount)
    elsewhere.deallocate()
    for pointer in kept { pointer.deallocate() }
  }

  // MARK: Objects

  /// Adds the plan of objects with this metadata, if it is a plain one.
  mutating func adopt(_ plan: UnsafePointer<HeapPlan>, metadata: UInt) {
    guard plans[slot(ofPlan: metadata)].metadata == 0,
      let plain = plain(plan.pointee, metadata: metadata)
    else { return }
    planCount += 1
    if planCount * 4 > 1 << planBits { growPlans() }
    plans[slot(ofPlan: metadata)] = plain
  }

  private func slot(ofPlan metadata: UInt) -> Int {
    var slot = kvos_plan_slot(metadata, planBits)
    while plans[slot].metadata != 0, plans[slot].metadata != metadata {
      slot = (slot + 1) & (1 << planBits - 1)
    }
    return slot
  }

  private mutating func growPlans() {
    let (old, oldCount) = (plans, 1 << planBits)
    planBits += 1
    plans = Self.table(planBits, of: none)
    for index in 0..<oldCount where old[index].metadata != 0 {
      plans[slot(ofPlan: old[index].metadata)] = old[index]
    }
    old.deallocate()
  }

  private mutating func plain(_ plan: HeapPlan, metadata: UInt) -> KVOSPlainPlan? {
    guard plan.tail == nil, plan.byteCount <= KVOS_PLAIN_SIZE else { return nil }
    var plain = KVOSPlainPlan()
    plain.metadata = metadata
    switch (plan.kind, plan.element?.pointee.slots) {
    case (.fields, _):
      guard plan.slots.count <= KVOS_PLAIN_ROOM, plan.slots.allSatisfy(Self.isPlain) else {
        return nil
      }
      let references = plan.slots.prefix(while: Self.isReference).count
      plain.steps = keep(plan.slots.map { step($0) })
      plain.referenceCount = UInt8(references)
      plain.otherCount = UInt8(plan.slots.count - references)
      plain.isSimple = references == plan.slots.count ? 1 : 0
    case (.array, let slots?):
      guard slots.count == 1, slots[0].offset == 0, Self.isReference(slots[0]),
        let element = plan.element, element.pointee.alignmentMask <= 31,
        let stride = UInt32(exactly: element.pointee.stride), stride > 0
      else { return nil }
      plain.stride = stride
    default: return nil
    }
    return plain
  }

  private static func isReference(_ slot: Slot) -> Bool {
    slot.kind == .reference || slot.kind == .box
  }

  private static func isPlain(_ slot: Slot) -> Bool {
    switch slot.kind {
    case .reference, .box, .bridge, .closure, .existential: true
    case .enumeration: slot.enumPlan.map { $0.pointee.size <= Int(KVOS_ENUM_SIZE) } ?? false
    case .handle, .opaque, .buffer: false
    }
  }

  private mutating func step(_ slot: Slot) -> KVOSPlainStep {
    let kind =
      switch slot.kind {
      case .closure: KVOS_STEP_CLOSURE
      case .bridge: KVOS_STEP_BRIDGE
      case .existential: KVOS_STEP_EXISTENTIAL
      case .enumeration: KVOS_STEP_ENUM
      case .reference, .box: KVOS_STEP_REFERENCE
      case .handle, .opaque, .buffer: KVOS_STEP_UNKNOWN
      }
    return KVOSPlainStep(
      offset: slot.offset,
      kind: UInt32(kind),
      enumeration: slot.enumPlan.map { keep([enumeration($0.pointee)]) }
    )
  }

  private mutating func enumeration(_ plan: EnumPlan) -> KVOSPlainEnum {
    let offsets = plan.cases.map { payload in
      guard let slot = payload.slots.first else { return KVOS_CASE_NOTHING }
      let isPlain = payload.slots.count == 1 && Self.isReference(slot)
      return isPlain ? Int32(slot.offset) : KVOS_CASE_UNKNOWN
    }
    return KVOSPlainEnum(
      type: plan.type,
      size: UInt32(plan.size),
      needsProjection: plan.needsProjection ? 1 : 0,
      caseCount: UInt16(clamping: offsets.count),
      offsets: keep(offsets)
    )
  }

  // MARK: Existentials

  /// Adds the content of existentials whose type's metadata is at an address; `type` is nil if
  /// there is no type.
  mutating func adopt(existentialOf address: UInt, type: TypeMetadata?, _ store: PlanStore) {
    guard existentials[slot(ofExistential: address)].type == 0, address != 0 else { return }
    existentialCount += 1
    if existentialCount * 4 > 1 << existentialBits { growExistentials() }
    let kind = type.map { Self.kind(ofExistentialOf: $0, store) } ?? KVOS_STEP_UNKNOWN
    existentials[slot(ofExistential: address)] = KVOSPlainExistential(
      type: address,
      kind: UInt(kind)
    )
  }

  private static func kind(ofExistentialOf type: TypeMetadata, _ store: PlanStore) -> Int {
    if type.kind == .class || type.witnesses?.isBoxedInExistentials == true {
      return KVOS_STEP_REFERENCE
    }
    let isEmpty = type.witnesses != nil && store.layout(of: type).pointee.slots.isEmpty
    return isEmpty ? Int(KVOS_EXISTENTIAL_OF_NOTHING) : KVOS_STEP_UNKNOWN
  }

  private func slot(ofExistential type: UInt) -> Int {
    var slot = kvos_plan_slot(type, existentialBits)
    while existentials[slot].type != 0, existentials[slot].type != type {
      slot = (slot + 1) & (1 << existentialBits - 1)
    }
    return slot
  }

  private mutating func growExistentials() {
    let (old, oldCount) = (existentials, 1 << existentialBits)
    existentialBits += 1
    existentials = Self.table(existentialBits, of: KVOSPlainExistential())
    for index in 0..<oldCount where old[index].type != 0 {
      existentials[slot(ofExistential: old[index].type)] = old[index]
    }
    old.deallocate()
  }

  // MARK: Objects elsewhere

  func adopt(elsewhere address: UInt, isDeadEnd: Bool) {
    elsewhere[kvos_elsewhere_slot(address)] = KVOSElsewhere(
      address: address,
      isDeadEnd: isDeadEnd ? 1 : 0
    )
  }

  // MARK: Memory

  private static func table<Entry: BitwiseCopyable>(
    _ bits: UInt32,
    of entry: Entry
  ) -> UnsafeMutablePointer<Entry> {
    let table = UnsafeMutablePointer<Entry>.allocate(capacity: 1 << bits)
    table.initialize(repeating: entry, count: 1 << bits)
    return table
  }

  private mutating func keep<Value: BitwiseCopyable>(_ values: [Value]) -> UnsafePointer<Value> {
    let copies = UnsafeMutableBufferPointer<Value>.allocate(capacity: max(values.count, 1))
    _ = copies.initialize(from: values)
    let start = copies.baseAddress.unsafelyUnwrapped
    kept.append(UnsafeMutableRawPointer(start))
    return UnsafePointer(start)
  }
}
