internal import KVORecorder
internal import KVOTrace

/// A node of an observation whose nodes are found without a search, as nearly all are.
///
/// See ``WatchTree/plainNodes(of:from:)``.
struct PlainNode {
  /// The object; nil if it is the one that the observation is registered on.
  let other: (any KeyValueObservable)?
  let key: ResolvedKey
  /// How many objects of the observation's own path precede it; nil for a key that affects the observed one.
  let depth: Int?
  let isWeak: Bool

  /// Whether `link` was made for this node, and its object is still the one that it was made for.
  func isHung(_ link: HungLink, of observation: Observation) -> Bool {
    guard link.depth == depth, link.node.key == key.id, !link.node.leadsOn else { return false }
    // The address of an object that was deallocated may have been reused by another.
    return link.ref.id == storage(observation).record.ref.id
  }

  func storage(_ observation: Observation) -> SubjectStorage { other?.storage ?? observation.root }

  /// The node as the search finds it; `subject` is the object that the observation is registered on.
  func node(_ observation: Observation, from subject: AnyObject) -> WatchNode {
    WatchNode(
      object: ObjectIdentifier(other ?? subject),
      path: depth.map { observation.path[$0...] } ?? [key.id],
      isOwnPath: depth != nil,
      leadsOn: false
    )
  }
}

/// Where the path of an observation ends, if that is known without following it again.
enum PathEnd {
  case unknown
  /// An object on the path is nil.
  case nowhere
  case at(ResolvedKey, AnyObject)

  /// Forgets an object that nothing else keeps alive, which deallocates it.
  mutating func releaseUnkept() {
    guard let key else { return }
    // `isKnownUniquelyReferenced` is false for an object with weak references, which all on a path have.
    weak let kept = object
    self = .unknown
    if let kept { self = .at(key, kept) }
  }

  private var key: ResolvedKey? {
    if case .at(let key, _) = self { key } else { nil }
  }

  private var object: AnyObject? {
    if case .at(_, let object) = self { object } else { nil }
  }
}

// The nodes of a path of keys that no other key affects, and of a key that is affected by such keys of the same object.
// They need no search that remembers what it has visited.
extension WatchTree {
  /// The nodes beyond the first key of the path, and the end of the path; nil if they have to be searched.
  func plainNodes(
    of observation: Observation,
    from subject: AnyObject
  ) -> (nodes: [PlainNode], end: PathEnd)? {
    guard !observation.isStream else { return nil }
    guard observation.isSingle else { return chain(of: observation, from: subject) }
    return affectingNodes(of: observation).map { ($0, .unknown) }
  }

  private func affectingNodes(of observation: Observation) -> [PlainNode]? {
    let keys = observation.root.keys
    guard let observed = keys.key(observation.key) else { return nil }
    var nodes: [PlainNode] = []
    nodes.reserveCapacity(observed.affectingKeys.count)
    for path in observed.affectingKeys {
      guard let path, path.count == 1, path[0] != observed.id, let key = keys.key(path[0]),
        key.isAlone
      else { return nil }
      nodes.append(PlainNode(other: nil, key: key, depth: nil, isWeak: false))
    }
    return nodes
  }

  private func chain(
    of observation: Observation,
    from subject: AnyObject
  ) -> (nodes: [PlainNode], end: PathEnd)? {
    let path = observation.path
    guard var key = observation.root.keys.key(path[0]), key.isAlone else { return nil }
    var object = subject
    var nodes: [PlainNode] = []
    for depth in 1..<path.count {
      switch KeyPathWalk.next(after: key, of: object) {
      case .nothing: return (nodes, .nowhere)
      case .value, .obstacle: return nil
      case .object(let next):
        guard let found = type(of: next).observableKeys.key(path[depth]), found.isAlone
        else { return nil }
        let isWeak = key.newest.isWeak
        nodes.append(PlainNode(other: next, key: found, depth: depth, isWeak: isWeak))
        key = found
        object = next
      }
    }
    return (nodes, .at(key, object))
  }
}
