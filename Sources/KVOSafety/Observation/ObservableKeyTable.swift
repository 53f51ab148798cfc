internal import KVORecorder
internal import KVOTrace

/// The keys of a class that can be observed, by name and by key path.
///
/// Made once per class; looking a key up is O(1).
public struct ObservableKeyTable: @unchecked Sendable {
  // Sendable: immutable after init. Key paths are immutable objects, and a key is read where the
  // caller may read the object itself.
  private let byName: [String: ResolvedKey]
  private let byKeyPath: [AnyKeyPath: ResolvedKey]
  private let byID: [StringID: ResolvedKey]

  /// A table of `keys`.
  ///
  /// A key that is given again under another key path, as `\Savings.balance` beside the inherited
  /// `\Account.balance`, is one key with two spellings: Swift takes these two key paths for
  /// different ones, so a subclass that is observed by key path lists the keys it inherits.
  public init(_ keys: ObservableKey...) {
    self.init(base: nil, keys)
  }

  /// A table of the keys of a superclass, and `keys`.
  public init(inheriting base: ObservableKeyTable, _ keys: ObservableKey...) {
    self.init(base: base, keys)
  }

  private init(base: ObservableKeyTable?, _ keys: [ObservableKey]) {
    var byName = base?.byName ?? [:]
    var byKeyPath = base?.byKeyPath ?? [:]
    for key in keys {
      let resolved = ResolvedKey(id: Recorder.shared.id(of: key.name), read: key.read)
      byName[key.name] = resolved
      byKeyPath[key.keyPath] = resolved
    }
    self.byName = byName
    byID = Dictionary(byName.values.map { ($0.id, $0) }) { first, _ in first }
    self.byKeyPath = byKeyPath
  }

  func key(named name: String) -> ResolvedKey? { byName[name] }

  func key(_ id: StringID) -> ResolvedKey? { byID[id] }

  func key(at keyPath: AnyKeyPath) -> ResolvedKey? { byKeyPath[keyPath] }
}

/// A key as the engine uses it.
struct ResolvedKey {
  let id: StringID
  /// The value of the key in an object of the class, or nil for an object of another class.
  ///
  /// A value that is an optional comes as it is, wrapped once more.
  let read: (AnyObject) -> Any?
}
