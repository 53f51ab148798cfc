internal import CKVORetention

/// Determines how to read a closure's context, from the compiler's description of its captures.
///
/// The captures follow the generic arguments that the context stores itself (its bindings), in
/// order and with their alignments. In generic code their types depend on words of the context, so
/// there is a plan for each set of arguments.
struct ContextPlanBuilder {
  let store: PlanStore
  private let record: KVOSContextMetadata
  private let metadata: TypeMetadata
  private let captures: CaptureList?

  /// Reads the captures in the metadata of a context, which has been checked.
  init(store: PlanStore, metadata: TypeMetadata) {
    self.store = store
    self.metadata = metadata
    record = metadata.record(KVOSContextMetadata.self).pointee
    captures = record.captures.map { CaptureList($0) }
  }

  private var start: Int { Int(record.offsetToFirstCapture) }

  /// Whether a context is read without reading what it captured.
  var isDecidedByBindings: Bool { captures?.isDecidedByBindings ?? true }

  /// A plan whose slots are not kept yet: one may be known that is equal.
  struct Draft {
    /// The plan without its slots.
    fileprivate var plan: HeapPlan
    private(set) var slots: [Slot] = []
    fileprivate(set) var arguments = CapturedArguments()

    fileprivate init(_ plan: HeapPlan, _ slots: [Slot] = []) {
      self.plan = plan
      self.slots = slots
    }

    /// The plan, with slots that exist for the life of the process.
    var keptPlan: HeapPlan {
      var plan = plan
      plan.slots = PlanStore.keep(slots)
      return plan
    }
  }

  /// The plan for all contexts with this metadata, or one that says that each context has its own.
  var fixedPlan: HeapPlan {
    guard let captures, start >= 16 else {
      return HeapPlan(
        kind: .fields,
        role: .context,
        tail: .undescribedCaptures,
        byteCount: 16,
        metadata: metadata.pointer
      )
    }
    guard captures.sourceCount == 0 else {
      return HeapPlan(
        kind: .genericContext,
        role: .context,
        byteCount: UInt(start + captures.bindingCount * 8),
        metadata: metadata.pointer
      )
    }
    return draft(captures) { _ in .none }.keptPlan
  }

  // MARK: Generic code

  /// A key that is equal for contexts with the same plan, if the bindings alone determine it.
  func key(of object: UnsafeRawPointer, memory: MemoryMap) -> [UInt]? {
    guard let captures, captures.isDecidedByBindings else { return nil }
    let isolation = isolationByteCount(of: object, captures, memory)
    let bindings = (object + start + isolation).assumingMemoryBound(to: UInt.self)
    return [UInt(bitPattern: metadata.pointer), UInt(isolation) << 1]
      + (0..<captures.bindingCount).map { bindings[$0] }
  }

  /// How many bytes the context has before its generic arguments.
  ///
  /// The context of an `@isolated(any)` closure, which begins a task, has its isolation there: an optional actor, of two
  /// words. Its description is that of any other closure, but the arguments are where metadata is.
  private func isolationByteCount(
    of object: UnsafeRawPointer,
    _ captures: CaptureList,
    _ memory: MemoryMap
  ) -> Int {
    guard let index = captures.firstBoundArgument else { return 0 }
    let check = MetadataCheck(memory: memory)
    func hasArgument(at offset: Int) -> Bool {
      let word = object + offset + index * 8
      return memory.isReadable(UInt(bitPattern: word), 8)
        && check.valueMetadata(at: word.load(as: UInt.self)) != nil
    }
    let isolation = 16
    return !hasArgument(at: start) && hasArgument(at: start + isolation) ? isolation : 0
  }

  /// The same if captured objects had to be read.
  func key(_ arguments: CapturedArguments) -> [UInt] {
    [UInt(bitPattern: metadata.pointer), 1]
      + arguments.levels.flatMap { [UInt($0.count)] + $0.flatMap { $0?.key ?? [0] } }
  }

  /// The plan for one context in generic code, and its generic arguments.
  func draft(of object: UnsafeRawPointer, memory: MemoryMap) -> Draft {
    guard let captures else { return Draft(fixedPlan) }
    var arguments = CapturedArguments()
    let isolation = isolationByteCount(of: object, captures, memory)
    let bindings = object + start + isolation
    var draft = draft(captures, isolationByteCount: isolation) { offsets in
      // A capture can determine the types of the following ones.
      arguments.take(captures, from: bindings, of: object, at: offsets, memory: memory)
      return arguments.environment
    }
    draft.arguments = arguments
    return draft
  }

  // MARK: Captures

