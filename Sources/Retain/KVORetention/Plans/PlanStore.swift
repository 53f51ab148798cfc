internal import CKVORetention
internal import KVORetainRegistry

/// The plans of all types that walks have met.
///
/// State, all of it under the lock that `withShared` takes; metadata, and so what is found out about it,
/// stays for the life of the process, and plans with it:
/// - `plans`: by the metadata of heap objects.
/// - `contexts`: of closures in generic code, by their metadata and generic arguments.
/// - `layouts`: of values in existentials, by type.
/// - `enums`, `knownTraits`: by type and by descriptor.
/// - `pointees`: by type.
/// - `knownClasses`: set once. Plans that were made before are forgotten then, and their memory stays.
/// - `texts`: names, by the numbers that slots have of them.
final class PlanStore {
  /// Runs `body` with the plans, while no other thread has them.
  ///
  /// `body` runs no code of the program's: it could ask for a walk itself.
  static func withShared<Result, Failure: Error>(
    _ body: (PlanStore) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    kvos_walk_lock()
    defer { kvos_walk_unlock() }
    let store = shared
    store.adoptKnowledge()
    return try body(store)
  }

  /// Made by the first walk of a process, and again in a child that was forked in the middle of a walk.
  private static var shared: PlanStore {
    if let plans = kvos_shared_plans() {
      return Unmanaged<PlanStore>.fromOpaque(plans).takeUnretainedValue()
    }
    let store = PlanStore()
    kvos_share_plans(Unmanaged.passRetained(store).toOpaque())
    return store
  }

  /// Whether a known object was seen to hold what it holds.
  private(set) lazy var isReflected = ReflectionCanary().isUnderstood(by: self)

  let known = KnownTypes()
  /// What a room of this package knows of its classes; nil as long as there is no such room.
  private(set) var knownClasses: KnownClasses?
  // unchecked: who has the lock is the only one that reads or writes, and asks for it for every object.
  @exclusivity(unchecked)
  private var plans = AddressTable<UnsafePointer<HeapPlan>>()
  private var contexts: [[UInt]: UnsafePointer<HeapPlan>] = [:]
  @exclusivity(unchecked)
  private var layouts = AddressTable<UnsafePointer<ValueLayout>>()
  private var enums: [TypeMetadata: UnsafePointer<EnumPlan>] = [:]
  private var knownTraits: [NominalDescriptor: NominalTraits] = [:]
  /// Whether values of a type may have references or pointers in them; nil while that is being found out.
  private var pointees: [TypeMetadata: Bool?] = [:]
  private var texts: [String] = [""]
  private var textNumbers: [String: Int32] = ["": 0]

  /// How many plans of heap objects there are.
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

  /// Checks whether memory with values of a type may hold references, and remembers the answer.
  ///
  /// It may if the type leads to itself by pointers.
  func checkForReferences(in type: TypeMetadata) -> Bool {
    if let answer = pointees[type] { return answer ?? true }
    pointees[type] = .some(nil)
    let answer =
      type.witnesses?.isTrivial != true || !layout(of: type).pointee.slots.isEmpty
    pointees[type] = answer
    return answer
  }

  /// What was found out before about the type at an address, which has not been checked.
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

  /// How the cases of an enum are distinguished, or nil where its module does not say.
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

  /// The plan of objects with this metadata, where there has been one before.
  @inline(__always)
  func knownPlan(at metadata: UInt) -> UnsafePointer<HeapPlan>? { plans[metadata] }

  /// Makes the plan of objects with this metadata, which has been checked.
  @inline(never)
  func makePlan(of metadata: TypeMetadata) -> UnsafePointer<HeapPlan> {
    let plan = Self.keep(HeapPlanBuilder(store: self).plan(of: metadata))
    plans[UInt(bitPattern: metadata.pointer)] = plan
    planCount += 1
    return plan
  }

  /// The plan of blocks with this first word.
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

  /// The plan of a closure's context in generic code, which can be read as far as its metadata says.
  @inline(never)
  func contextPlan(of object: UnsafeRawPointer, memory: MemoryMap) -> UnsafePointer<HeapPlan> {
    let metadata = TypeMetadata(object.load(as: UnsafeRawPointer.self))
    let builder = ContextPlanBuilder(store: self, metadata: metadata)
    if let key = builder.key(of: object), let plan = contexts[key] { return plan }
    let found = builder.plan(of: object, memory: memory)
    let key = builder.key(of: object) ?? builder.key(found.arguments)
    if let plan = contexts[key] { return plan }
    let plan = Self.keep(found.plan)
    contexts[key] = plan
    planCount += 1
    return plan
  }

  // MARK: Memory that stays

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
