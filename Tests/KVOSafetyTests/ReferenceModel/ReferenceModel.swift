import KVOSafety

/// An engine that is slow and obviously right: it keeps registrations and open changes, and looks for
/// everything else anew whenever it is asked.
///
/// It does not predict one order of events, which is not guaranteed between observers of different objects. It
/// takes each notification that comes and says what is wrong with it, and after each half of a change which
/// ones did not come.
struct ReferenceModel {
  /// A registration that is there.
  struct Entry {
    let id: Int
    weak var root: ModelNode?
    let path: [String]
    let options: ObservingOptions
    let isStream: Bool
    /// What a stream gave last.
    var last: String?
  }

  /// A change, an addition or a deallocation that is in progress.
  struct Frame {
    enum Kind { case change, initial, death }

    var kind: Kind
    var node: Int
    var key: String
    /// The notification about elements; nil if the value is set.
    var elements: Elements?
    var isAssigned = false
    /// Who listened when the change began, and the values then.
    var before: [Int: String] = [:]
    /// The registrations that must still be notified.
    var pending: Set<Int> = []
    /// The last registration on the changed object itself that was notified.
    var lastOwn = -1
  }

  struct Elements {
    var kind: ObservedChangeKind
    var old: String
    var new: String
  }

  private(set) var entries: [Int: Entry] = [:]
  private var frames: [Frame] = []
  private(set) var errors: [String] = []

  // MARK: Looking

  /// The value of a path, read from scratch.
  static func value(_ path: some Collection<String>, of node: ModelNode?) -> Any? {
    var current: Any? = node
    for key in path {
      guard let node = current as? ModelNode else { return nil }
      current = node.read(key)
      if let inner = current as? ModelNode? { current = inner }
    }
    return current
  }

  private func text(_ entry: Entry) -> String { describe(Self.value(entry.path, of: entry.root)) }

  /// Whether the value of the path may change with `key` of `node`.
  private func listens(_ entry: Entry, to node: Int, _ key: String) -> Bool {
    guard let root = entry.root else { return false }
    var seen: Set<String> = []
    var queue: [(ModelNode, ArraySlice<String>)] = [(root, entry.path[...])]
    while let (object, path) = queue.popLast() {
      guard seen.insert("\(object.id) \(path.joined(separator: "."))").inserted,
        let first = path.first
      else { continue }
      if object.id == node, first == key { return true }
      for affecting in ModelNode.affecting[first] ?? [] {
        queue.append((object, affecting.split(separator: ".").map(String.init)[...]))
      }
      if path.count > 1, let next = Self.value([first], of: object) as? ModelNode {
        queue.append((next, path.dropFirst()))
      }
    }
    return false
  }

  private func listeners(to node: Int, _ key: String) -> [Entry] {
    entries.values.filter { listens($0, to: node, key) }
  }

  // MARK: Changes

  mutating func begin(_ frame: Frame) {
    var frame = frame
    for entry in listeners(to: frame.node, frame.key) {
      frame.before[entry.id] = text(entry)
      if entry.options.contains(.prior) { frame.pending.insert(entry.id) }
    }
    frames.append(frame)
  }

  /// Whether some elements of the items are about to change, and observers are notified of it.
  func isAboutToChangeItems(of node: Int) -> Bool {
    frames.contains { $0.elements != nil && $0.node == node && !$0.isAssigned }
  }

  /// The value is about to be assigned: current observers are notified of it.
  mutating func willAssign() {
    endPhase("before")
    let top = frames.count - 1
    frames[top].isAssigned = true
    frames[top].lastOwn = -1
    frames[top].pending = Set(listeners(to: frames[top].node, frames[top].key).map(\.id))
  }

  mutating func end() {
    endPhase("after")
    frames.removeLast()
  }

