/// What a loop that reads common objects has at hand: the plans of a walk that have nothing that is not
/// understood, and types of values in existentials.
///
/// Two tables, by metadata, in which the latest has the place.
struct PlainPlans: ~Copyable {
  struct Plan: BitwiseCopyable {
    /// The objects' first word; 0 where there is no plan.
    var metadata: UInt = 0
    var byteCount: UInt = 0
    /// Of an object, or of an element of an array.
    var slots: UnsafePointer<Slot>?
    var slotCount = 0
    /// From one element of an array to the next; 0 for other objects.
    var stride = 0
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
    plans.initialize(repeating: Plan(), count: Self.count)
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
    var plain = Plan(metadata: metadata, byteCount: plan.byteCount)
    switch (plan.kind, plan.element?.pointee) {
    case (.fields, _): plain.take(plan.slots)
    // Elements that are a reference, behind the header and the count.
    case (.array, let element?) where element.slots.count == 1 && element.slots[0].offset == 0:
      guard element.slots[0].kind == .reference, element.alignmentMask <= 31 else { return }
      plain.byteCount = 32
      plain.stride = element.stride
      plain.take(element.slots)
    default: return
    }
    if plain.slots != nil { plans[Self.place(of: metadata)] = plain }
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

extension PlainPlans.Plan {
  fileprivate mutating func take(_ slots: UnsafeBufferPointer<Slot>) {
    let isPlain = slots.allSatisfy { slot in
      switch slot.kind {
      case .reference, .box, .bridge, .closure, .existential, .enumeration: true
      case .handle, .opaque: false
      }
    }
    guard isPlain else { return }
    // A plan without slots needs a pointer that is none of nothing.
    self.slots = slots.baseAddress ?? UnsafePointer(bitPattern: 8)
    slotCount = slots.count
  }
}
