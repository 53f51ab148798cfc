internal import CKVORetention
internal import KVORetainRegistry

/// Turns a path through the graph into edges as a programmer names them.
///
/// Storage of collections and boxes are not shown as objects, but in the label. A closure that
/// captured only one object has no context, but is shown as an object of the path.
struct PathNamer {
  private let reader: ObjectReader
  private let code: CodeNamer
  private let classNames = ClassNames()
  /// The objects that every word with their address owns, according to reference counts.
  var owned: Set<UInt> = []

  init(reader: ObjectReader, names: CodeNames?) {
    self.reader = reader
    code = CodeNamer(names: names, memory: reader.memory)
  }

  /// Whether a path may begin at the object, because a programmer can name it.
  func isNamed(_ address: UInt) -> Bool {
    reader.plan(of: address)?.pointee.role == .instance
  }

  /// The cycle along a ring of objects, beginning at one that a programmer can name; nil if the
  /// ring is empty.
  func cycle(along ring: [UInt]) -> RetainCycle? {
    guard !ring.isEmpty else { return nil }
    let start = ring.firstIndex(where: isNamed) ?? 0
    return RetainCycle(edges: edges(along: Array(ring[start...] + ring[...start])))
  }

  /// Whether an object is an instance of a class of the program, or of a library that is not part
  /// of Swift.
  func isOfProgram(_ object: RetainedObject) -> Bool {
    guard object.kind == .instance, let plan = reader.plan(of: object.address),
      let metadata = plan.pointee.metadata,
      let module = TypeMetadata(metadata).nominal?.descriptor.module
    else { return false }
    return !LibraryReferences.modules.contains(module)
  }

  /// The edges of a path along `addresses`, of which the last is the target.
  func edges(along addresses: [UInt]) -> [RetainEdge] {
    guard let first = addresses.first else { return [] }
    var visitor = NamingVisitor(store: reader.store)
    var keeper = reader.plan(of: first)
    var trail = Trail(
      from: source(at: first, keeper),
      edgeCount: addresses.count - 1
    )
    for (address, next) in zip(addresses, addresses.dropFirst()) {
      let plan = keeper
      let nextPlan = reader.plan(of: next)
      keeper = nextPlan
      let found = reference(from: address, plan, to: next, nextPlan, &visitor)
      let isSuspected = found?.isSuspected ?? true
      trail.isSuspected = trail.isSuspected || (isSuspected && !owned.contains(next))
      if plan?.pointee.isObservation == true {
        trail.enterObservation(at: address)
      } else if plan?.pointee.kind == .asked {
        let source = reader.store.knownClasses?.source
        trail.take(source?.label(ofReferenceFrom: address, to: next) ?? "")
      } else {
        trail.take(label(of: found, in: address, trail))
      }
      guard found?.kind == .closure else {
        // The target is always shown.
        if nextPlan?.pointee.role == .instance || next == addresses.last {
          trail.close(at: source(at: next, nextPlan))
        }
        continue
      }
      let site = found?.code.flatMap { code.site(of: $0) }
      let hasContext = nextPlan?.pointee.role == .context
      trail.close(
        atClosure: Source(
          object: RetainedObject(
            className: "closure",
            address: hasContext ? next : 0,
            kind: .closure
          ),
          address: next,
          site: site,
          code: found?.code ?? 0
        )
      )
      if !hasContext {
        let target = object(at: next, nextPlan)
        trail.take("capture of \(code.captureName(target.className, isOnly: true, in: site))")
        trail.close(at: Source(object: target, address: next))
      }
    }
    return trail.edges
  }

  // MARK: Objects

  /// An object of a path, with the location at which a task waits.
  private func source(at address: UInt, _ plan: UnsafePointer<HeapPlan>?) -> Source {
    var source = Source(object: object(at: address, plan), address: address)
    if source.object.kind == .task, let task = UnsafeRawPointer(bitPattern: address),
      !reader.isFinished(task)
    {
      source.site = code.waitingSite(reader.continuations(ofWaiting: task))
    }
    return source
  }

  private func object(at address: UInt) -> RetainedObject {
    object(at: address, reader.plan(of: address))
  }

  private func object(at address: UInt, _ plan: UnsafePointer<HeapPlan>?) -> RetainedObject {
    guard let plan, let metadata = plan.pointee.metadata else {
      let name = plan?.pointee.kind == .block ? "block" : "memory"
      return RetainedObject(className: name, address: address, kind: .opaque)
    }
    let type = TypeMetadata(metadata)
    if plan.pointee.kind == .task {
      return RetainedObject(className: "Task", address: address, kind: .task)
    }
    switch type.kind {
    case .class?:
      let name = classNames.name(of: type)
      return RetainedObject(className: name, address: address, kind: .instance)
    case .context?: return RetainedObject(className: "closure", address: address, kind: .closure)
    default: return RetainedObject(className: "box", address: address, kind: .opaque)
    }
  }

  /// The class name of an object in reports.
  func className(at address: UInt) -> String { object(at: address).className }

  // MARK: References

