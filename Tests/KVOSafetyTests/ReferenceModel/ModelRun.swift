import KVORecorder
import KVOTrace

@testable import KVOSafety

/// Runs one program with the library, and has the model judge what comes.
final class ModelRun {
  private var model = ReferenceModel()
  private var nodes: [ModelNode] = []
  private var nodeCount = 0
  private var lastRegistration = 0
  private var active: [Active] = []
  private var scripts: [Int: [ModelStep]] = [:]
  /// Objects that may be deallocated after the step, so that none is in the middle of it.
  private var kept: [ModelNode] = []
  private var all: [WeakNode] = []

  private final class Active {
    let id: Int
    /// Nil until the addition has returned: before that there is no token that could end it.
    var end: (() -> Void)?
    init(_ id: Int) { self.id = id }
  }

  private struct WeakNode {
    weak var node: ModelNode?
  }

  private init() {}

  /// What the model finds wrong with a run of `program`.
  static func errors(of program: [ModelStep]) -> [String] {
    let run = ModelRun()
    for _ in 0..<ModelGenerator.nodeCount { run.nodes.append(run.makeNode()) }
    for step in program {
      run.perform(step)
      run.letGo()
      run.model.checkStreams()
    }
    run.scripts = [:]
    for registration in run.active { registration.end?() }
    for weak in run.all { weak.node?.cut() }
    run.nodes = []
    return run.model.errors
  }

  private func makeNode() -> ModelNode {
    nodeCount += 1
    let node = ModelNode(nodeCount, in: self)
    all.append(WeakNode(node: node))
    return node
  }

  private func node(_ index: Int) -> ModelNode { nodes[index % nodes.count] }

  /// Releases what the step was to keep.
  private func letGo() {
    while !kept.isEmpty {
      model.beginDeaths()
      var doomed: [ModelNode]? = kept
      kept = []
      withExtendedLifetime(doomed) {}
      doomed = nil
      model.endDeaths()
    }
  }

  // MARK: Steps

  private func perform(_ step: ModelStep) {
    switch step {
    case .add(let registration):
      add(registration)
    case .remove(let index):
      guard !active.isEmpty else { return }
      let registration = active[index % active.count]
      guard let end = registration.end else { return }
      active.removeAll { $0 === registration }
      model.remove(registration.id)
      end()
    case .set(let index, let assignment):
      let node = node(index)
      kept += [node, node.next, node.other, node.link].compactMap(\.self)
      set(assignment, of: node)
    case .replace(let index):
      kept.append(node(index))
      nodes[index % nodes.count] = makeNode()
    }
  }

  private func set(_ assignment: ModelAssignment, of node: ModelNode) {
    // Elements that were found before must still be there when they are changed.
    if assignment.isOfItems, model.isAboutToChangeItems(of: node.id) { return }
    switch assignment {
    case .value(let value): change("value", of: node) { node.value = value }
    case .odd(let value): change("odd", of: node) { node.odd = value }
    case .even:
      change("even", of: node) {
        node.willChangeValue(for: \.even)
        assign("even", of: node) {}
        node.didChangeValue(for: \.even)
      }
    case .next(let index):
      let next = index.map(self.node)
      change("next", of: node) { node.next = next }
    case .other(let index):
      let other = index.map(self.node)
      change("other", of: node) { node.other = other }
    case .link(let index):
      let link = index.map(self.node)
      change("link", of: node) { node.link = link }
    case .items(let items): change("items", of: node) { node.items = items }
    case .insert(let item, let place):
      let place = min(place, node.items.count)
      change("items", of: node, .init(kind: .insertion, old: "nil", new: "[\(item)]")) {
        try? node.mutableValues(of: \.items).insert(item, at: place)
      }
    case .removeItem(let place):
      guard !node.items.isEmpty else { return }
      let place = place % node.items.count
      let old = "[\(node.items[place])]"
      change("items", of: node, .init(kind: .removal, old: old, new: "nil")) {
        _ = try? node.mutableValues(of: \.items).remove(at: place)
      }
    case .replaceItem(let place, let item):
      guard !node.items.isEmpty else { return }
      let place = place % node.items.count
      let old = "[\(node.items[place])]"
      change("items", of: node, .init(kind: .replacement, old: old, new: "[\(item)]")) {
        try? node.mutableValues(of: \.items).replace(at: place, with: item)
      }
    }
  }