  private func draft(
    _ captures: CaptureList,
    isolationByteCount: Int = 0,
    environment: ([Int]) -> GenericEnvironment
  ) -> Draft {
    var plan = HeapPlan(
      kind: .fields,
      role: .context,
      byteCount: 0,
      metadata: metadata.pointer
    )
    var builder = LayoutBuilder(store: store)
    var offsets: [Int] = []
    if isolationByteCount > 0 { builder.addReference(at: start, label: "isolation") }
    var end = start + isolationByteCount + captures.bindingCount * 8
    for index in 0..<captures.count {
      guard let text = captures.mangledType(index) else {
        plan.tail = .undescribedCaptures
        break
      }
      let name = MangledTypeName(text)
      let types = environment(offsets)
      builder.capture = UInt16(truncatingIfNeeded: index)
      guard let next = add(name, in: types, at: end, to: &builder) else {
        plan.tail =
          name.mentionsPack
          ? .parameterPack
          : name.mentionsBlock ? .block : captures.sourceCount > 0 ? .genericCapture : .unknownType
        break
      }
      offsets.append(next.start)
      end = next.end
    }
    // The last capture may be the one that says what the arguments are, for the names of all.
    _ = environment(offsets)
    plan.byteCount = UInt(end)
    plan.hasOpaque =
      plan.tail != nil || builder.slots.withUnsafeBufferPointer(HeapPlanBuilder.hasOpaque)
    return Draft(plan, builder.slots)
  }

  /// Adds a capture's slots, and returns its range of offsets; nil if its size is not known.
  private func add(
    _ name: MangledTypeName,
    in types: GenericEnvironment,
    at end: Int,
    to builder: inout LayoutBuilder
  ) -> (start: Int, end: Int)? {
    func align(_ mask: Int) -> Int { (end + mask) & ~mask }
    let word = align(7)
    if name.isBox {
      builder.add(name, in: types, at: word, room: 8, label: "", depth: 0)
      return (word, word + 8)
    }
    switch name.loweredFunction {
    case .escaping?:
      builder.addClosure(at: word, label: "")
      return (word, word + 16)
    case .nonescaping?: return (word, word + 16)
    case .thin?: return (word, word + 8)
    case .block?:
      builder.addReference(at: word, label: "")
      return (word, word + 8)
    case .foreign?:
      builder.addOpaque(.block, at: word, byteCount: 8, label: "")
      return (word, word + 8)
    case nil: break
    }
    switch name.metatype {
    case .thin: return (end, end)
    case .stored: return (word, word + 8)
    case .none: break
    }
    switch name.function {
    case .block?:
      builder.addReference(at: word, label: "")
      return (word, word + 8)
    case .closure?:
      builder.addClosure(at: word, label: "")
      return (word, word + 16)
    case nil: break
    }
    // Optimized code has no other trace of a captured `Unmanaged`, whose object may be retained.
    if name.ownership == .unmanaged {
      builder.addHandle(.unmanagedMemory, at: word, label: "")
    }
    if name.ownership != .strong {
      // As many words as the reference takes: a reference to a protocol type takes two or more.
      return (word, word + (types.resolve(name)?.witnesses?.size ?? 8))
    }
    if let elements = types.packElements(name) {
      let mask = elements.map { $0.witnesses?.alignmentMask ?? 7 }.max() ?? 0
      let start = align(mask)
      return (start, builder.addTuple(of: elements, at: start, label: "", depth: 0))
    }
    guard let type = types.resolve(name) else {
      guard let layout = UnnamedType(name)?.layout(store: store, depth: 0) else { return nil }
      let start = layout.align(end)
      builder.add(layout, at: start, label: "")
      return (start, start + layout.size)
    }
    // If the size is not known, the offsets of all following captures are not known either.
    guard name.start.pointee != 0x09 || type.witnesses?.size != 0, let witnesses = type.witnesses
    else { return nil }
    let start = align(witnesses.alignmentMask)
    builder.add(type, at: start, label: "")
    return (start, start + witnesses.size)
  }

  // MARK: Names

  /// A name for the capture with this index: that of its type.
  func captureName(_ index: Int, of object: UnsafeRawPointer, memory: MemoryMap) -> String? {
    captureName(index, in: draft(of: object, memory: memory).arguments.environment)
  }

  /// The number of captures with this name.
  func captureCount(named name: String, of object: UnsafeRawPointer, memory: MemoryMap) -> Int {
    let environment = draft(of: object, memory: memory).arguments.environment
    return (0..<(captures?.count ?? 0)).count { captureName($0, in: environment) == name }
  }

  private func captureName(_ index: Int, in environment: GenericEnvironment) -> String? {
    guard let captures, index < captures.count, let text = captures.mangledType(index) else {
      return nil
    }
    var name = MangledTypeName(text)
    if name.loweredFunction != nil || name.function != nil { return "a closure" }
    if name.isBox { name.takeOutOfBox() }
    return environment.resolve(name)?.name ?? UnnamedType(name)?.name
  }
}