  /// No remaining observer may have been left out.
  private mutating func endPhase(_ phase: String) {
    let top = frames[frames.count - 1]
    for id in top.pending.sorted() {
      guard let entry = entries[id], entry.root != nil else { continue }
      // A prior notification is not owed to one that another callback has moved away in between.
      if phase == "before", !listens(entry, to: top.node, top.key) { continue }
      errors.append("\(id) was not notified \(phase) \(top.key) of \(top.node)")
    }
  }

  // MARK: Registrations

  mutating func willAdd(_ entry: Entry) {
    entries[entry.id] = entry
    var frame = Frame(kind: .initial, node: entry.root?.id ?? -1, key: "")
    if entry.options.contains(.initial) { frame.pending = [entry.id] }
    frame.isAssigned = true
    frames.append(frame)
  }

  mutating func remove(_ id: Int) { entries[id] = nil }

  mutating func beginDeaths() { frames.append(Frame(kind: .death, node: -1, key: "")) }
  mutating func endDeaths() { frames.removeLast() }

  /// What streams gave last is what there is.
  mutating func checkStreams() {
    for entry in entries.values.sorted(by: { $0.id < $1.id }) where entry.isStream {
      guard entry.root != nil, let last = entry.last, last != text(entry) else { continue }
      errors.append("stream \(entry.id) gave \(last) last, there is \(text(entry))")
    }
  }

  // MARK: Notifications

  /// Judges a notification of registration `id`.
  mutating func take(
    _ id: Int,
    _ kind: ObservedChangeKind,
    isPrior: Bool,
    old: String,
    new: String
  ) {
    let what = "\(id)\(isPrior ? " prior" : "") \(kind) from \(old) to \(new)"
    guard let entry = entries[id] else { return errors.append("\(what): is not registered") }
    guard let top = frames.indices.last else { return errors.append("\(what): nothing changes") }
    let frame = frames[top]
    if entry.isStream { entries[id]?.last = new }
    if case .death = frame.kind {
      if !entry.isStream { errors.append("\(what): notified of a deallocation") }
      return expect(new, text(entry), what)
    }
    guard frames[top].pending.remove(id) != nil, isPrior == !frame.isAssigned else {
      return errors.append("\(what): not of \(frame.key) of \(frame.node)")
    }
    if entry.root?.id == frame.node, frame.kind == .change, entry.path[0] == frame.key {
      if id < frame.lastOwn { errors.append("\(what): after \(frame.lastOwn)") }
      frames[top].lastOwn = id
    }
    judge(kind, old, new, of: entry, in: frame, what)
  }

  private mutating func judge(
    _ kind: ObservedChangeKind,
    _ old: String,
    _ new: String,
    of entry: Entry,
    in frame: Frame,
    _ what: String
  ) {
    let isDirect =
      entry.path.last == frame.key && holder(of: entry)?.id == frame.node && !entry.isStream
    let elements = isDirect ? frame.elements : nil
    expect("\(kind)", "\(elements?.kind ?? .setting)", what)
    if !entry.options.contains(.old) || frame.kind == .initial {
      expect(old, "nil", what)
    } else if let before = frame.before[entry.id] {
      expect(old, elements?.old ?? before, what)
    }
    if !entry.options.contains(.new) || !frame.isAssigned {
      expect(new, "nil", what)
    } else if let elements {
      expect(new, elements.new, what)
    } else {
      expect(new, text(entry), what)
    }
  }

  /// The object whose key is the last of the path.
  private func holder(of entry: Entry) -> ModelNode? {
    Self.value(entry.path.dropLast(), of: entry.root) as? ModelNode
  }

  private mutating func expect(_ found: String, _ expected: String, _ what: String) {
    if found != expected { errors.append("\(what): not \(expected)") }
  }
}

/// A value as the model compares it.
func describe(_ value: Any?) -> String {
  switch value {
  case nil: return "nil"
  case let node as ModelNode: return "n\(node.id)"
  case let node as ModelNode?: return node.map { "n\($0.id)" } ?? "nil"
  case let number as Int?: return number.map(String.init) ?? "nil"
  case let value?: return "\(value)"
  }
}
