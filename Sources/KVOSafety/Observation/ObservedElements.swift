/// An ordered collection of an observable object, whose changes tell observers of elements.
///
/// ```swift
/// let dates = calendar.mutableValues(of: \.dates)
/// try dates.insert(today, at: 0)       // an insertion at 0, with `today` as its new value
/// ```
///
/// Keeps its object alive, and no elements of its own: every call reads and writes the property. For
/// any collection whose places are numbers from 0 on. Any thread that may change the property.
///
/// Mirrors `mutableArrayValue(forKey:)` and `mutableOrderedSetValue(forKey:)`.
public struct ObservedElements<Subject: KeyValueObservable, Elements>
where Elements: RangeReplaceableCollection & RandomAccessCollection, Elements.Index == Int {
  private let subject: Subject
  private let keyPath: ReferenceWritableKeyPath<Subject, Elements>

  init(_ subject: Subject, _ keyPath: ReferenceWritableKeyPath<Subject, Elements>) {
    self.subject = subject
    self.keyPath = keyPath
  }

  /// The elements as they are now.
  public var values: Elements { subject[keyPath: keyPath] }

  /// How many elements there are now.
  public var count: Int { values.count }

  /// Inserts an element before the one at `index`, or at the end.
  ///
  /// - Throws: ``ObservedIndexError`` where there is no such place; nothing has changed then.
  public func insert(_ element: Elements.Element, at index: Int) throws(ObservedIndexError) {
    try change(.insertion, at: RangeSet(index..<(index + 1))) { $0.insert(element, at: index) }
  }

  /// Adds an element at the end.
  public func append(_ element: Elements.Element) { append(contentsOf: CollectionOfOne(element)) }

  /// Adds elements at the end, as one insertion; none of them tell nobody.
  public func append(contentsOf elements: some Collection<Elements.Element>) {
    let end = count
    guard !elements.isEmpty else { return }
    // The end is a place.
    try? change(.insertion, at: RangeSet(end..<(end + elements.count))) {
      $0.append(contentsOf: elements)
    }
  }

  /// Removes an element.
  ///
  /// - Returns: the element.
  /// - Throws: ``ObservedIndexError`` where there is no such place; nothing has changed then.
  @discardableResult
  public func remove(at index: Int) throws(ObservedIndexError) -> Elements.Element {
    var removed: Elements.Element?
    try change(.removal, at: RangeSet(index..<(index + 1))) { removed = $0.remove(at: index) }
    guard let removed else {
      throw ObservedIndexError(key: "\(keyPath)", kind: .removal, index: index, count: count)
    }
    return removed
  }

  /// Removes the elements at several places, as one removal.
  ///
  /// - Throws: ``ObservedIndexError`` where there is no such place; nothing has changed then.
  public func remove(at indexes: RangeSet<Int>) throws(ObservedIndexError) {
    guard !indexes.isEmpty else { return }
    try change(.removal, at: indexes) { elements in
      for range in indexes.ranges.reversed() { elements.removeSubrange(range) }
    }
  }

  /// Removes all elements, as one removal; where there are none, nobody is told.
  public func removeAll() {
    let all = count
    // All that are there are places.
    try? remove(at: RangeSet(0..<all))
  }

  /// Puts another element into a place.
  ///
  /// - Throws: ``ObservedIndexError`` where there is no such place; nothing has changed then.
  public func replace(
    at index: Int,
    with element: Elements.Element
  ) throws(ObservedIndexError) {
    try change(.replacement, at: RangeSet(index..<(index + 1))) { elements in
      elements.replaceSubrange(index..<(index + 1), with: CollectionOfOne(element))
    }
  }

  private func change(
    _ kind: ObservedChangeKind,
    at indexes: RangeSet<Int>,
    _ mutate: (inout Elements) -> Void
  ) throws(ObservedIndexError) {
    try subject.willChange(kind, valuesAt: indexes, for: keyPath)
    mutate(&subject[keyPath: keyPath])
    subject.didChange(kind, valuesAt: indexes, for: keyPath)
  }
}

/// A set of an observable object, whose changes tell observers of elements.
///
/// Keeps its object alive, and no elements of its own. Any thread that may change the property.
///
/// Mirrors `mutableSetValue(forKey:)`.
public struct ObservedSet<Subject: KeyValueObservable, Element: Hashable> {
  private let subject: Subject
  private let keyPath: ReferenceWritableKeyPath<Subject, Set<Element>>

  init(_ subject: Subject, _ keyPath: ReferenceWritableKeyPath<Subject, Set<Element>>) {
    self.subject = subject
    self.keyPath = keyPath
  }

  /// The elements as they are now.
  public var values: Set<Element> { subject[keyPath: keyPath] }

  /// Adds elements: an insertion of those that were not there.
  public func formUnion(_ elements: Set<Element>) {
    change(.union, elements) { $0.formUnion(elements) }
  }

  /// Removes elements: a removal of those that were there.
  public func subtract(_ elements: Set<Element>) {
    change(.minus, elements) { $0.subtract(elements) }
  }

  /// Removes what is not among `elements`.
  public func formIntersection(_ elements: Set<Element>) {
    change(.intersect, elements) { $0.formIntersection(elements) }
  }

  /// Makes the set equal to `elements`: a replacement of those that go by those that come.
  public func set(_ elements: Set<Element>) { change(.set, elements) { $0 = elements } }

  private func change(
    _ mutation: ObservedSetMutation,
    _ elements: Set<Element>,
    _ mutate: (inout Set<Element>) -> Void
  ) {
    subject.willChangeValue(for: keyPath, withSetMutation: mutation, using: elements)
    mutate(&subject[keyPath: keyPath])
    subject.didChangeValue(for: keyPath, withSetMutation: mutation, using: elements)
  }
}

extension KeyValueObservable {
  /// An ordered collection of the object, whose changes tell observers of elements.
  public func mutableValues<Elements>(
    of keyPath: ReferenceWritableKeyPath<Self, Elements>
  ) -> ObservedElements<Self, Elements> {
    ObservedElements(self, keyPath)
  }

  /// A set of the object, whose changes tell observers of elements.
  public func mutableSet<Element>(
    of keyPath: ReferenceWritableKeyPath<Self, Set<Element>>
  ) -> ObservedSet<Self, Element> {
    ObservedSet(self, keyPath)
  }
}
