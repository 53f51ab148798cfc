internal import KVORecorder
internal import KVOTrace

/// What the calling thread has named lately: call sites, key paths and executors.
///
/// Each has a few places, and a newcomer takes the place of who was there: the memory is bounded, and
/// a look is a comparison of words. Belongs to one thread.
final class ThreadNames {
  private static let capacity = 64

  /// A call site as events have it.
  struct SiteNames {
    var id: StringID
    var stack: StackID
  }

  private struct NamedSite {
    var site: CallSite
    var names: SiteNames
  }

  /// Holds the key path, so that its address means no other.
  private struct NamedKeyPath {
    var keyPath: AnyKeyPath
    var type: ObjectIdentifier
    var key: ResolvedKey?
  }

  private var sites = [NamedSite?](repeating: nil, count: capacity)
  private var keyPaths = [NamedKeyPath?](repeating: nil, count: capacity)
  private var executors: [ObjectIdentifier: StringID] = [:]

  /// The file and line, and the stack of one frame, of a call site.
  func names(of site: CallSite) -> SiteNames {
    let place = Int(truncatingIfNeeded: (UInt(bitPattern: site.fileID.utf8Start) >> 4) ^ site.line)
    if let known = sites[place & (Self.capacity - 1)], known.site == site { return known.names }
    let names = SiteNames(id: site.id, stack: site.stack)
    sites[place & (Self.capacity - 1)] = NamedSite(site: site, names: names)
    return names
  }

  /// The key that `keyPath` is to `type`.
  func key(at keyPath: AnyKeyPath, of type: any KeyValueObservable.Type) -> ResolvedKey? {
    let address = UInt(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque())
    let place = Int(truncatingIfNeeded: address >> 4) & (Self.capacity - 1)
    let name = ObjectIdentifier(type)
    if let known = keyPaths[place], known.keyPath === keyPath, known.type == name {
      return known.key
    }
    let key = type.observableKey(at: keyPath)
    keyPaths[place] = NamedKeyPath(keyPath: keyPath, type: name, key: key)
    return key
  }

  /// What logs call the actor: its type.
  func executor(_ isolation: (any Actor)?) -> StringID {
    guard let isolation else { return .none }
    let type = type(of: isolation)
    if let known = executors[ObjectIdentifier(type)] { return known }
    let name = Recorder.id(of: _typeName(type, qualified: false))
    executors[ObjectIdentifier(type)] = name
    return name
  }
}
