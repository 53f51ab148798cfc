internal import CKVORetention
internal import KVORules

/// Walks from roots along strong references, each object once, nearest first.
///
/// Most objects are of a few classes, have nothing that is not understood and lie in one mapping: a loop
/// reads those with what it has at hand. Whatever else there is, it leaves to `readNext`, which asks
/// anew.
struct GraphWalk: ~Copyable {
  private static let fetchDistance = 16

  private let reader: ObjectReader
  private var visitor: GraphVisitor
  private let plain = PlainPlans()

  /// - Parameters:
  ///   - reader: the plans, and what can be read.
  ///   - scansOpaqueMemory: whether words in bytes that are not understood count as suspected
  ///     references.
  init(reader: ObjectReader, scansOpaqueMemory: Bool) {
    self.reader = reader
    visitor = GraphVisitor(reader: reader, scansOpaqueMemory: scansOpaqueMemory)
  }

  /// What is reached from `roots`.
  ///
  /// - Complexity: O(n) in objects and references.
  consuming func reached(from roots: [UInt]) -> ReachedObjects {
    for root in roots { visitor.addRoot(root) }
    var index = 0
    while index < visitor.reached.addresses.count, !visitor.reached.isCut {
      index = readPlain(from: index)
      guard index < visitor.reached.addresses.count, !visitor.reached.isCut else { break }
      readNext(index)
      index += 1
    }
    visitor.end()
    return visitor.takeReached()
  }

  // MARK: Any object

  private mutating func readNext(_ index: Int) {
    guard visitor.begin(index) else { return }
    let address = visitor.reached.addresses[index]
    guard address & 7 == 0, reader.memory.isReadable(address, 16),
      let object = UnsafeRawPointer(bitPattern: address)
    else { return visitor.meetForeign() }
    let metadata = object.load(as: UInt.self)
    guard let shared = reader.plan(metadata: metadata),
      let plan = reader.resolved(shared, of: object)
    else { return visitor.meetForeign() }
    reader.read(object, plan, &visitor)
    if plan.pointee.hasOpaque { visitor.meetTail(of: object, plan) }
    if !reader.attachments.isEmpty {
      visitor.meetAttachments(of: address)
    } else if !reader.memory.isSanitized {
      plain.adopt(plan, metadata: metadata)
    }
  }

  // MARK: Common objects

  /// Reads objects from `first` on until one that has to be looked at closer, and returns which.
  ///
  /// Before an object is read, in this order:
  /// 1. its first two words lie in the mapping that was asked for last;
  /// 2. its first word is metadata of which there is a plan, and that was checked when the plan was made;
  /// 3. as many bytes as the plan reads lie in the mapping, too;
  /// 4. there is room for as many references and objects as it may have.
  ///
  /// An object is left at any word that needs more than that. It is read again then: what it has led to
  /// so far is known already, and its references do not count.
  private mutating func readPlain(from first: Int) -> Int {
    var index = first
    let region = reader.memory.latest
    let (start, length) = (region.start, region.end - region.start)
    let plans = plain.plans
    let firstEdges = visitor.reached.firstEdges.start
    var taken = TakenReferences(visitor.reached, plain.existentials)
    while index < taken.addressCount {
      kvos_fetch(taken.addresses[min(index &+ Self.fetchDistance, taken.addressCount &- 1)])
      let address = taken.addresses[index]
      let place = address &- start
      guard place < length, address & 7 == 0, let object = UnsafeRawPointer(bitPattern: address)
      else { break }
      let room = length &- place
      guard room >= 16 else { break }
      let metadata = object.load(as: UInt.self)
      let plan = plans + PlainPlans.place(of: metadata)
      guard plan.pointee.metadata == metadata, plan.pointee.byteCount <= room,
        taken.spareCount >= plan.pointee.slotCount
      else { break }
      let edgeCount = taken.edgeCount
      firstEdges[index] = UInt32(truncatingIfNeeded: edgeCount)
      let isRead =
        switch plan.pointee.kind {
        case .references: taken.takeReferences(of: object, plan)
        case .slots: taken.takeSlots(of: object, plan)
        case .elements: taken.takeElements(of: object, plan, byteCount: room)
        }
      guard isRead else {
        taken.edgeCount = edgeCount
        break
      }
      index &+= 1
    }
    visitor.reached.addresses.count = taken.addressCount
    visitor.reached.edges.count = taken.edgeCount
    visitor.reached.firstEdges.count = index
    if let type = reader.knownType(at: taken.unknownType) {
      plain.adopt(existentialOf: type, store: reader.store)
    }
    return index
  }
}