  private func reference(
    from address: UInt,
    _ plan: UnsafePointer<HeapPlan>?,
    to target: UInt,
    _ targetPlan: UnsafePointer<HeapPlan>?,
    _ visitor: inout NamingVisitor
  ) -> NamingVisitor.Found? {
    guard let plan, let object = UnsafeRawPointer(bitPattern: address) else { return nil }
    if !reader.attachments.isEmpty,
      let attachment = reader.attachments[address]?.first(where: { $0.kept == target })
    {
      return NamingVisitor.Found(path: attachment.label, kind: .reference)
    }
    var isSurelyReferred = false
    if let targetPlan { isSurelyReferred = reader.isSurelyReferred(targetPlan) }
    visitor.look(
      for: target,
      isSurelyReferred: isSurelyReferred
    )
    reader.read(object, plan, &visitor)
    if plan.pointee.tail != nil,
      let tail = OpaqueBytes.tail(of: object, plan.pointee, memory: reader.memory)
    {
      for bytes in tail { visitor.opaqueTail(bytes) }
    }
    return visitor.found ?? visitor.suspected
  }

  private func label(
    of found: NamingVisitor.Found?,
    in address: UInt,
    _ trail: Trail
  ) -> String {
    guard let found else { return "" }
    // The compiler creates some boxes in the form of a closure's context.
    guard let capture = found.capture, trail.source.object.kind == .closure,
      trail.source.address == address, let object = UnsafeRawPointer(bitPattern: address),
      let metadata = reader.plan(of: address)?.pointee.metadata
    else { return found.path }
    let builder = ContextPlanBuilder(store: reader.store, metadata: TypeMetadata(metadata))
    let type = builder.captureName(capture, of: object, memory: reader.memory)
    let isOnly =
      type.map { builder.captureCount(named: $0, of: object, memory: reader.memory) == 1 } ?? false
    let name = type.map { code.captureName($0, isOnly: isOnly, in: trail.source.site) }
    return LayoutBuilder.join("capture of \(name ?? "a value")", found.path)
  }
}

/// A cache of class names, each of which is created once per search.
private final class ClassNames {
  private var names: [UnsafeRawPointer: String] = [:]
  private var latest: (type: UnsafeRawPointer?, name: String) = (nil, "")

  func name(of type: TypeMetadata) -> String {
    if type.pointer == latest.type { return latest.name }
    let name = names[type.pointer] ?? type.name
    names[type.pointer] = name
    latest = (type.pointer, name)
    return name
  }
}

/// An object from which the next edge of a path starts.
private struct Source {
  var object: RetainedObject
  var address: UInt
  /// The source location of a closure's code, or where a task waits.
  var site: CodeNamer.Site?
  var code: UInt = 0
}

/// The completed edges, and the label of the open one.
private struct Trail {
  /// The number of edges for which there is room from the start: a chain of boxes may become one
  /// edge.
  private static let reservedCount = 1024

  private(set) var edges: [RetainEdge] = []
  private(set) var source: Source
  /// The label of the open edge.
  private var label = ""
  var isSuspected = false
  /// Whether the path is inside closures of KVOSafety, which forward a change to the program's
  /// closure.
  private var isInObservation = false
  /// The address of the observation on the open edge, or 0.
  private var observation: UInt = 0
  /// Whether the path has just left a task: its first closure may be the compiler's, which has no
  /// line and forwards to the program's.
  private var isLeavingTask: Bool

  /// - Parameters:
  ///   - source: the object at which the path begins.
  ///   - edgeCount: the maximum number of edges.
  init(from source: Source, edgeCount: Int) {
    self.source = source
    isLeavingTask = source.object.kind == .task
    edges.reserveCapacity(min(edgeCount, Self.reservedCount))
  }

  mutating func take(_ part: String) { LayoutBuilder.append(part, to: &label) }

  /// An observation is not shown as an object; the closure that it calls is.
  mutating func enterObservation(at address: UInt) {
    isInObservation = true
    observation = address
  }

  /// Like ``close(at:)``, for a closure.
  ///
  /// Of several consecutive closures after an observation, only the last is shown, which holds the
  /// program's captures; of two after a task, the one with a line.
  mutating func close(atClosure target: Source) {
    let isForwarded = isInObservation || (isLeavingTask && source.site?.line == nil)
    guard isForwarded, source.object.kind == .closure, let last = edges.popLast() else {
      return close(at: target)
    }
    source = Source(object: last.from, address: last.from.address)
    if last.from.kind == .task {
      source.site = last.function.map { CodeNamer.Site(function: $0, line: last.site) }
      isLeavingTask = false
    }
    (label, observation) = (last.label, last.observation)
    isSuspected = isSuspected || last.certainty == .suspected
    close(at: target)
  }

  mutating func close(at target: Source) {
    if target.object.kind != .closure {
      isInObservation = false
      isLeavingTask = target.object.kind == .task
    }
    edges.append(
      RetainEdge(
        from: source.object,
        label: label,
        to: target.object,
        certainty: isSuspected ? .suspected : .proven,
        site: source.site?.line,
        function: source.site?.function,
        code: source.code,
        observation: observation
      )
    )
    (source, label, isSuspected, observation) = (target, "", false, 0)
  }
}
