/// What a loop that reads common objects has at hand: the plans of a walk that have nothing that is not
/// understood, and types of values in existentials.
///
/// Two tables, by metadata, in which the latest has the place.
struct PlainPlans: ~Copyable {
  struct Plan: BitwiseCopyable {
    enum Kind: UInt8 {
      /// Slots that are references, or stand for none, and nothing else.
      case references
      case slots
      /// Elements of an array, of which each is a reference.
      case elements
    }

    var byteCount: UInt
    /// The objects' first word; at no multiple of 16, where it might look like one of them.
    var metadata: UInt
    var slots: UnsafePointer<Slot>
    var slotCount: Int
    /// From one element to the next.
    var stride: Int
    var kind: Kind
  }

  /// What an existential's words hold.
  struct Existential: BitwiseCopyable {
    var type: UInt = 0
    /// Whether the first word is a reference; no other is one.
    var isReference = false
  }

  private static let count = 128

  let plans: UnsafeMutablePointer<Plan>
  let existentials: UnsafeMutablePointer<Existential>

  init() {
    plans = .allocate(capacity: Self.count)
    plans.initialize(repeating: Self.none, count: Self.count)
    existentials = .allocate(capacity: Self.count)
    existentials.initialize(repeating: Existential(), count: Self.count)
  }

  deinit {
    plans.deallocate()
    existentials.deallocate()
  }

  @inline(__always)
  static func place(of metadata: UInt) -> Int {
    Int(truncatingIfNeeded: metadata >> 4 ^ metadata >> 11) & (count - 1)
  }

  /// Takes in the plan of objects with this metadata, if it is a plain one.
  func adopt(_ plan: UnsafePointer<HeapPlan>, metadata: UInt) {
    let plan = plan.pointee
    guard plan.tail == nil else { return }
    var plain = Self.none
    switch (plan.kind, plan.element?.pointee.slots) {
    case (.fields, _):
      guard let kind = Self.kind(of: plan.slots) else { return }
      (plain.kind, plain.byteCount) = (kind, plan.byteCount)
      if let slots = plan.slots.baseAddress { plain.slots = slots }
      plain.slotCount = plan.slots.count
    case (.array, let slots?):
      guard slots.count == 1, slots[0].offset == 0, slots[0].kind == .reference,
        let element = plan.element, element.pointee.alignmentMask <= 31
      else { return }
      (plain.kind, plain.byteCount, plain.stride) = (.elements, 32, element.pointee.stride)
    default: return
    }
    plain.metadata = metadata
    plans[Self.place(of: metadata)] = plain
  }

  private static func kind(of slots: UnsafeBufferPointer<Slot>) -> Plan.Kind? {
    var kind = Plan.Kind.references
    for slot in slots {
      switch slot.kind {
      case .reference, .box: break
      case .bridge, .closure, .existential, .enumeration: kind = .slots
      case .handle, .opaque: return nil
      }
    }
    return kind
  }

  /// A plan that no object has: none has as many bytes, whatever its first word is.
  private static var none: Plan {
    let slots = UnsafePointer<Slot>(bitPattern: 8).unsafelyUnwrapped
    return Plan(
      byteCount: .max,
      metadata: 0,
      slots: slots,
      slotCount: 0,
      stride: 1,
      kind: .slots
    )
  }

  /// Takes in what existentials with this type hold, if they hold a reference or nothing.
  func adopt(existentialOf type: TypeMetadata, store: PlanStore) {
    let address = UInt(bitPattern: type.pointer)
    let isReference: Bool
    if type.kind == .class || type.witnesses?.isBoxedInExistentials == true {
      isReference = true
    } else if type.witnesses != nil, store.layout(of: type).pointee.slots.isEmpty {
      isReference = false
    } else {
      return
    }
    existentials[Self.place(of: address)] = Existential(type: address, isReference: isReference)
  }
}
