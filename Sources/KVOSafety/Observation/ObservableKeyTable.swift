internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// The keys of a class that can be observed, by name and by key path.
///
/// Made once per class; looking a key up is O(1).
public struct ObservableKeyTable: Sendable {
  private let keys: KeysOfClass

  /// A table of `keys`.
  ///
  /// A key that is listed again under another key path, as `\Savings.balance` beside the inherited `\Account.balance`,
  /// is one key with two spellings. An inherited property is found under both without that; it is listed again to
  /// declare more keys that affect it, which are combined.
  public init(_ keys: ObservableKey...) {
    self.keys = KeysOfClass(base: nil, keys)
  }

  /// A table of the keys of a superclass, and `keys`.
  public init(inheriting base: ObservableKeyTable, _ keys: ObservableKey...) {
    self.keys = KeysOfClass(base: base.keys, keys)
  }

  /// The table that `make` creates, created once for `type`.
  ///
  /// For generic classes, which can have no `static let`:
  ///
  /// ```swift
  /// class var observableKeys: ObservableKeyTable {
  ///   .shared(by: Self.self) { ObservableKeyTable(ObservableKey("value", \Box<Element>.value)) }
  /// }
  /// ```
  ///
  /// Any thread; if two ask at once, both may run `make` and one of the tables is kept.
  ///
  /// - Parameters:
  ///   - type: the class whose table it is: a subclass if the getter is called through one.
  ///   - declarer: the class whose getter asks, if subclasses override it and call `super`: each of them has a
  ///     different table for `type`.
  ///   - make: makes the table.
  /// - Returns: the table, the same one each time.
  /// - Complexity: O(1), one lock.
  public static func shared(
    by type: AnyObject.Type,
    declaredBy declarer: AnyObject.Type? = nil,
    _ make: () -> ObservableKeyTable
  ) -> ObservableKeyTable {
    let owner = TableOwner(
      type: ObjectIdentifier(type),
      declarer: ObjectIdentifier(declarer ?? type)
    )
    if let known = sharedTables.withLock({ $0[owner] }) { return known }
    let made = make()
    return sharedTables.withLock { tables in
      if let known = tables[owner] { return known }
      tables[owner] = made
      return made
    }
  }

  private struct TableOwner: Hashable, Sendable {
    var type: ObjectIdentifier
    var declarer: ObjectIdentifier
  }

  // Its own lock; `make` runs without it.
  private static let sharedTables = GuardedState<[TableOwner: ObservableKeyTable]>([:])

  /// The key called `name`, or nil if the class has none.
  public subscript(name: String) -> ObservableKey? {
    keys.byName[name].map { ObservableKey(declaration: $0.newest) }
  }

  /// The names of all keys, in no particular order.
  public var names: [String] { Array(keys.byName.keys) }

  /// Whether `key` lives for as long as the table does, because the table made it.
  @inline(__always)
  func owns(_ key: ResolvedKey) -> Bool { key.table == keys.number }

  /// Whether both list the same properties, whatever class their key paths start from.
  ///
  /// - Complexity: O(keys).
  func listsSame(as other: ObservableKeyTable) -> Bool {
    Set(keys.byName.keys) == Set(other.keys.byName.keys)
      && Set(keys.byIdentity.keys) == Set(other.keys.byIdentity.keys)
  }

  func key(named name: String) -> ResolvedKey? { keys.byName[name] }

  func key(_ id: StringID) -> ResolvedKey? { keys.key(id) }

  /// Whether the class declared at run time that it sends the notifications of some keys itself.
  var hasManualKeys: Bool { !keys.manual.isEmpty }

  /// Whether it declared that for this key.
  func isManual(_ id: StringID) -> Bool { keys.manual.contains(id) }

  func key(at keyPath: AnyKeyPath) -> ResolvedKey? { keys.byKeyPath[keyPath] }

  /// The keys that affect `key`, if all are keys of the class that no other key affects; nil if there are none or others.
  func affecting(_ key: ResolvedKey) -> [StringID]? {
    guard !key.isAlone else { return nil }
    var affecting: [StringID] = []
    affecting.reserveCapacity(key.affectingKeys.count)
    for path in key.affectingKeys {
      guard let path, path.count == 1, path[0] != key.id, self.key(path[0])?.isAlone == true
      else { return nil }
      affecting.append(path[0])
    }
    return affecting
  }

  /// The key whose key path has only this part; see `KeyPathNames`.
  func key(identifiedBy identity: KeyPathParts.Identity) -> ResolvedKey? {
    keys.byIdentity[identity].flatMap(\.self)
  }
}

extension ObservableKey {
  init(declaration: KeyDeclared) { self.declaration = declaration }
}

/// The keys of one class, its superclasses' among them.
private final class KeysOfClass: Sendable {
  // Only counts: nothing is published with it, so relaxed is enough.
  private static let lastNumber = Atomic<UInt64>(0)

  /// A number that is never reused.
  let number: UInt64
  let byName: [String: ResolvedKey]
  // Sendable: key paths are immutable.
  nonisolated(unsafe) let byKeyPath: [AnyKeyPath: ResolvedKey]
  private let byID: [StringID: ResolvedKey]
  /// The keys of a class with few keys, for which comparing each costs less than hashing.
  private let few: [ResolvedKey]
  private static let fewCount = 8
  /// The keys that the class declared at run time as notified by itself.
  let manual: Set<StringID>
  /// By the only part of the key path; an inner nil if two keys share it.
  let byIdentity: [KeyPathParts.Identity: ResolvedKey?]