/// The end of what was reached, for a loop that appends to it where there is room.
///
/// What it takes is read; it answers false where something needs a closer look.
private struct TakenReferences {
  let addresses: UnsafeMutablePointer<UInt>
  private let addressCapacity: Int
  private let edges: UnsafeMutablePointer<UInt>
  private let edgeCapacity: Int
  private let pieces: UnsafeMutablePointer<ObjectMarks.Piece?>
  private let existentials: UnsafeMutablePointer<PlainPlans.Existential>
  private(set) var addressCount: Int
  var edgeCount: Int
  /// A type in an existential that nothing was known of; 0 where there was none.
  private(set) var unknownType: UInt = 0

  @inline(__always)
  init(
    _ reached: borrowing ReachedObjects,
    _ existentials: UnsafeMutablePointer<PlainPlans.Existential>
  ) {
    addresses = reached.addresses.start
    addressCapacity = reached.addresses.capacity
    edges = reached.edges.start
    edgeCapacity = reached.edges.capacity
    pieces = reached.marks.pieces
    self.existentials = existentials
    addressCount = reached.addresses.count
    edgeCount = reached.edges.count
  }

  /// For how many references there is room, each of which may lead to a new object.
  var spareCount: Int {
    @inline(__always)
    get { min(addressCapacity &- addressCount, edgeCapacity &- edgeCount) }
  }

  @inline(__always)
  mutating func takeReferences(
    of object: UnsafeRawPointer,
    _ plan: UnsafePointer<PlainPlans.Plan>
  ) -> Bool {
    var slot = plan.pointee.slots
    let end = slot + plan.pointee.slotCount
    while slot < end {
      guard take((object + Int(slot.pointee.offset)).load(as: UInt.self)) else { return false }
      slot += 1
    }
    return true
  }

  /// Takes in the elements of an array, behind its header and count, as many as lie in `byteCount` bytes.
  @inline(__always)
  mutating func takeElements(
    of object: UnsafeRawPointer,
    _ plan: UnsafePointer<PlainPlans.Plan>,
    byteCount: UInt
  ) -> Bool {
    let count = object.load(fromByteOffset: 16, as: Int.self)
    let stride = plan.pointee.stride
    guard count >= 0, count <= spareCount, count <= (Int(bitPattern: byteCount) &- 32) / stride
    else { return false }
    var element = object + 32
    for _ in 0..<count {
      guard take(element.load(as: UInt.self)) else { return false }
      element += stride
    }
    return true
  }

  @inline(__always)
  mutating func takeSlots(
    of object: UnsafeRawPointer,
    _ plan: UnsafePointer<PlainPlans.Plan>
  ) -> Bool {
    var slot = plan.pointee.slots
    let end = slot + plan.pointee.slotCount
    while slot < end {
      let place = object + Int(slot.pointee.offset)
      var word = place.load(as: UInt.self)
      switch slot.pointee.kind {
      case .reference, .box: break
      case .closure: word = word >= 4096 ? place.load(fromByteOffset: 8, as: UInt.self) : 0
      case .bridge: word = word >> 63 == 0 ? word & 0x0fff_ffff_ffff_fff8 : 0
      case .existential:
        let type = place.load(fromByteOffset: 24, as: UInt.self)
        let known = existentials[PlainPlans.place(of: type)]
        guard known.type == type || type < 4096 else {
          unknownType = type
          return false
        }
        if type < 4096 || !known.isReference { word = 0 }
      case .enumeration:
        guard let plan = slot.pointee.enumPlan, !ObjectReader.hasPayload(plan, at: place) else {
          return false
        }
        word = 0
      case .handle, .opaque: return false
      }
      guard take(word) else { return false }
      slot += 1
    }
    return true
  }

  /// Takes in a reference, or a word that stands for none; false where nothing near it was marked before.
  @inline(__always)
  private mutating func take(_ word: UInt) -> Bool {
    guard GraphVisitor.mayRefer(word) else { return true }
    guard let piece = pieces[ObjectMarks.part(of: word)] else { return false }
    let marks = piece + ObjectMarks.word(of: word)
    let before = marks.pointee
    let bit = ObjectMarks.bit(of: word)
    marks.pointee = before | 1 &<< bit
    edges[edgeCount] = word
    edgeCount &+= 1
    addresses[addressCount] = word
    addressCount &+= Int(truncatingIfNeeded: before &>> bit & 1 ^ 1)
    return true
  }
}

