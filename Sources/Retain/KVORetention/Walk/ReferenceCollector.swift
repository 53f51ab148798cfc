internal import CKVORetention
internal import KVORetainRegistry

/// Collects the references of one object after the other, whatever they are.
struct ReferenceCollector: ~Copyable, ReferenceVisitor {
  /// What could not be looked into in the latest object.
  struct Find {
    var reason: OpaqueReason
    var label: Int32
    /// Whether all that it may refer to was found.
    var isWhole: Bool
    /// Which of the references are its suspected ones, if those are collected.
    var suspected: Range<Int>
  }

  private let reader: ObjectReader
  /// Where the objects are that were reached by references, if suspected ones are collected, too.
  ///
  /// Of any other object it is not known whether it is alive: what was found of it from copies counts.
  private let reached: ObjectGranules?
  private var suspectedCount = 0
  /// How far words in bytes of the latest object are followed, and its pointers.
  private var depth = PointerTargets.byteDepth
  private var pointerDepth = PointerTargets.pointerDepth
  /// The references of the latest object: addresses, and the bit of those that are suspected.
  private(set) var references = GrowingList<UInt>(apart: 1024)
  private(set) var finds: [Find] = []
  /// Whether there was no memory for them.
  private(set) var isCut = false

  /// - Parameters:
  ///   - reader: the plans, and what can be read.
  ///   - reached: what a walk reached that followed references alone; nil for that walk itself. If it is given,
  ///     words are collected, too, which may be references.
  init(reader: ObjectReader, suspectingBeside reached: ObjectGranules? = nil) {
    self.reader = reader
    self.reached = reached
  }