  private func change(
    _ key: String,
    of node: ModelNode,
    _ elements: ReferenceModel.Elements? = nil,
    _ body: () -> Void
  ) {
    model.begin(
      .init(kind: .change, node: node.id, key: key, elements: elements)
    )
    body()
    model.end()
  }

  /// A setter assigns its value.
  func assign(_ key: String, of node: ModelNode, _ assign: () -> Void) {
    model.willAssign()
    assign()
  }

  // MARK: Registrations

  private func add(_ registration: ModelRegistration) {
    lastRegistration += 1
    let (id, node) = (lastRegistration, node(registration.node))
    scripts[id] = registration.script.isEmpty ? nil : registration.script
    model.willAdd(
      .init(
        id: id,
        root: node,
        path: registration.path.split(separator: ".").map(String.init),
        options: registration.options,
        isStream: registration.form == .stream
      )
    )
    kept.append(node)
    let added = Active(id)
    active.append(added)
    added.end = register(id, registration, on: node)
    model.end()
  }

  private func register(
    _ id: Int,
    _ registration: ModelRegistration,
    on node: ModelNode
  ) -> () -> Void {
    let (path, options) = (registration.path, registration.options)
    switch registration.form {
    case .token:
      let token = node.observe(keyPath: path, options: options) { [unowned self] _, change in
        told(id, change)
      }
      return token.invalidate
    case .typed:
      return typed(id, path, options, on: node).invalidate
    case .classic:
      let observer = ModelObserver(id, in: self)
      node.addObserver(observer, forKeyPath: path, options: options)
      return { [weak node] in node?.removeObserver(observer, forKeyPath: path, context: nil) }
    case .stream:
      return stream(id, path, on: node)
    }
  }

  private func typed(
    _ id: Int,
    _ path: String,
    _ options: ObservingOptions,
    on node: ModelNode
  ) -> ObservationToken {
    func observe<Value>(_ keyPath: KeyPath<ModelNode, Value>) -> ObservationToken {
      node.observe(keyPath, options: options) { [unowned self] _, change in told(id, change) }
    }
    return switch path {
    case "value": observe(\.value)
    case "link": observe(\.link)
    case "items": observe(\.items)
    case "total": observe(\.total)
    case "next.value": observe(\.next?.value)
    default: observe(\.best)
    }
  }

  /// Observes like a stream of values, and is called for each when it is enqueued.
  private func stream(_ id: Int, _ path: String, on node: ModelNode) -> () -> Void {
    var end: (() -> Void)?
    var request = ObservationRequest(
      subject: node,
      keyPath: path,
      options: [.initial, .new],
      form: .stream,
      site: CallSite(fileID: #fileID, line: #line, function: #function),
      wantsWhole: true,
      deliver: { _, _, _ in nil }
    )
    request.didAdd = { id, storage in
      end = { [weak storage] in storage?.cancel(id, by: .user) }
    }
    let values = request.addStream(buffering: .unbounded) {
      [unowned self] (change: ObservedChange<Any>) -> Int? in
      told(id, change)
      return nil
    }
    return {
      end?()
      withExtendedLifetime(values) {}
    }
  }

  /// A callback: judged, and then it does what it is to do, once.
  fileprivate func told<Value>(_ id: Int, _ change: ObservedChange<Value>) {
    model.take(
      id,
      change.kind,
      isPrior: change.isPrior,
      old: describe(change.oldValue),
      new: describe(change.newValue)
    )
    guard let script = scripts.removeValue(forKey: id) else { return }
    for step in script { perform(step) }
  }
}

/// An observer in the classic form.
private final class ModelObserver: KeyValueObserver {
  private let id: Int
  private unowned let run: ModelRun

  init(_ id: Int, in run: ModelRun) {
    self.id = id
    self.run = run
  }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    run.told(id, change)
    return .handled
  }
}
