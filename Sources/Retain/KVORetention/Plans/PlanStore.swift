internal import CKVORetention
internal import KVORetainRegistry

/// The plans for all types that walks have met.
///
/// All state is guarded by the lock that `withShared` takes. Metadata exists for the life of the
/// process, and so do facts about it and plans:
/// - `plans`: by the metadata of heap objects.
/// - `contexts`: for closures in generic code, by their metadata and generic arguments.
/// - `layouts`: for values in existentials, by type.
/// - `enums`, `knownTraits`: by type and by descriptor.
/// - `pointees`: by type.
/// - `knownClasses`: set once. Earlier plans are then dropped, and their memory is not freed.
/// - `texts`: labels, by the index that slots store.
final class PlanStore {
  /// Runs `body` with exclusive access to the plans.
  ///
  /// `body` must not run code of the program, which might start another walk.
  static func withShared<Result, Failure: Error>(
    _ body: (PlanStore) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    kvos_walk_lock()
    defer { kvos_walk_unlock() }
    let store = shared
    store.adoptKnowledge()
    return try body(store)
  }

  /// Created by the first walk of a process, and again in a child that was forked during a walk.
  private static var shared: PlanStore {
    if let plans = kvos_shared_plans() {
      return Unmanaged<PlanStore>.fromOpaque(plans).takeUnretainedValue()
    }
    let store = PlanStore()
    kvos_share_plans(Unmanaged.passRetained(store).toOpaque())
    return store
  }

  /// Whether a walk of a known object finds what the object holds.
  private(set) lazy var isReflected = ReflectionCanary().isUnderstood(by: self)

  let known = KnownTypes()
  /// The classes of this package that have a description of their references; nil if there is none.
  private(set) var knownClasses: KnownClasses?
  // unchecked: only the thread that holds the lock reads and writes it, and does so for every
  // object.
  @exclusivity(unchecked)
  private var plans = AddressTable<UnsafePointer<HeapPlan>>()
  private var contexts: [[UInt]: UnsafePointer<HeapPlan>] = [:]
  @exclusivity(unchecked)
  private var layouts = AddressTable<UnsafePointer<ValueLayout>>()
  private var enums: [TypeMetadata: UnsafePointer<EnumPlan>] = [:]
  private var knownTraits: [NominalDescriptor: NominalTraits] = [:]
  /// Whether values of a type may contain references or pointers; nil while this is being
  /// determined.
  private var pointees: [TypeMetadata: Bool?] = [:]
  private var texts: [String] = [""]
  private var textNumbers: [String: Int32] = ["": 0]

  /// The number of plans for heap objects.
  private(set) var planCount = 0

  private func adoptKnowledge() {
    guard knownClasses == nil, let knowledge = RetainRegistry.knowledge else { return }
    knownClasses = KnownClasses(knowledge)
    plans = AddressTable()
  }

  // MARK: Texts

  func textNumber(_ text: String) -> Int32 {
    if text.isEmpty { return 0 }
    if let number = textNumbers[text] { return number }
    let number = Int32(texts.count)
    texts.append(text)
    textNumbers[text] = number
    return number
  }

  func text(_ number: Int32) -> String { texts[Int(number)] }

  // MARK: Types

  func traits(of descriptor: NominalDescriptor) -> NominalTraits {
    if let traits = knownTraits[descriptor] { return traits }
    let traits = NominalTraits(descriptor, known: known)
    knownTraits[descriptor] = traits
    return traits
  }

  /// The slots of values of a type whose metadata has been checked.
  @inline(__always)
  func layout(of type: TypeMetadata) -> UnsafePointer<ValueLayout> {
    layouts[UInt(bitPattern: type.pointer)] ?? makeLayout(of: type)
  }

  /// Checks whether memory with values of a type may hold references, and caches the result.
  ///
  /// A type that leads to itself by pointers may.
  func checkForReferences(in type: TypeMetadata) -> Bool {
    if let answer = pointees[type] { return answer ?? true }
    pointees[type] = .some(nil)
    let answer =
      type.witnesses?.isTrivial != true || !layout(of: type).pointee.slots.isEmpty
    pointees[type] = answer
    return answer
  }

  /// Checks the same for values of the first generic arguments of a type.
  func checkForReferences(inArguments count: Int, of type: NominalType) -> Bool {
    guard let arguments = type.arguments else { return false }
    return (0..<count).contains { index in
      arguments[index].map { checkForReferences(in: TypeMetadata($0)) } ?? true
    }
  }

  /// The cached layout of the type at an address, which may be unchecked.
  @inline(__always)
  func knownLayout(at address: UInt) -> UnsafePointer<ValueLayout>? { layouts[address] }