  /// Reads the object at `address`, and returns its plan; nil where there is none that can be read.
  mutating func collect(_ address: UInt) -> UnsafePointer<HeapPlan>? {
    references.count = 0
    if !finds.isEmpty { finds.removeAll(keepingCapacity: true) }
    depth = PointerTargets.byteDepth
    pointerDepth = PointerTargets.pointerDepth
    let isSuspected = reached.map { !$0.isReached(address) } ?? false
    if isSuspected {
      pointerDepth = depth
      if reader.targets.allocation(at: address) != nil {
        // Whoever led here is in doubt already.
        collectWords(at: address)
        return nil
      }
      switch reader.targets.target(of: address, depth: 0) {
      // Whoever has it may free it at any time: what was found a while ago does not count.
      case .object(HiddenAddress(address)) where reader.targets.isStillThere(address): break
      // What was taken for an object with such a reference is none any more.
      default: return nil
      }
    }
    guard let object = UnsafeRawPointer(bitPattern: address) else { return nil }
    if isSuspected, let context = reader.genericContext(at: object) {
      meetContext(object, context.pointee)
      return nil
    }
    guard let plan = reader.plan(of: address) else {
      collectMemory(at: address)
      return nil
    }
    if isSuspected, plan.pointee.kind == .asked {
      // Another thread may be making it: none of its code may run.
      meet(OpaqueBytes(object, byteCount: Int(plan.pointee.byteCount)), .foreignObject, 0)
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
  mutating func enter(element: ElementPosition) {}
  mutating func leave() {}

  // MARK: What is not understood

  mutating func opaque(
    _ bytes: UnsafeRawPointer,
    byteCount: Int,
    in slot: UnsafePointer<Slot>
  ) {
    guard slot.pointee.kind == .handle else {
      return meet(
        OpaqueBytes(bytes, byteCount: byteCount),
        slot.pointee.reason,
        slot.pointee.label
      )
    }
    let (first, before) = (references.count, suspectedCount)
    let isWhole = meet(pointer: bytes.load(as: UInt.self), depth: pointerDepth)
    if !isWhole || suspectedCount > before {
      note(slot.pointee.reason, slot.pointee.label, from: first, isWhole: isWhole)
    }
  }

  /// Looks at the bytes behind the fields of an object.
  private mutating func meetTail(of object: UnsafeRawPointer, _ plan: UnsafePointer<HeapPlan>) {
    guard let reason = plan.pointee.tail else { return }
    let isTask = plan.pointee.kind == .task
    if isTask, reader.isFinished(object) { return }
    // Asked before its frames are read and after: it may start or stop running in between.
    var isRunning = isTask && reader.isRunning(object)
    defer { if isRunning { note(reason, 0, from: references.count, isWhole: false) } }
    if let tail = OpaqueBytes.behindFields(of: object, plan.pointee, memory: reader.memory) {
      for bytes in tail { meet(bytes, reason, 0) }
      isRunning = isRunning || (isTask && reader.isRunning(object))
    } else if reason != .keyPathArguments {
      // How much there is behind the fields is not known. Key paths without arguments are mostly made
      // by the compiler, in static memory.
      note(reason, 0, from: references.count, isWhole: false)
    }
  }

  /// Looks at what a closure of generic code captured, if it may be freed already.
  ///
  /// What is left of it may name no types: the runtime is not asked for them.
  private mutating func meetContext(_ object: UnsafeRawPointer, _ plan: HeapPlan) {
    guard let captures = OpaqueBytes.behindFields(of: object, plan, memory: reader.memory) else {
      return note(.genericCapture, 0, from: references.count, isWhole: false)
    }
    for bytes in captures { meet(bytes, .genericCapture, 0) }
  }

  /// Looks at memory that a reference leads to, and that is no object of Swift's.
  private mutating func collectMemory(at address: UInt) {
    let first = references.count
    guard reached != nil else {
      // It is looked at if there is anything else to be settled, and now is not the time.
      suspectedCount &+= 1
      return note(.foreignObject, 0, from: first, isWhole: true)
    }
    _ = reader.targets.target(of: address, depth: pointerDepth)
    guard reader.targets.allocation(at: address) != nil else {
      return note(.foreignObject, 0, from: first, isWhole: false)
    }
    let before = suspectedCount
    collectWords(at: address)
    if suspectedCount > before { note(.foreignObject, 0, from: first, isWhole: true) }
  }

  /// Looks at the words of an allocation.
  ///
  /// Most are no pointers, and what its owner does not use has words that others left: one that leads to memory of
  /// which it is not known where it begins and ends is passed over.
  private mutating func collectWords(at address: UInt) {
    guard let (allocation, depth) = reader.targets.allocation(at: address) else { return }
    // Collected apart, because `body` cannot change what it is called for; as complements, because what is left
    // of the list must not look like references.
    var words: [UInt] = []
    reader.targets.forEachWord(of: allocation) { words.append(~$0) }
    for word in words { _ = meet(pointer: ~word, depth: depth) }
  }

  /// Notes what could not be looked into.
  ///
  /// If no word in it leads anywhere nothing is missed by not understanding it.
  private mutating func note(
    _ reason: OpaqueReason,
    _ label: Int32,
    from first: Int,
    isWhole: Bool
  ) {
    finds.append(
      Find(
        reason: reason,
        label: label,
        isWhole: isWhole,
        suspected: first..<references.count
      )
    )
  }

  private mutating func meet(_ bytes: OpaqueBytes, _ reason: OpaqueReason, _ label: Int32) {
    let (first, before) = (references.count, suspectedCount)
    // As complements, as above.
    var words: [UInt] = []
    let targets = reader.targets
    bytes.forEachCandidate { candidate in
      if targets.mayLead(candidate) { words.append(~candidate) }
      return true
    }
    for word in words { _ = meet(pointer: ~word, depth: depth) }
    if suspectedCount > before { note(reason, label, from: first, isWhole: true) }
  }

  /// Takes in what a pointer that is not counted leads to; false if how far that goes is not known.
  private mutating func meet(pointer word: UInt, depth: UInt8) -> Bool {
    guard reader.targets.mayLead(word) else { return true }
    // A program that observes has objects of this package, words to which are references for sure.
    if reader.store.knownClasses != nil,
      case .object(let found) = reader.targets.target(of: word, depth: depth),
      case let address = found.address, let plan = reader.plan(of: address),
      reader.isSurelyReferred(plan)
    {
      kept(address)
      return true
    }
    guard reached != nil else {
      suspectedCount &+= 1
      return true
    }
    switch reader.targets.target(of: word, depth: depth) {
    case .object(let found):
      suspect(found.address)
      return true
    case .allocation(let allocation):
      suspect(allocation.start)
      return true
    case .nothing: return true
    case .unknown: return false
    }
  }

  private mutating func suspect(_ address: UInt) {
    suspectedCount &+= 1
    append(address | ReachedObjects.suspected)
  }
}
