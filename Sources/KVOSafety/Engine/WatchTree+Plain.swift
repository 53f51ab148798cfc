internal import KVORecorder
internal import KVOTrace

/// A node of a path that is found without a search, as nearly all are: an object, and its key.
///
/// See ``PlainChain``, which owns the references.
struct PlainNode {
  /// The registrations on the object, which keeps them.
  let storage: Unmanaged<SubjectStorage>
  let object: Unmanaged<AnyObject>
  let key: Unmanaged<ResolvedKey>
  let isWeak: Bool
  /// Whether the observation listens there already.
  var isHung = false

  /// Whether `link` was made for this node, if it is as far along the path.
  func fits(_ link: HungLink) -> Bool {
    // Not by the address of the object, which may have been another's.
    Unmanaged.passUnretained(link.storage).toOpaque() == storage.toOpaque()
      && link.key == key._withUnsafeGuaranteedRef { $0.id }
  }

  func with(_ body: (SubjectStorage, ResolvedKey) -> Void) {
    storage._withUnsafeGuaranteedRef { storage in
      key._withUnsafeGuaranteedRef { body(storage, $0) }
    }
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
    let reference = InlineWeakReference(object)
    self = .unknown
    if let kept = reference.object { self = .at(key, kept) }
  }

  private var key: ResolvedKey? {
    if case .at(let key, _) = self { key } else { nil }
  }

  private var object: AnyObject? {
    if case .at(_, let object) = self { object } else { nil }
  }
}

/// The nodes beyond the first key of a path of keys that no other key affects, as far as there are objects.
///
/// They need no search that remembers what it has visited.
struct PlainChain {
  private let nodes: UnsafeMutableBufferPointer<PlainNode>
  private(set) var count = 0
  /// Whether the last node is the end of the path.
  private var isWhole = false

  /// A chain without nodes, which has room for those of a path of one key more than `nodes`.
  ///
  /// ``release()`` follows.
  init(in nodes: UnsafeMutableBufferPointer<PlainNode>) { self.nodes = nodes }

  subscript(index: Int) -> PlainNode {
    get { nodes[index] }
    nonmutating set { nodes[index] = newValue }
  }

  /// Finds the nodes; false if they have to be searched.
  mutating func follow(_ path: [StringID], _ first: ResolvedKey, of subject: AnyObject) -> Bool {
    var step = advance(from: first, of: subject, to: path[1])
    while step == .on, count < path.count - 1 {
      let last = nodes[count - 1]
      step = last.key._withUnsafeGuaranteedRef { key in
        last.object._withUnsafeGuaranteedRef { advance(from: key, of: $0, to: path[count + 1]) }
      }
    }
    isWhole = step == .on
    return step != .search
  }

  private enum Step {
    case on
    /// An object is nil.
    case end
    case search
  }

  /// Appends the node of `next`, a key of the object that is the value of `key`.
  private mutating func advance(
    from key: ResolvedKey,
    of object: AnyObject,
    to next: StringID
  ) -> Step {
    switch KeyPathWalk.next(after: key, of: object) {
    case .nothing: return .end
    case .value, .obstacle: return .search
    case .object(let object):
      guard let found = type(of: object).observableKeys.key(next), found.isAlone
      else { return .search }
      let node = PlainNode(
        storage: .passUnretained(object.storage),
        object: .passRetained(object),
        key: .passRetained(found),
        isWeak: key.newest.isWeak
      )
      nodes.initializeElement(at: count, to: node)
      count += 1
      return .on
    }
  }

  /// The end of the path, whose node leaves the chain.
  mutating func takeEnd() -> PathEnd {
    guard isWhole else { return .nowhere }
    count -= 1
    return .at(nodes[count].key.takeRetainedValue(), nodes[count].object.takeRetainedValue())
  }

  func release() {
    for index in 0..<count {
      nodes[index].key.release()
      nodes[index].object.release()
    }
  }
}
