internal import KVORecorder
internal import KVOTrace

extension KeyValueObservable {
  /// Announces that elements of a collection are about to be inserted, removed or replaced.
  ///
  /// Observers of the key receive these elements and their indexes instead of the whole value.
  /// ``didChange(_:valuesAt:for:fileID:line:function:)`` must follow, on the same thread. A
  /// notification of the property's own setter in between is part of this change, and reaches no
  /// observer.
  ///
  /// A second half of another kind or with other indexes is reported (KVO012). It ends this change all the same, as a
  /// setting: observers receive the whole value after it, and the value before it only if they observe all of it.
  ///
  /// An assignment to the property, or a mutation such as `dates.append(x)`, is a setting: observers receive the whole
  /// value, as with a setter in Foundation. Use this, or `mutableValues(of:)`, to notify them of elements.
  ///
  /// Mirrors `willChange(_:valuesAt:forKey:)` of `NSObject`.
  ///
  /// - Parameters:
  ///   - kind: what happens to the elements.
  ///   - indexes: the indexes of the elements, counted from the start: for an insertion those after
  ///     it, else those before.
  ///   - keyPath: the collection.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  /// - Throws: ``ObservedIndexError`` if there is no such index. Nothing has begun then.
  public func willChange<Elements: RangeReplaceableCollection>(
    _ kind: ObservedChangeKind,
    valuesAt indexes: RangeSet<Int>,
    for keyPath: KeyPath<Self, Elements>,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) throws(ObservedIndexError) {
    let site = CallSite(fileID: fileID, line: line, function: function)
    let elements = ChangedElements(indexes)
    let count = self[keyPath: keyPath].count
    try willChange(kind, at: elements, of: count, keyPath, isPaired: true, site: site)
  }

