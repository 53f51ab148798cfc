internal import CKVORetention
internal import KVORules

/// Walks from roots along strong references, each object once, nearest first.
///
/// Memory is what it waits for: the objects ahead in the queue are fetched before it comes to them.
struct GraphWalk: ~Copyable {
  private static let fetchDistance = 12

  private let reader: ObjectReader
  private var visitor: GraphVisitor

  /// - Parameters:
  ///   - reader: the plans, and what can be read.
  ///   - scansOpaqueMemory: whether words in bytes that are not understood count as suspected
  ///     references.
  init(reader: ObjectReader, scansOpaqueMemory: Bool) {
    self.reader = reader
    visitor = GraphVisitor(reader: reader, scansOpaqueMemory: scansOpaqueMemory)
  }

  /// The graph of what is reached from `roots`.
  ///
  /// - Complexity: O(n) in objects and references.
  consuming func graph(from roots: [UInt]) -> ObjectGraph {
    for root in roots { visitor.addRoot(root) }
    var metadata: UInt = 0
    var known: UnsafePointer<HeapPlan>?
    let hasAttachments = !reader.attachments.isEmpty
    var index = 0
    while index < visitor.graph.addresses.count {
      visitor.begin(index)
      if index + Self.fetchDistance < visitor.graph.addresses.count {
        let ahead = visitor.graph.addresses[index + Self.fetchDistance]
        kvos_fetch(ahead)
        kvos_fetch(ahead &+ 64)
      }
      let address = visitor.graph.addresses[index]
      index += 1
      guard address & 7 == 0, reader.memory.isReadable(address, 16),
        let object = UnsafeRawPointer(bitPattern: address)
      else {
        visitor.meetForeign()
        continue
      }
      let word = object.load(as: UInt.self)
      if word != metadata {
        metadata = word
        known = reader.plan(metadata: word)
      }
      guard let shared = known, let plan = reader.resolved(shared, of: object) else {
        visitor.meetForeign()
        continue
      }
      reader.read(object, plan, &visitor)
      if plan.pointee.hasOpaque { visitor.meetTail(of: object, plan) }
      if hasAttachments { visitor.meetAttachments(of: address) }
    }
    visitor.end()
    return visitor.takeGraph()
  }
}

/// Puts what a walk reads into a graph.
private struct GraphVisitor: ~Copyable, ReferenceVisitor {
  private let reader: ObjectReader
  private let scansOpaqueMemory: Bool
  private var numbers = ObjectNumbers()
  private(set) var graph = ObjectGraph()
  /// The object that is read.
  private var current = 0

  init(reader: ObjectReader, scansOpaqueMemory: Bool) {
    self.reader = reader
    self.scansOpaqueMemory = scansOpaqueMemory
  }

  // MARK: Objects

  mutating func addRoot(_ address: UInt) {
    _ = number(of: address)
    graph.rootCount = graph.addresses.count
  }

  @inline(__always)
  mutating func begin(_ object: Int) {
    current = object
    graph.firstEdges.append(UInt32(truncatingIfNeeded: graph.edges.count))
  }

  mutating func end() {
    graph.firstEdges.append(UInt32(truncatingIfNeeded: graph.edges.count))
    graph.isCut = graph.isCut || numbers.isExhausted
  }

  consuming func takeGraph() -> ObjectGraph { graph }

  // MARK: References

  @inline(__always)
  mutating func reference(_ word: UInt, in slot: UnsafePointer<Slot>) {
    // The first page stands for nothing, whatever number is used for it.
    guard word >= 4096, word & 7 == 0, word >> 47 == 0 else { return }
    let number = number(of: word)
    if number != .max { graph.edges.append(number) }
  }

  @inline(__always)
  mutating func closure(context: UInt, code: UInt, in slot: UnsafePointer<Slot>) {
    reference(context, in: slot)
  }

  mutating func kept(_ address: UInt) {
    let number = number(of: address)
    if number != .max { graph.edges.append(number) }
  }

  mutating func meetAttachments(of address: UInt) {
    for attachment in reader.attachments[address] ?? [] { kept(attachment.kept) }
  }

  @inline(__always)
  mutating func enter(_ slot: UnsafePointer<Slot>) {}
  @inline(__always)
  mutating func enter(element: ElementPlace) {}
  @inline(__always)
  mutating func leave() {}

  /// The number of the object at `address`, `.max` where no more can be taken in.
  @inline(__always)
  private mutating func number(of address: UInt) -> UInt32 {
    let next = UInt32(truncatingIfNeeded: graph.addresses.count)
    guard address & 15 == 0 else { return oddNumber(of: address, next: next) }
    guard let place = numbers.place(of: address) else { return .max }
    let known = place.pointee
    if known != 0 { return known - 1 }
    guard isRoom(next) else { return .max }
    place.pointee = next + 1
    graph.addresses.append(address)
    return next
  }

  @inline(never)
  private mutating func oddNumber(of address: UInt, next: UInt32) -> UInt32 {
    guard isRoom(next) else { return .max }
    let number = numbers.oddNumber(of: address, next: next)
    if number == next { graph.addresses.append(address) }
    return number
  }

  /// Numbers have 31 bits, and edges are counted in 32.
  @inline(__always)
  private mutating func isRoom(_ next: UInt32) -> Bool {
    if next < ObjectGraph.suspected - 2, graph.edges.count < UInt32.max - 2 { return true }
    graph.isCut = true
    return false
  }

  // MARK: What is not understood

  mutating func meetForeign() {
    graph.opaque.append(.init(object: UInt32(current), reason: .foreignObject, label: 0))
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
    graph.opaque.append(.init(object: UInt32(current), reason: reason, label: label))
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
      let number = number(of: candidate)
      if number != .max { graph.edges.append(number | ObjectGraph.suspected) }
    }
    return !candidates.isEmpty
  }

  private func plan(ofWord word: UInt) -> UnsafePointer<HeapPlan>? {
    word >= 4096 && word >> 47 == 0 ? reader.plan(of: word) : nil
  }
}
