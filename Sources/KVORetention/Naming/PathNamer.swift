internal import CKVORetention
internal import KVORules

/// Turns a way through the graph into edges that a programmer knows.
///
/// Storage of collections and boxes are left out: they become part of the label. A closure that
/// captured one object has no context, and yet is an object of the path.
struct PathNamer {
  private let reader: ObjectReader
  private let code: CodeNamer

  init(reader: ObjectReader, names: CodeNames?) {
    self.reader = reader
    code = CodeNamer(names: names, memory: reader.memory)
  }

  /// Whether a path may begin at the object: a programmer knows it.
  func isNamed(_ address: UInt) -> Bool {
    reader.plan(of: address)?.pointee.role == .instance
  }

  /// The cycle along a ring of objects, from one on that a programmer knows; nil where it is empty.
  func cycle(along ring: [UInt]) -> RetainCycle? {
    guard !ring.isEmpty else { return nil }
    let start = ring.firstIndex(where: isNamed) ?? 0
    return RetainCycle(edges: edges(along: Array(ring[start...] + ring[...start])))
  }

  /// Whether an object is an instance of a class of the program's own, or of a library that is no part of
  /// Swift.
  func isOfProgram(_ object: RetainedObject) -> Bool {
    guard object.kind == .instance, let plan = reader.plan(of: object.address),
      let metadata = plan.pointee.metadata,
      let module = TypeMetadata(metadata).nominal?.descriptor.module
    else { return false }
    return !LibraryReferences.modules.contains(module)
  }

  /// The edges of a way along `addresses`, of which the last is where it leads.
  func edges(along addresses: [UInt]) -> [RetainEdge] {
    guard let first = addresses.first else { return [] }
    var trail = Trail(from: Source(object: object(at: first), address: first))
    for (address, next) in zip(addresses, addresses.dropFirst()) {
      let found = reference(from: address, to: next)
      trail.isSuspected = trail.isSuspected || found?.isSuspected ?? true
      let keeper = reader.plan(of: address)
      if keeper?.pointee.isObservation == true {
        trail.enterObservation(at: address)
      } else if keeper?.pointee.kind == .asked {
        let source = reader.store.knownClasses?.source
        trail.take(source?.label(ofReferenceFrom: address, to: next) ?? "")
      } else {
        trail.take(label(of: found, in: address, trail))
      }
      guard found?.kind == .closure else {
        // The end is shown whatever it is.
        if isNamed(next) || next == addresses.last {
          trail.close(at: Source(object: object(at: next), address: next))
        }
        continue
      }
      let site = found?.code.flatMap { code.site(of: $0) }
      let hasContext = reader.plan(of: next)?.pointee.role == .context
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
        let target = object(at: next)
        trail.take("capture of \(code.captureName(target.className, isOnly: true, in: site))")
        trail.close(at: Source(object: target, address: next))
      }
    }
    return trail.edges
  }

  // MARK: Objects

  private func object(at address: UInt) -> RetainedObject {
    let plan = reader.plan(of: address)
    guard let plan, let metadata = plan.pointee.metadata else {
      let name = plan?.pointee.kind == .block ? "block" : "memory"
      return RetainedObject(className: name, address: address, kind: .opaque)
    }
    let type = TypeMetadata(metadata)
    if plan.pointee.kind == .task {
      return RetainedObject(className: "Task", address: address, kind: .opaque)
    }
    switch type.kind {
    case .class?: return RetainedObject(className: type.name, address: address, kind: .instance)
    case .context?: return RetainedObject(className: "closure", address: address, kind: .closure)
    default: return RetainedObject(className: "box", address: address, kind: .opaque)
    }
  }

  /// The class of an object as reports name it.
  func className(at address: UInt) -> String { object(at: address).className }

  // MARK: References

  private func reference(from address: UInt, to target: UInt) -> NamingVisitor.Found? {
    guard let plan = reader.plan(of: address), let object = UnsafeRawPointer(bitPattern: address)
    else { return nil }
    if let attachment = reader.attachments[address]?.first(where: { $0.kept == target }) {
      return NamingVisitor.Found(path: attachment.label, kind: .reference)
    }
    var visitor = NamingVisitor(
      target: target,
      store: reader.store,
      isSurelyReferred: reader.plan(of: target).map(reader.isSurelyReferred) ?? false
    )
    reader.read(object, plan, &visitor)
    if plan.pointee.tail != nil,
      let tail = OpaqueBytes.behindFields(of: object, plan.pointee, memory: reader.memory)
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
    // A box is made by the compiler in the same form as a closure's context.
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

/// An object that a path goes on from.
private struct Source {
  var object: RetainedObject
  var address: UInt
  /// Of a closure.
  var site: CodeNamer.Site?
  var code: UInt = 0
}

/// The edges so far, and the label of the one that is open.
private struct Trail {
  private(set) var edges: [RetainEdge] = []
  private(set) var source: Source
  /// Of the label of the open edge, in the order in which they are met: joined when it closes.
  private var parts: [String] = []
  var isSuspected = false
  /// Whether the layer's own closures are passed, which pass a change on to that of a program.
  private var isInObservation = false
  /// Where the observation is that the open edge leads through; 0 where it leads through none.
  private var observation: UInt = 0

  init(from source: Source) { self.source = source }

  mutating func take(_ part: String) { parts.append(part) }

  /// An observation itself is none of a programmer's objects: what it calls is.
  mutating func enterObservation(at address: UInt) {
    isInObservation = true
    observation = address
  }

  /// As ``close(at:)``, at a closure: of several in a row that an observation leads to, the last alone is
  /// shown, which holds what the program captured.
  mutating func close(atClosure target: Source) {
    guard isInObservation, source.object.kind == .closure, let last = edges.popLast() else {
      return close(at: target)
    }
    source = Source(object: last.from, address: last.from.address)
    (parts, observation) = ([last.label], last.observation)
    isSuspected = isSuspected || last.certainty == .suspected
    close(at: target)
  }

  mutating func close(at target: Source) {
    if target.object.kind != .closure { isInObservation = false }
    edges.append(
      RetainEdge(
        from: source.object,
        label: LayoutBuilder.join(parts),
        to: target.object,
        certainty: isSuspected ? .suspected : .proven,
        site: source.site?.line,
        function: source.site?.function,
        code: source.code,
        observation: observation
      )
    )
    (source, parts, isSuspected, observation) = (target, [], false, 0)
  }
}
