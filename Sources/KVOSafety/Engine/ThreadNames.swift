internal import KVORecorder
internal import KVOTrace

/// Names that the calling thread used recently: call sites, key paths and executors.
///
/// Each has a few slots, and a new entry replaces the one in its slot: the memory is bounded, and a
/// lookup is a comparison of words. Belongs to one thread, like ``ThreadChanges``, which frees it.
/// In separate memory, because an access to a property of an object costs a call that asks whether
/// another access is under way.
struct ThreadNames {
  /// A power of two: six bits of a hash choose a slot.
  private static let capacity = 64

  /// A call site as events have it.
  struct SiteNames {
    var id: StringID
    var stack: StackID
  }

  /// Identifies a call site, without the checks that access to a literal costs.
  ///
  /// The text of a literal has one address; two call sites with equal text still differ in the line.
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
    /// Nil if no site is named yet.
    var site: SiteWords?
    var names: SiteNames
  }

  /// Owns the key path, so that its address cannot be reused by another, and the key.
  private struct NamedKeyPath {
    var keyPath: Unmanaged<AnyKeyPath>
    var type: ObjectIdentifier
    var key: Unmanaged<ResolvedKey>?
    /// Whether the key reads the property of the key path: not if its newest declaration is of another one that has the
    /// same name.
    var isOfKey: Bool
    /// Nil if it is a single key, or was not requested.
    var path: Unmanaged<ObservedPath>?

    func release() {
      keyPath.release()
      key?.release()
      path?.release()
    }
  }

  private let sites: UnsafeMutablePointer<NamedSite>
  private let keyPaths: UnsafeMutablePointer<NamedKeyPath?>
  private let paths: UnsafeMutablePointer<Unmanaged<ObservedPath>?>
  private let executors: UnsafeMutablePointer<[ObjectIdentifier: StringID]>

  init() {
    sites = .allocate(capacity: Self.capacity)
    let unnamed = NamedSite(site: nil, names: SiteNames(id: .none, stack: .none))
    sites.initialize(repeating: unnamed, count: Self.capacity)
    keyPaths = .allocate(capacity: Self.capacity)
    keyPaths.initialize(repeating: nil, count: Self.capacity)
    paths = .allocate(capacity: Self.capacity)
    paths.initialize(repeating: nil, count: Self.capacity)
    executors = .allocate(capacity: 1)
    executors.initialize(to: [:])
  }

  /// Frees the memory; the value may not be used afterwards.
  func deallocate() {
    sites.deallocate()
    for slot in 0..<Self.capacity { keyPaths[slot]?.release() }
    keyPaths.deallocate()
    for slot in 0..<Self.capacity { paths[slot]?.release() }
    paths.deallocate()
    executors.deinitialize(count: 1)
    executors.deallocate()
  }

  /// The file and line, and the stack of one frame, of a call site.
  func names(of site: CallSite) -> SiteNames {
    let words = SiteWords(site)
    let hash = Int(truncatingIfNeeded: (UInt(bitPattern: words.file) >> 4) ^ words.line)
    let known = sites + (hash & (Self.capacity - 1))
    if known.pointee.site == words { return known.pointee.names }
    let names = SiteNames(id: site.id, stack: site.stack)
    known.pointee = NamedSite(site: words, names: names)
    return names
  }

  /// The key of `type` that `keyPath` denotes.
  ///
  /// Valid until the thread names another key path, so not across a call of the program's code.
  func key(
    at keyPath: AnyKeyPath,
    of type: any KeyValueObservable.Type
  ) -> Unmanaged<ResolvedKey>? {
    named(keyPath, of: type).key
  }

  /// The key of `type` that `keyPath` denotes, if it reads the same property as a value of `valueType`.
  func key(
    reading keyPath: AnyKeyPath,
    as valueType: Any.Type,
    of type: any KeyValueObservable.Type
  ) -> ResolvedKey? {
    let named = named(keyPath, of: type)
    guard named.isOfKey, let key = named.key?.takeUnretainedValue(),
      key.newest.valueType == valueType
    else { return nil }
    return key
  }

  // Valid as the key is.
  private func named(
    _ keyPath: AnyKeyPath,
    of type: any KeyValueObservable.Type
  ) -> NamedKeyPath {
    let address = Unmanaged.passUnretained(keyPath).toOpaque()
    let slot = Self.slot(of: keyPath)
    let name = ObjectIdentifier(type)
    if let known = keyPaths[slot], known.keyPath.toOpaque() == address, known.type == name {
      return known
    }
    let key = type.observableKey(at: keyPath).map(Unmanaged.passRetained)
    let named = NamedKeyPath(
      keyPath: .passRetained(keyPath),
      type: name,
      key: key,
      isOfKey: key.map { $0._withUnsafeGuaranteedRef { $0.newest.reads(keyPath) } } ?? false,
      path: nil
    )
    let previous = keyPaths[slot]
    keyPaths[slot] = named
    // Last: the key path may have captured an object whose deinit names another one.
    previous?.release()
    return named
  }

  /// The path of `keyPath`, which is not a single key, starting at `type`.
  func path(at keyPath: AnyKeyPath, of type: any KeyValueObservable.Type) -> ObservedPath {
    let slot = Self.slot(of: keyPath)
    let known = keyPaths[slot].flatMap { known in
      known.keyPath.toOpaque() == Unmanaged.passUnretained(keyPath).toOpaque()
        && known.type == ObjectIdentifier(type) ? known : nil
    }
    if let path = known?.path { return path.takeUnretainedValue() }
    let path = ObservedPath(
      KeyPathNames.name(of: keyPath, in: type),
      valueType: Swift.type(of: keyPath).valueType
    )
    // Naming it requested the tables of classes, which may have named another path.
    if let now = keyPaths[slot], now.path == nil, known != nil,
      now.keyPath.toOpaque() == known?.keyPath.toOpaque(), now.type == known?.type
    {
      keyPaths[slot]?.path = .passRetained(path)
    }
    return path
  }

  /// The path called `text`.
  func path(named text: String) -> ObservedPath {
    let slot = Self.slot(of: text)
    if let known = paths[slot]?.takeUnretainedValue(), known.text == text { return known }
    let path = ObservedPath(text)
    paths[slot]?.release()
    paths[slot] = .passRetained(path)
    return path
  }

  /// The name of a key path as events have it.
  func id(of text: String) -> StringID {
    // Texts that count as equal may be spelled with different characters; their names differ.
    if let known = paths[Self.slot(of: text)]?.takeUnretainedValue(), let names = known.knownNames,
      known.text == text, known.text.utf8.count == text.utf8.count
    {
      return names.path
    }
    return Recorder.id(of: text)
  }

  private static func slot(of keyPath: AnyKeyPath) -> Int {
    let address = UInt(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque())
    return Int(truncatingIfNeeded: address >> 4) & (capacity - 1)
  }

  private static func slot(of text: String) -> Int {
    var text = text
    return text.withUTF8 { text in
      let bytes = UnsafeRawBufferPointer(text)
      var hash = UInt(bytes.count)
      if bytes.count >= 8 {
        // The first and the last eight bytes.
        hash ^= bytes.loadUnaligned(as: UInt.self)
        hash = hash &* 31 ^ bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt.self)
      } else {
        for byte in bytes { hash = hash &* 31 &+ UInt(byte) }
      }
      return Int((hash &* 0x9E37_79B9_7F4A_7C15) >> 58)
    }
  }

  /// The name of the actor in logs: its type.
  func executor(_ isolation: (any Actor)?) -> StringID {
    guard let isolation else { return .none }
    let type = type(of: isolation)
    if let known = executors.pointee[ObjectIdentifier(type)] { return known }
    let name = Recorder.id(of: _typeName(type, qualified: false))
    executors.pointee[ObjectIdentifier(type)] = name
    return name
  }
}