  init(base: KeysOfClass?, _ keys: [ObservableKey]) {
    number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    var byName = base?.byName ?? [:]
    var spellings = base?.byKeyPath.mapValues(\.newest.name) ?? [:]
    for key in keys {
      let name = key.name
      byName[name] = ResolvedKey(key.declaration, inherited: byName[name], of: number)
      spellings[key.declaration.keyPath] = name
    }
    var manual = base?.manual ?? []
    if let type = Self.observable(amongRootsOf: keys) {
      for (name, key) in byName {
        let affectedBy = type.keyPathsForValuesAffecting(name)
        let isManual = !type.automaticallyNotifies(name)
        if isManual { manual.insert(key.id) } else { manual.remove(key.id) }
        guard isManual || !affectedBy.isSubset(of: key.affectedBy) else { continue }
        byName[name] = ResolvedKey(key, addingTo: number, affectedBy.sorted(), isManual: isManual)
      }
    }
    self.manual = manual
    self.byName = byName
    byID = Dictionary(byName.values.map { ($0.id, $0) }) { first, _ in first }
    few = byName.count <= Self.fewCount ? Array(byName.values) : []
    byKeyPath = spellings.compactMapValues { byName[$0] }
    var identified: [KeyPathParts.Identity: ResolvedKey?] = [:]
    for (keyPath, name) in spellings {
      guard let key = byName[name], let identity = KeyPathParts.identity(of: keyPath)
      else { continue }
      let isAmbiguous = identified[identity].map { $0?.id != key.id } ?? false
      identified.updateValue(isAmbiguous ? nil : key, forKey: identity)
    }
    byIdentity = identified
  }
}

extension KeysOfClass {
  func key(_ id: StringID) -> ResolvedKey? {
    guard few.isEmpty else { return few.first { $0.id == id } }
    return byID[id]
  }

  /// The class of the keys: the one that inherits from all classes whose properties are listed.
  private static func observable(
    amongRootsOf keys: [ObservableKey]
  ) -> (any KeyValueObservable.Type)? {
    var derived: AnyClass?
    for key in keys {
      guard let root = type(of: key.declaration.keyPath).rootType as? AnyClass else { continue }
      guard let known = derived else {
        derived = root
        continue
      }
      if sequence(first: root, next: { _getSuperclass($0) }).contains(where: { $0 == known }) {
        derived = root
      }
    }
    return derived as? any KeyValueObservable.Type
  }
}

/// A key as the engine uses it: the newest declaration, and the properties of all declarations.
final class ResolvedKey: Sendable {
  let newest: KeyDeclared
  /// The name as events have it.
  let id: StringID
  /// The key paths that affect the value, those of superclasses first.
  let affectedBy: [String]
  let isManual: Bool
  /// Whether no other key affects the value.
  let isAlone: Bool
  /// Whether a class has overridden the getter, so that setters do not know the value.
  let isReadByGetter: Bool
  /// Whether setters notify only if the value is not equal to the one before.
  let isOnlyWhenDifferent: Bool
  /// The number of the keys of the class that it was made for.
  fileprivate let table: UInt64

  fileprivate init(_ newest: KeyDeclared, inherited: ResolvedKey?, of table: UInt64) {
    self.table = table
    self.newest = newest
    id = newest.id
    var affectedBy = inherited?.affectedBy ?? []
    for path in newest.affectedBy where !affectedBy.contains(path) { affectedBy.append(path) }
    self.affectedBy = affectedBy
    isAlone = affectedBy.isEmpty
    isManual = newest.isManual || inherited?.isManual == true
    isReadByGetter = newest.hasOwnGetter || inherited?.isReadByGetter == true
    isOnlyWhenDifferent = newest.isOnlyWhenDifferent || inherited?.isOnlyWhenDifferent == true
  }

  /// The same key with its class's run-time declarations.
  fileprivate init(
    _ key: ResolvedKey,
    addingTo table: UInt64,
    _ affecting: [String],
    isManual: Bool
  ) {
    self.table = table
    newest = key.newest
    id = key.id
    affectedBy = key.affectedBy + affecting.filter { !key.affectedBy.contains($0) }
    isAlone = affectedBy.isEmpty
    self.isManual = isManual || key.isManual
    isReadByGetter = key.isReadByGetter
    isOnlyWhenDifferent = key.isOnlyWhenDifferent
  }

  var read: (AnyObject) -> Any? { newest.read }

  /// The key paths of ``affectedBy`` as events have them.
  ///
  /// Created on first use.
  var affectingPaths: [AffectingPath] { affecting.object { Affecting(affectedBy) }.paths }
  /// Their keys; nil for one with an empty part.
  var affectingKeys: [[StringID]?] { affecting.object { Affecting(affectedBy) }.keys }
  private let affecting = LazyReference<Affecting>()

  private final class Affecting: Sendable {
    let paths: [AffectingPath]
    let keys: [[StringID]?]

    init(_ paths: [String]) {
      self.paths = paths.map { path in AffectingPath(path) { Recorder.id(of: $0) } }
      let empty = Recorder.id(of: "")
      keys = self.paths.map { $0.keys.contains(empty) ? nil : $0.keys }
    }
  }
}