/// Takes in what a walk reads.
private struct GraphVisitor: ~Copyable, ReferenceVisitor {
  private let reader: ObjectReader
  private let scansOpaqueMemory: Bool
  var reached = ReachedObjects()
  /// The object that is read.
  private var current = 0

  init(reader: ObjectReader, scansOpaqueMemory: Bool) {
    self.reader = reader
    self.scansOpaqueMemory = scansOpaqueMemory
    reached.isCut = !reached.marks.isUsable
  }

  // MARK: Objects

  mutating func addRoot(_ address: UInt) {
    guard Self.mayRefer(address), !reached.isCut else { return }
    reached.insert(address)
    reached.rootCount = reached.addresses.count
  }

  /// How many references an object of a plain plan may have without another look at the room there is.
  private static let room = 64

  /// Begins to read an object; false where there is no room for what it refers to.
  @inline(__always)
  mutating func begin(_ object: Int) -> Bool {
    current = object
    guard reached.reserve(Self.room) else {
      reached.isCut = true
      return false
    }
    reached.firstEdges.append(UInt32(truncatingIfNeeded: reached.edges.count))
    return true
  }

  /// Objects that were met and not read have no references.
  mutating func end() {
    let end = UInt32(truncatingIfNeeded: reached.edges.count)
    while reached.firstEdges.count <= reached.addresses.count { reached.firstEdges.append(end) }
  }

  consuming func takeReached() -> ReachedObjects { reached }

  // MARK: References

  /// Whether a word may be an address of this process that an object is at.
  ///
  /// The first page stands for nothing, whatever number is used for it.
  @inline(__always)
  static func mayRefer(_ word: UInt) -> Bool {
    word &- 4096 < 1 << 47 - 4096 && word & 7 == 0
  }

  @inline(__always)
  mutating func reference(_ word: UInt, in slot: UnsafePointer<Slot>) {
    if Self.mayRefer(word) { kept(word) }
  }

  @inline(__always)
  mutating func closure(context: UInt, code: UInt, in slot: UnsafePointer<Slot>) {
    reference(context, in: slot)
  }

  @inline(__always)
  mutating func kept(_ address: UInt) { reached.refer(to: address, suspected: 0) }

  mutating func meetAttachments(of address: UInt) {
    for attachment in reader.attachments[address] ?? [] { kept(attachment.kept) }
  }

  @inline(__always)
  mutating func enter(_ slot: UnsafePointer<Slot>) {}
  @inline(__always)
  mutating func enter(element: ElementPlace) {}
  @inline(__always)
  mutating func leave() {}

  // MARK: What is not understood

  mutating func meetForeign() {
    reached.opaque.append(.init(object: UInt32(current), reason: .foreignObject, label: 0))
  }

  mutating func opaque(
    _ bytes: UnsafeRawPointer,
    byteCount: Int,
    in slot: UnsafePointer<Slot>
  ) {
    if slot.pointee.kind == .handle || mayRefer(OpaqueBytes(bytes, byteCount: byteCount)) {
      meet(slot.pointee.reason, label: slot.pointee.label)
    }
  }

  /// Looks at the bytes behind the fields of an object.
  mutating func meetTail(of object: UnsafeRawPointer, _ plan: UnsafePointer<HeapPlan>) {
    guard let reason = plan.pointee.tail else { return }
    guard let bytes = OpaqueBytes(behindFieldsOf: object, plan.pointee, memory: reader.memory)
    else {
      // How much there is behind the fields is not known. Key paths without arguments are mostly made
      // by the compiler, in static memory.
      if reason != .keyPathArguments { meet(reason, label: 0) }
      return
    }
    if mayRefer(bytes) || reason == .task { meet(reason, label: 0) }
  }

  private mutating func meet(_ reason: OpaqueReason, label: Int32) {
    reached.opaque.append(.init(object: UInt32(current), reason: reason, label: label))
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
    for candidate in candidates {
      reached.refer(to: candidate, suspected: ReachedObjects.suspected)
    }
    return !candidates.isEmpty
  }

  private func plan(ofWord word: UInt) -> UnsafePointer<HeapPlan>? {
    Self.mayRefer(word) ? reader.plan(of: word) : nil
  }
}