  @inline(never)
  private func makeLayout(of type: TypeMetadata) -> UnsafePointer<ValueLayout> {
    var builder = LayoutBuilder(store: self)
    builder.add(type, at: 0, label: "")
    let witnesses = type.witnesses
    let layout = Self.keep(
      ValueLayout(
        slots: Self.keep(builder.slots),
        size: witnesses?.size ?? 8,
        stride: witnesses?.stride ?? 8,
        alignmentMask: witnesses?.alignmentMask ?? 7
      )
    )
    layouts[UInt(bitPattern: type.pointer)] = layout
    return layout
  }

  /// How the cases of an enum are distinguished, or nil if its module has no reflection metadata.
  func enumPlan(of type: TypeMetadata, depth: Int) -> UnsafePointer<EnumPlan>? {
    if let plan = enums[type] { return plan }
    guard let nominal = type.nominal, let fields = nominal.descriptor.fields,
      let size = type.witnesses?.size
    else { return nil }
    let isStandardLibrary = traits(of: nominal.descriptor).isStandardLibrary
    var cases: [EnumPlan.Case] = []
    for index in 0..<fields.count {
      let field = fields[index]
      guard let name = field.mangledType else { break }
      var builder = LayoutBuilder(store: self)
      let label = isStandardLibrary ? "" : field.name
      if field.isIndirect {
        builder.addBox(label: label)
      } else {
        builder.add(
          MangledTypeName(name),
          in: .nominal(nominal),
          at: 0,
          room: size,
          label: label,
          depth: depth
        )
      }
      cases.append(EnumPlan.Case(slots: Self.keep(builder.slots)))
    }
    let plan = Self.keep(
      EnumPlan(
        type: type.pointer,
        size: size,
        needsProjection: cases.count > 1,
        cases: Self.keep(cases)
      )
    )
    enums[type] = plan
    return plan
  }

  // MARK: Heap objects

  /// The cached plan for objects with this metadata, or nil.
  @inline(__always)
  func knownPlan(at metadata: UInt) -> UnsafePointer<HeapPlan>? { plans[metadata] }

  /// Creates the plan for objects with this metadata, which has been checked.
  @inline(never)
  func makePlan(of metadata: TypeMetadata) -> UnsafePointer<HeapPlan> {
    let plan = Self.keep(HeapPlanBuilder(store: self).plan(of: metadata))
    plans[UInt(bitPattern: metadata.pointer)] = plan
    planCount += 1
    return plan
  }

  /// Creates the plan for blocks with this first word.
  @inline(never)
  func makePlan(ofBlocks isa: UInt) -> UnsafePointer<HeapPlan> {
    let plan = Self.keep(
      HeapPlan(
        kind: .block,
        role: .storage,
        byteCount: UInt(MemoryLayout<KVOSBlock>.size),
        slots: Self.keep([
          Slot(kind: .closure, offset: 0, label: 0),
          Slot(kind: .opaque, reason: .block, offset: 0, label: 0),
          Slot(kind: .reference, offset: 0, label: 0),
        ])
      )
    )
    plans[isa] = plan
    planCount += 1
    return plan
  }

  /// The plan for a closure's context in generic code, which can be read as far as its metadata
  /// says.
  @inline(never)
  ///
  /// - Parameters:
  ///   - object: the context.
  ///   - shared: the plan for all contexts with its metadata.
  ///   - memory: the memory that can be read.
  func contextPlan(
    of object: UnsafeRawPointer,
    like shared: UnsafePointer<HeapPlan>,
    memory: MemoryMap
  ) -> UnsafePointer<HeapPlan> {
    guard let metadata = shared.pointee.metadata.map({ TypeMetadata($0) }) else { return shared }
    let builder = ContextPlanBuilder(store: self, metadata: metadata)
    if let key = builder.key(of: object, memory: memory), let plan = contexts[key] { return plan }
    let found = builder.draft(of: object, memory: memory)
    let key = builder.key(of: object, memory: memory) ?? builder.key(found.arguments)
    if let plan = contexts[key] { return plan }
    let plan = Self.keep(found.keptPlan)
    contexts[key] = plan
    planCount += 1
    return plan
  }

  // MARK: Memory that is never freed

  static func keep<Value>(_ value: Value) -> UnsafePointer<Value> {
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    memory.initialize(to: value)
    return UnsafePointer(memory)
  }

  static func keep<Value>(_ values: [Value]) -> UnsafeBufferPointer<Value> {
    guard !values.isEmpty else { return UnsafeBufferPointer(start: nil, count: 0) }
    let memory = UnsafeMutableBufferPointer<Value>.allocate(capacity: values.count)
    _ = memory.initialize(from: values)
    return UnsafeBufferPointer(memory)
  }
}
