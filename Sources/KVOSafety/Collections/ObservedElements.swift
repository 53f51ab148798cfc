/// An ordered collection of an observable object, whose changes notify observers of elements.
///
/// ```swift
/// let dates = calendar.mutableValues(of: \.dates)
/// try dates.insert(today, at: 0)       // an insertion at 0, with `today` as its new value
/// dates[0] = tomorrow                  // a replacement at 0
/// dates.sort()                         // a replacement of all
/// ```
///
/// A property that is an optional collection counts as empty while it is nil, and gets a collection at
/// the first insertion. Each change of such a property copies the collection.
///
/// Keeps its object alive, and stores no elements itself: every call reads and writes the property. Works for any
/// collection whose indexes are integers starting at 0. Any thread that may change the property.
///
/// If a `didSet`, a wrapper or a setter of the class stores a different value than the change produced, the change
/// becomes a setting, with the whole value before and after it. In that case only the prior notification, which is sent
/// before, has the elements.
///
/// Mirrors `mutableArrayValue(forKey:)` and `mutableOrderedSetValue(forKey:)`.
public struct ObservedElements<Subject: KeyValueObservable, Elements>
where Elements: RangeReplaceableCollection & RandomAccessCollection, Elements.Index == Int {
  @usableFromInline let subject: Subject
  @usableFromInline let keyPath: ReferenceWritableKeyPath<Subject, Elements>
  /// The property that is observed: `keyPath`, or the optional that holds the collection.
  @usableFromInline let property: AnyKeyPath

  init(
    _ subject: Subject,
    _ keyPath: ReferenceWritableKeyPath<Subject, Elements>,
    in property: AnyKeyPath? = nil
  ) {
    self.subject = subject
    self.keyPath = keyPath
    self.property = property ?? keyPath
  }

  /// The elements as they are now.
  @inlinable
  public var values: Elements { subject[keyPath: keyPath] }

  /// How many elements there are now.
  @inlinable
  public var count: Int { values.count }

  /// Whether there are none now.
  @inlinable
  public var isEmpty: Bool { values.isEmpty }

  /// The element at `index`; setting it replaces the element.
  ///
  /// As with an array, there must be such an index: it traps otherwise. ``replace(at:with:)`` throws.
  @inlinable
  public subscript(index: Int) -> Elements.Element {
    get { values[index] }
    nonmutating set {
      do {
        try replace(at: index, with: newValue)
      } catch {
        preconditionFailure("\(error)")
      }
    }
  }

  /// The elements in `range`; setting them is ``replaceSubrange(_:with:)``.
  ///
  /// As with an array, there must be such a range: it traps otherwise.
  @inlinable
  public subscript(range: Range<Int>) -> Elements.SubSequence {
    get { values[range] }
    nonmutating set {
      do {
        try replaceSubrange(range, with: newValue)
      } catch {
        preconditionFailure("\(error)")
      }
    }
  }

  /// Inserts an element before the one at `index`, or at the end.
  ///
  /// - Throws: ``ObservedIndexError`` if there is no such index; nothing has changed then.
  @inlinable
  public func insert(_ element: Elements.Element, at index: Int) throws(ObservedIndexError) {
    try change(.insertion, at: ChangedElements(place(index, .insertion))) {
      $0.insert(element, at: index)
    }
  }

  /// Adds an element at the end.
  @inlinable
  public func append(_ element: Elements.Element) { append(contentsOf: CollectionOfOne(element)) }

  /// Adds elements at the end, as one insertion; if there are none, no observer is notified.
  @inlinable
  public func append(contentsOf elements: some Collection<Elements.Element>) {
    let end = count
    guard !elements.isEmpty else { return }
    // Does not throw: the end is a valid index for an insertion.
    try? change(.insertion, at: ChangedElements(end..<(end + elements.count))) {
      $0.append(contentsOf: elements)
    }
  }

  /// Removes an element.
  ///
  /// - Returns: the element.
  /// - Throws: ``ObservedIndexError`` if there is no such index; nothing has changed then.
  @inlinable
  @discardableResult
  public func remove(at index: Int) throws(ObservedIndexError) -> Elements.Element {
    var removed: Elements.Element?
    try change(.removal, at: ChangedElements(place(index, .removal))) {
      removed = $0.remove(at: index)
    }
    guard let removed else {
      throw noPlace(index, .removal)
    }
    return removed
  }

  /// Removes the elements at several indexes, as one removal.
  ///
  /// - Throws: ``ObservedIndexError`` if there is no such index; nothing has changed then.
  @inlinable
  public func remove(at indexes: RangeSet<Int>) throws(ObservedIndexError) {
    guard !indexes.isEmpty else { return }
    let removed = ChangedElements(indexes)
    try change(.removal, at: removed) { elements in
      for range in removed.ranges.reversed() { elements.removeSubrange(range) }
    }
  }

  /// Removes all elements, as one removal; if there are none, no observer is notified.
  @inlinable
  public func removeAll() {
    let all = count
    // Does not throw: the indexes of all elements are valid.
    guard all > 0 else { return }
    try? change(.removal, at: ChangedElements(0..<all)) { $0.removeSubrange(0..<all) }
  }

  /// Replaces the element at an index.
  ///
  /// - Throws: ``ObservedIndexError`` if there is no such index; nothing has changed then.
  @inlinable
  public func replace(
    at index: Int,
    with element: Elements.Element
  ) throws(ObservedIndexError) {
    let place = try place(index, .replacement)
    try change(.replacement, at: ChangedElements(place)) { elements in
      elements.replaceSubrange(place, with: CollectionOfOne(element))
    }
  }

  /// Replaces the elements in a range by others, of which there may be more or fewer.
  ///
  /// If their number is unchanged, this is one replacement. Otherwise it is what `NSMutableArray` does: a removal, if
  /// there are elements in the range, and an insertion, if there are new ones.
  ///
  /// - Throws: ``ObservedIndexError`` if there is no such range; nothing has changed then.
  @inlinable
  public func replaceSubrange(
    _ range: Range<Int>,
    with elements: some Collection<Elements.Element>
  ) throws(ObservedIndexError) {
    let (end, isTooLarge) = range.lowerBound.addingReportingOverflow(elements.count)
    guard !isTooLarge else { throw noPlace(range.lowerBound, .insertion) }
    let inserted = range.lowerBound..<end
    if range.count == elements.count, !range.isEmpty {
      return try change(.replacement, at: ChangedElements(range)) {
        $0.replaceSubrange(range, with: elements)
      }
    }
    if !range.isEmpty {
      try change(.removal, at: ChangedElements(range)) { $0.removeSubrange(range) }
    }
    if !inserted.isEmpty {
      try change(.insertion, at: ChangedElements(inserted)) {
        $0.insert(contentsOf: elements, at: range.lowerBound)
      }
    }
  }

  /// Exchanges two elements, as one replacement; the same index twice is not a change.
  ///
  /// - Throws: ``ObservedIndexError`` if there is no such index; nothing has changed then.
  @inlinable
  public func swapAt(_ first: Int, _ second: Int) throws(ObservedIndexError) {
    guard first != second else { return }
    let places = (try place(first, .replacement), try place(second, .replacement))
    try change(.replacement, at: ChangedElements(places.0, places.1)) { elements in
      let old = (elements[first], elements[second])
      elements.replaceSubrange(places.0, with: CollectionOfOne(old.1))
      elements.replaceSubrange(places.1, with: CollectionOfOne(old.0))
    }
  }

  /// Sorts the elements, as one replacement of all; fewer than two are not a change.
  ///
  /// - Complexity: O(n log n). `areInIncreasingOrder` runs before the change begins.
  @inlinable
  public func sort(
    by areInIncreasingOrder: (Elements.Element, Elements.Element) throws -> Bool
  ) rethrows {
    let sorted = try values.sorted(by: areInIncreasingOrder)
    guard sorted.count > 1 else { return }
    // Does not throw: the indexes of all elements are valid.
    try? replaceSubrange(0..<sorted.count, with: sorted)
  }

  /// The range of one element; the greatest integer, as which `NSNotFound` comes, is not an index.
  @inlinable
  func place(_ index: Int, _ kind: ObservedChangeKind) throws(ObservedIndexError) -> Range<Int> {
    guard index < .max else { throw noPlace(index, kind) }
    return index..<(index + 1)
  }

  @usableFromInline
  func noPlace(_ index: Int, _ kind: ObservedChangeKind) -> ObservedIndexError {
    let key = subject.key(at: property)?.newest.name ?? "\(keyPath)"
    return ObservedIndexError(key: key, kind: kind, index: index, count: count)
  }

  @inlinable
  func change(
    _ kind: ObservedChangeKind,
    at elements: ChangedElements,
    _ mutate: (inout Elements) -> Void
  ) throws(ObservedIndexError) {
    guard subject.observationRegistrar.wasEverObserved else {
      try subject.willChange(kind, at: elements, of: count, property)
      mutate(&subject[keyPath: keyPath])
      // It may be observed by now.
      return subject.didChange(elementsOf: property)
    }
    // Elements of a property that may be nil are picked from its value, which may be nil.
    let read =
      property === keyPath
      ? ElementReader(of: Elements.self) { [self] body in
        withUnsafePointer(to: current.elements(at: elements.ranges)) { body(UnsafeRawPointer($0)) }
      } : nil
    try subject.willChange(kind, at: elements, of: current.count, property, read: read)
    subject.didChange(
      elementsOf: property,
      correcting: valueBeforeCorrection(kind, at: elements.ranges, mutate)
    )
  }

  /// As ``values``, while the property is observed.
  @inlinable var current: Elements {
    var value: Elements?
    let isRead =
      property === keyPath
      && subject.visit(keyPath, as: Elements.self) { address in
        value = address.assumingMemoryBound(to: Elements.self).pointee
      }
    return isRead ? value.unsafelyUnwrapped : values
  }

  /// Makes the change, and returns the value before it if the property stores a different one than the change produced.
  @inlinable
  func valueBeforeCorrection(
    _ kind: ObservedChangeKind,
    at ranges: [Range<Int>],
    _ mutate: (inout Elements) -> Void
  ) -> CorrectedChange? {
    var gone = Elements()
    let change = ProducedCollection(changing: subject, keyPath, in: property) { elements in
      if kind != .insertion { gone = elements.elements(at: ranges) }
      mutate(&elements)
    }
    guard let produced = change.produced, !Self.areSame(current, produced) else { return nil }
    return CorrectedChange(change.before(produced.before(kind, at: ranges, gone)))
  }

  /// Whether two collections share their memory or are equal.
  ///
  /// - Complexity: O(1) if they share their memory, as they do unless the property's own code wrote
  ///   to one. Elements that cannot be compared are otherwise taken to differ.
  @inlinable
  static func areSame(_ first: Elements, _ second: Elements) -> Bool {
    guard first.count == second.count else { return false }
    let isShared = first.withContiguousStorageIfAvailable { first in
      second.withContiguousStorageIfAvailable { $0.baseAddress == first.baseAddress } == true
    }
    return isShared == true || areEqual(first, second) ?? (isShared == nil)
  }
}

extension RangeReplaceableCollection where Self: RandomAccessCollection, Index == Int {
  /// Reconstructs the collection before the change that produced this one: without inserted elements, or with the
  /// `gone` ones.
  @inlinable
  func before(
    _ kind: ObservedChangeKind,
    at ranges: [Range<Int>],
    _ gone: Self
  ) -> Self {
    var before = self
    if kind == .insertion {
      for range in ranges.reversed() { before.removeSubrange(range) }
      return before
    }
    var rest = gone[...]
    for range in ranges {
      let present = kind == .removal ? range.lowerBound..<range.lowerBound : range
      before.replaceSubrange(present, with: rest.prefix(range.count))
      rest = rest.dropFirst(range.count)
    }
    return before
  }
}

extension ObservedElements where Elements.Element: Comparable {
  /// Sorts the elements in ascending order, as one replacement of all; fewer than two are not a change.
  @inlinable
  public func sort() { sort(by: <) }
}
