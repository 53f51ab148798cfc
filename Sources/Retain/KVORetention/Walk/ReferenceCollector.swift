internal import CKVORetention
internal import KVORetainRegistry

/// Collects the references of objects of any kind, one object at a time.
struct ReferenceCollector: ~Copyable, ReferenceVisitor {
  /// A part of the latest object that could not be inspected.
  struct Find {
    var reason: OpaqueReason
    var label: Int32
    /// Whether everything that the part may refer to was found.
    var isWhole: Bool
    /// The range of the part's suspected references in `references`, if those are collected.
    var suspected: Range<Int>
  }

  private let reader: ObjectReader
  /// The objects that were reached along references, if suspected references are collected, too.
  ///
  /// Any other object may have been freed: it is read only from copies.
  private let reached: ObjectGranules?
  /// Whether words that may be references are collected.
  private let followsWords: Bool
  private var suspectedCount = 0
  /// The depth to which words in opaque bytes of the latest object are followed, and that for its
  /// pointers.
  private var depth = PointerTargets.byteDepth
  private var pointerDepth = PointerTargets.pointerDepth
  /// The references of the latest object: addresses, with a bit that marks suspected ones.
  private(set) var references = GrowingList<UInt>(apart: 1024)
  private(set) var finds: [Find] = []
  /// Whether memory for them ran out.
  private(set) var isCut = false

  /// - Parameters:
  ///   - reader: the plans, and the memory that can be read.
  ///   - reached: the objects that a walk along references reached; nil for that walk itself. If it
  ///     is given, words that may be references are collected, too.
  ///   - followsWords: whether to collect those; otherwise objects that were not reached are only read
  ///     with the care for objects that may have been freed.
  init(
    reader: ObjectReader,
    suspectingBeside reached: ObjectGranules? = nil,
    followsWords: Bool = true
  ) {
    self.reader = reader
    self.reached = reached
    self.followsWords = followsWords && reached != nil
  }

  /// Reads the object at `address`, and returns its plan; nil if no readable object is there.
  mutating func collect(_ address: UInt) -> UnsafePointer<HeapPlan>? {
    references.count = 0
    if !finds.isEmpty { finds.removeAll(keepingCapacity: true) }
    depth = PointerTargets.byteDepth
    pointerDepth = PointerTargets.pointerDepth
    let isSuspected = reached.map { !$0.isReached(address) } ?? false
    if isSuspected {
      pointerDepth = depth
      if reader.targets.allocation(at: address) != nil {
        // The reference to this memory is already suspected.
        collectWords(at: address)
        return nil
      }
      switch reader.targets.target(of: address, depth: 0) {
      // The owner may free it at any time: an earlier result is not valid.
      case .object(HiddenAddress(address)) where reader.targets.isStillThere(address): break
      // The address was taken for that of an object, and no longer is one.
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
      // Another thread may be initializing it: its code must not run.
      meet(OpaqueBytes(object, byteCount: Int(plan.pointee.byteCount)), .notAsked, 0)
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

  /// Whether a word may be the address of an object in this process.
  ///
  /// No object is in the first page: small values are used as numbers.
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

  // MARK: Opaque parts

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

  /// Examines the bytes after the fields of an object whose class does not say that there are any.
  mutating func buffer(at address: UInt, in slot: UnsafePointer<Slot>) {
    guard Self.mayRefer(address), let plan = reader.plan(of: address), plan.pointee.tail == nil,
      plan.pointee.kind == .fields, let object = UnsafeRawPointer(bitPattern: address)
    else { return }
    let (reason, label) = (slot.pointee.reason, slot.pointee.label)
    guard let tail = OpaqueBytes.tail(of: object, plan.pointee, memory: reader.memory) else {
      return note(reason, label, from: references.count, isWhole: false)
    }
    for bytes in tail { meet(bytes, reason, label) }
  }

  /// Examines the bytes after the fields of an object.
  private mutating func meetTail(of object: UnsafeRawPointer, _ plan: UnsafePointer<HeapPlan>) {
    guard let reason = plan.pointee.tail else { return }
    let isTask = plan.pointee.kind == .task
    if isTask, reader.isFinished(object) { return }
    if isTask, reader.tasks == .none {
      return note(reason, 0, from: references.count, isWhole: false)
    }
    // Checked before its frames are read and after: it may start or stop in between.
    var isRunning = isTask && reader.isRunning(object)
    defer { if isRunning { note(reason, 0, from: references.count, isWhole: false) } }
    if let tail = OpaqueBytes.tail(of: object, plan.pointee, memory: reader.memory) {
      for bytes in tail { meet(bytes, reason, 0) }
      isRunning = isRunning || (isTask && reader.isRunning(object))
    } else if reason != .keyPathArguments {
      // The number of bytes after the fields is not known. Key paths without arguments are mostly
      // emitted by the compiler, in static memory.
      note(reason, 0, from: references.count, isWhole: false)
    }
  }

  /// Examines the captures of a generic closure that may have been freed.
  ///
  /// The memory of a freed context may not name valid types, so the runtime is not asked for them.
  private mutating func meetContext(_ object: UnsafeRawPointer, _ plan: HeapPlan) {
    guard let captures = OpaqueBytes.tail(of: object, plan, memory: reader.memory) else {
      return note(.genericCapture, 0, from: references.count, isWhole: false)
    }
    for bytes in captures { meet(bytes, .genericCapture, 0) }
  }

  /// Examines memory that a reference leads to, and that is not a Swift object.
  private mutating func collectMemory(at address: UInt) {
    let first = references.count
    guard followsWords else {
      // It is examined in the second walk, if other findings make that necessary.
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

  /// Examines the words of an allocation.
  ///
  /// Most are not pointers, and unused memory has words of earlier owners. A word that leads to
  /// memory of unknown bounds is ignored.
  private mutating func collectWords(at address: UInt) {
    guard let (allocation, depth) = reader.targets.allocation(at: address) else { return }
    // Stored first, because `body` cannot change `self`; as complements, because remains of the
    // list must not look like references.
    var words: [UInt] = []
    reader.targets.forEachWord(of: allocation) { words.append(~$0) }
    for word in words { _ = meet(pointer: ~word, depth: depth) }
  }

  /// Notes a part that could not be inspected.
  ///
  /// If no word in it leads anywhere, nothing is missed.
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
    // As complements, see above.
    var words: [UInt] = []
    let targets = reader.targets
    bytes.forEachCandidate { candidate in
      if targets.mayLead(candidate) { words.append(~candidate) }
      return true
    }
    for word in words { _ = meet(pointer: ~word, depth: depth) }
    if suspectedCount > before { note(reason, label, from: first, isWhole: true) }
  }

  /// Adds the targets of a pointer that is not reference-counted; false if their extent is not
  /// known.
  private mutating func meet(pointer word: UInt, depth: UInt8) -> Bool {
    guard reader.targets.mayLead(word) else { return true }
    // A program that observes has objects of this package; a word with the address of one is always
    // a reference.
    if reader.store.knownClasses != nil,
      case .object(let found) = reader.targets.target(of: word, depth: depth),
      case let address = found.address, let plan = reader.plan(of: address),
      reader.isSurelyReferred(plan)
    {
      kept(address)
      return true
    }
    guard followsWords else {
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
