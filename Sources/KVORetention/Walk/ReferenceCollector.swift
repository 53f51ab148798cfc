internal import CKVORetention
internal import KVORules

/// Collects the references of one object after the other, whatever they are.
struct ReferenceCollector: ~Copyable, ReferenceVisitor {
  /// What could not be looked into in the latest object.
  struct Find {
    var reason: OpaqueReason
    var label: Int32
  }

  private let reader: ObjectReader
  private let scansOpaqueMemory: Bool
  /// The references of the latest object: addresses, and the bit of those that are suspected.
  private(set) var references = GrowingList<UInt>()
  private(set) var finds: [Find] = []
  /// Whether there was no memory for them.
  private(set) var isCut = false

  /// - Parameters:
  ///   - reader: the plans, and what can be read.
  ///   - scansOpaqueMemory: whether words in bytes that are not understood count as suspected references.
  init(reader: ObjectReader, scansOpaqueMemory: Bool) {
    self.reader = reader
    self.scansOpaqueMemory = scansOpaqueMemory
  }

  /// Reads the object at `address`, and returns its plan; nil where there is none that can be read.
  mutating func collect(_ address: UInt) -> UnsafePointer<HeapPlan>? {
    references.count = 0
    finds.removeAll(keepingCapacity: true)
    guard let plan = reader.plan(of: address), let object = UnsafeRawPointer(bitPattern: address)
    else {
      finds.append(Find(reason: .foreignObject, label: 0))
      return nil
    }
    reader.read(object, plan, &self)
    if plan.pointee.hasOpaque { meetTail(of: object, plan) }
    if !reader.attachments.isEmpty {
      for attachment in reader.attachments[address] ?? [] { kept(attachment.kept) }
    }
    return plan
  }

  // MARK: References

  /// Whether a word may be an address of this process that an object is at.
  ///
  /// The first page stands for nothing, whatever number is used for it.
  @inline(__always)
  static func mayRefer(_ word: UInt) -> Bool {
    word &- 4096 < 1 << 47 - 4096 && word & 7 == 0
  }

  mutating func reference(_ word: UInt, in slot: UnsafePointer<Slot>) {
    if Self.mayRefer(word) { append(word) }
  }

  mutating func closure(context: UInt, code: UInt, in slot: UnsafePointer<Slot>) {
    reference(context, in: slot)
  }

  mutating func kept(_ address: UInt) {
    if Self.mayRefer(address) { append(address) }
  }

  @inline(__always)
  private mutating func append(_ word: UInt) {
    guard references.reserve(1) else {
      isCut = true
      return
    }
    references.start[references.count] = word
    references.count &+= 1
  }

  mutating func enter(_ slot: UnsafePointer<Slot>) {}
  mutating func enter(element: ElementPlace) {}
  mutating func leave() {}

  // MARK: What is not understood

  mutating func opaque(
    _ bytes: UnsafeRawPointer,
    byteCount: Int,
    in slot: UnsafePointer<Slot>
  ) {
    if slot.pointee.kind == .handle || mayRefer(OpaqueBytes(bytes, byteCount: byteCount)) {
      finds.append(Find(reason: slot.pointee.reason, label: slot.pointee.label))
    }
  }

  /// Looks at the bytes behind the fields of an object.
  private mutating func meetTail(of object: UnsafeRawPointer, _ plan: UnsafePointer<HeapPlan>) {
    guard let reason = plan.pointee.tail else { return }
    guard let bytes = OpaqueBytes(behindFieldsOf: object, plan.pointee, memory: reader.memory)
    else {
      // How much there is behind the fields is not known. Key paths without arguments are mostly made
      // by the compiler, in static memory.
      if reason != .keyPathArguments { finds.append(Find(reason: reason, label: 0)) }
      return
    }
    if mayRefer(bytes) || reason == .task { finds.append(Find(reason: reason, label: 0)) }
  }

  /// Whether a word of the bytes may be a reference: where none is, nothing is missed by not
  /// understanding them.
  private mutating func mayRefer(_ bytes: OpaqueBytes) -> Bool {
    var candidates: [UInt] = []
    var known: [UInt] = []
    let looksFurther = scansOpaqueMemory || reader.store.knownClasses != nil
    bytes.forEachCandidate { candidate in
      if let plan = plan(ofWord: candidate) {
        if reader.isSurelyReferred(plan) {
          known.append(candidate)
        } else {
          candidates.append(candidate)
        }
      }
      return looksFurther || candidates.isEmpty
    }
    for address in known { kept(address) }
    guard scansOpaqueMemory else { return !candidates.isEmpty }
    for candidate in candidates { append(candidate | ReachedObjects.suspected) }
    return !candidates.isEmpty
  }

  private func plan(ofWord word: UInt) -> UnsafePointer<HeapPlan>? {
    Self.mayRefer(word) ? reader.plan(of: word) : nil
  }
}
