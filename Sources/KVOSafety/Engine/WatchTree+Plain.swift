internal import KVORecorder
internal import KVOTrace

/// A node of a path that is found without a search, as nearly all are: an object, and its key.
///
/// See ``WatchTree/chain(of:from:)``.
struct PlainNode {
  let object: any KeyValueObservable
  let key: ResolvedKey
  /// How many objects of the path precede it.
  let depth: Int
  let isWeak: Bool

  /// Whether `link` was made for this node, and its object is still the one that it was made for.
  func isHung(_ link: HungLink) -> Bool {
    guard link.depth == depth, link.node.key == key.id, !link.node.leadsOn else { return false }
    // The address of an object that was deallocated may have been reused by another.
    return link.ref.id == object.storage.record.ref.id
  }

  /// The node as the search finds it.
  func node(_ observation: Observation) -> WatchNode {
    WatchNode(
      object: ObjectIdentifier(object),
      path: observation.path[depth...],
      isOwnPath: true,
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

extension WatchTree {
  /// The nodes beyond the first key of a path of keys that no other key affects, and the end of the path; nil if they
  /// have to be searched.
  ///
  /// They need no search that remembers what it has visited.
  func chain(
    of observation: Observation,
    from subject: AnyObject
  ) -> (nodes: [PlainNode], end: PathEnd)? {
    guard !observation.isStream, !observation.isSingle else { return nil }
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
        nodes.append(PlainNode(object: next, key: found, depth: depth, isWeak: isWeak))
        key = found
        object = next
      }
    }
    return (nodes, .at(key, object))
  }
}
