internal import KVORecorder
internal import KVOTrace

/// What the calling thread has named lately: call sites, key paths and executors.
///
/// Each has a few places, and a newcomer takes the place of who was there: the memory is bounded, and
/// a look is a comparison of words. Belongs to one thread, like ``ThreadChanges``, which frees it. In
/// memory of its own, because an access to a property of an object costs a call that asks whether another
/// access is under way.
struct ThreadNames {
  private static let capacity = 64

  /// A call site as events have it.
  struct SiteNames {
    var id: StringID
    var stack: StackID
  }

  /// What tells one call site from another, without the questions that a literal asks of itself.
  ///
  /// The text of a literal has one address; two places with equal text are still told apart by line.
  private struct SiteWords: Equatable {
    var file: UnsafePointer<UInt8>
    var function: UnsafePointer<UInt8>
    var line: UInt

    @inline(__always)
    init(_ site: CallSite) {
      file = site.fileID.utf8Start
      function = site.function.utf8Start
      line = site.line
    }
  }

  private struct NamedSite {
    /// Nil where no site is named yet.
    var site: SiteWords?
    var names: SiteNames
  }

  /// Owns the key path, so that its address means no other, and the key.
  private struct NamedKeyPath {
    var keyPath: Unmanaged<AnyKeyPath>
    var type: ObjectIdentifier
    var key: Unmanaged<ResolvedKey>?

    func release() {
      keyPath.release()
      key?.release()
    }
  }

  private let sites: UnsafeMutablePointer<NamedSite>
  private let keyPaths: UnsafeMutablePointer<NamedKeyPath?>
  private let executors: UnsafeMutablePointer<[ObjectIdentifier: StringID]>

  init() {
    sites = .allocate(capacity: Self.capacity)
    let unnamed = NamedSite(site: nil, names: SiteNames(id: .none, stack: .none))
    sites.initialize(repeating: unnamed, count: Self.capacity)
    keyPaths = .allocate(capacity: Self.capacity)
    keyPaths.initialize(repeating: nil, count: Self.capacity)
    executors = .allocate(capacity: 1)
    executors.initialize(to: [:])
  }

  /// Nobody may use it any more.
  func deallocate() {
    sites.deallocate()
    for place in 0..<Self.capacity { keyPaths[place]?.release() }
    keyPaths.deallocate()
    executors.deinitialize(count: 1)
    executors.deallocate()
  }

  /// The file and line, and the stack of one frame, of a call site.
  func names(of site: CallSite) -> SiteNames {
    let words = SiteWords(site)
    let place = Int(truncatingIfNeeded: (UInt(bitPattern: words.file) >> 4) ^ words.line)
    let known = sites + (place & (Self.capacity - 1))
    if known.pointee.site == words { return known.pointee.names }
    let names = SiteNames(id: site.id, stack: site.stack)
    known.pointee = NamedSite(site: words, names: names)
    return names
  }

  /// The key that `keyPath` is to `type`.
  ///
  /// Good until the thread names another: not beyond a call of the program's code.
  func key(
    at keyPath: AnyKeyPath,
    of type: any KeyValueObservable.Type
  ) -> Unmanaged<ResolvedKey>? {
    let address = Unmanaged.passUnretained(keyPath).toOpaque()
    let place = Int(truncatingIfNeeded: UInt(bitPattern: address) >> 4) & (Self.capacity - 1)
    let name = ObjectIdentifier(type)
    if let known = keyPaths[place], known.keyPath.toOpaque() == address, known.type == name {
      return known.key
    }
    let key = type.observableKey(at: keyPath).map(Unmanaged.passRetained)
    keyPaths[place]?.release()
    keyPaths[place] = NamedKeyPath(keyPath: .passRetained(keyPath), type: name, key: key)
    return key
  }

  /// What logs call the actor: its type.
  func executor(_ isolation: (any Actor)?) -> StringID {
    guard let isolation else { return .none }
    let type = type(of: isolation)
    if let known = executors.pointee[ObjectIdentifier(type)] { return known }
    let name = Recorder.id(of: _typeName(type, qualified: false))
    executors.pointee[ObjectIdentifier(type)] = name
    return name
  }
}