  /// The same for a property that has `count` elements now, whether it is a collection or holds one.
  ///
  /// `read` reads the elements from the object, which costs less than reading the collection as a value of any type.
  /// `isPaired` says whether the program calls both halves itself.
  @usableFromInline
  func willChange(
    _ kind: ObservedChangeKind,
    at elements: ChangedElements,
    of count: Int,
    _ keyPath: AnyKeyPath,
    read: ElementReader? = nil,
    isPaired: Bool = false,
    site: CallSite = CallSite(fileID: #fileID, line: #line, function: #function)
  ) throws(ObservedIndexError) {
    guard let key = key(at: keyPath) else { return refuseChange(of: keyPath, at: site) }
    if let index = elements.firstOutside(0..<elements.limit(kind, count)) {
      throw ObservedIndexError(key: key.newest.name, kind: kind, index: index, count: count)
    }
    let extent = ChangeExtent(kind: Change.Kind(kind), positions: elements, read: read)
    let announced = isPaired ? AnnouncedChange(kind, at: elements) : nil
    ChangeNotification.willChange(self, key: key.id, extent, as: announced, site: site)
  }

  /// Notifies that elements of a collection were inserted, removed or replaced; observers are notified before it
  /// returns.
  ///
  /// Mirrors `didChange(_:valuesAt:forKey:)` of `NSObject`.
  public func didChange<Elements: RangeReplaceableCollection>(
    _ kind: ObservedChangeKind,
    valuesAt indexes: RangeSet<Int>,
    for keyPath: KeyPath<Self, Elements>,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    let site = CallSite(fileID: fileID, line: line, function: function)
    let announced = AnnouncedChange(kind, at: ChangedElements(indexes))
    didChange(elementsOf: keyPath, as: announced, site: site)
  }

  /// Ends a change that the library began, of a property that is a collection or holds one.
  ///
  /// `corrected` has the whole value before the change, if the property stored a different one than the change produced.
  @usableFromInline
  func didChange(
    elementsOf keyPath: AnyKeyPath,
    correcting corrected: CorrectedChange? = nil,
    site: CallSite = CallSite(fileID: #fileID, line: #line, function: #function)
  ) {
    didChange(elementsOf: keyPath, as: nil, correcting: corrected, site: site)
  }

  /// Ends a change of elements; `announced` says which, if the program began it itself.
  private func didChange(
    elementsOf keyPath: AnyKeyPath,
    as announced: AnnouncedChange?,
    correcting corrected: CorrectedChange? = nil,
    site: CallSite
  ) {
    guard let key = key(at: keyPath) else { return }
    ChangeNotification.didChange(
      self,
      key: key.id,
      as: announced,
      covers: true,
      correcting: corrected,
      site: site
    )
  }

  /// Announces that elements of an unordered collection are about to change; `announced` says how, if the program calls
  /// both halves itself.
  func willChange(
    _ kind: ObservedChangeKind,
    from old: Any?,
    to new: Any?,
    of keyPath: AnyKeyPath,
    as announced: AnnouncedChange? = nil,
    site: CallSite = CallSite(fileID: #fileID, line: #line, function: #function)
  ) {
    guard let key = key(at: keyPath) else { return refuseChange(of: keyPath, at: site) }
    let extent = ChangeExtent(kind: Change.Kind(kind), elements: (old, new))
    ChangeNotification.willChange(self, key: key.id, extent, as: announced, site: site)
  }

  /// Announces that a set is about to be combined with another.
  ///
  /// Observers receive the added and removed elements, without indexes: a union inserts, the others remove, and a new
  /// set replaces. ``didChangeValue(for:withSetMutation:using:fileID:line:function:)`` must follow, on the same thread;
  /// the property's own setter notifies no observer in between. A second half with another mutation is reported
  /// (KVO012), and ends this change as a setting.
  ///
  /// Mirrors `willChangeValue(forKey:withSetMutation:using:)` of `NSObject`.
  public func willChangeValue<Element>(
    for keyPath: KeyPath<Self, Set<Element>>,
    withSetMutation mutation: ObservedSetMutation,
    using elements: Set<Element>,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    let change = mutation.change(of: self[keyPath: keyPath], using: elements)
    let site = CallSite(fileID: fileID, line: line, function: function)
    willChange(
      change.kind,
      from: change.old,
      to: change.new,
      of: keyPath,
      as: AnnouncedChange(mutation),
      site: site
    )
  }

  /// Notifies that a set was combined with another; observers are notified before it returns.
  public func didChangeValue<Element>(
    for keyPath: KeyPath<Self, Set<Element>>,
    withSetMutation mutation: ObservedSetMutation,
    using elements: Set<Element>,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    let site = CallSite(fileID: fileID, line: line, function: function)
    didChange(elementsOf: keyPath, as: AnnouncedChange(mutation), site: site)
  }

  /// Calls `body` with the address of the value of a property, through the accessors that its key knows.
  ///
  /// Returns false, and calls nothing, if the key does not know them; they are then searched by the key path.
  @usableFromInline
  func visit(
    _ keyPath: AnyKeyPath,
    as valueType: Any.Type,
    _ body: (UnsafeRawPointer) -> Void
  ) -> Bool {
    accessors(of: keyPath, as: valueType)?.visit(self, body) ?? false
  }

  /// The same with a value that `body` may change, and that is then stored.
  @usableFromInline
  func modify(
    _ keyPath: AnyKeyPath,
    as valueType: Any.Type,
    _ body: (UnsafeMutableRawPointer) -> Void
  ) -> Bool {
    accessors(of: keyPath, as: valueType)?.modify?(self, body) ?? false
  }

  /// The key that knows the accessors of `keyPath`, or nil.
  private func accessors(of keyPath: AnyKeyPath, as valueType: Any.Type) -> KeyDeclared? {
    ThreadChanges.namesOfThisThread.key(reading: keyPath, as: valueType, of: type(of: self))?.newest
  }

  /// The key that `keyPath` denotes, or nil if it denotes none.
  func key(at keyPath: AnyKeyPath) -> ResolvedKey? {
    ThreadChanges.namesOfThisThread.key(at: keyPath, of: type(of: self))?.takeUnretainedValue()
  }
}

/// How a set is combined with another.
///
/// Mirrors `NSKeyValueSetMutationKind`, with its raw values.
public enum ObservedSetMutation: UInt, Hashable, Sendable {
  /// Elements are added.
  case union = 1
  /// Elements are removed.
  case minus = 2
  /// Elements that the other does not have are removed.
  case intersect = 3
  /// The other replaces it.
  case set = 4

  /// What happens to the elements, as it is reported to observers.
  var kind: ObservedChangeKind {
    switch self {
    case .union: .insertion
    case .minus, .intersect: .removal
    case .set: .replacement
    }
  }

  /// The change that is reported to observers: the removed and the added elements.
  func change<Element>(
    of current: Set<Element>,
    using elements: Set<Element>
  ) -> (kind: ObservedChangeKind, old: Set<Element>?, new: Set<Element>?) {
    switch self {
    // Not by subtracting, which looks at each element of the set that is subtracted.
    case .union: (kind, nil, elements.filter { !current.contains($0) })
    case .minus: (kind, current.intersection(elements), nil)
    case .intersect: (kind, current.subtracting(elements), nil)
    case .set: (kind, current.subtracting(elements), elements.subtracting(current))
    }
  }
}

/// An index that a collection does not have.
///
/// Foundation raises `NSRangeException` there.
public struct ObservedIndexError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key of the collection.
  public let key: String
  /// The intended change of the element.
  public let kind: ObservedChangeKind
  /// The index, counted from the start.
  public let index: Int
  /// How many elements the collection had.
  public let count: Int

  @usableFromInline
  init(key: String, kind: ObservedChangeKind, index: Int, count: Int) {
    self.key = key
    self.kind = kind
    self.index = index
    self.count = count
  }

  /// What is wrong, and what would be right.
  public var description: String {
    let range = kind == .insertion ? "0...\(count)" : "0..<\(count)"
    return "\"\(index)\" is not an index for a change (\(kind)) of \"\(key)\", which has \(count) "
      + "elements: give one in \(range)"
  }
}

extension Change.Kind {
  init(_ kind: ObservedChangeKind) {
    switch kind {
    case .setting: self = .setting
    case .insertion: self = .insertion
    case .removal: self = .removal
    case .replacement: self = .replacement
    }
  }
}
