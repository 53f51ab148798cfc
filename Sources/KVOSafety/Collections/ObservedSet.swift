/// A set of an observable object, whose changes notify observers of elements.
///
/// ```swift
/// let tags = account.mutableValues(of: \.tags)
/// tags.insert("new")                   // an insertion of ["new"]
/// ```
///
/// A property that is an optional set counts as empty while it is nil, and gets a set when elements are added. Each
/// change of such a property copies the set.
///
/// A call that adds nothing and removes nothing is not a change: the property is not set, and no
/// observer is notified. Foundation's and GNUstep's sets notify then too, with an empty set;
/// `willChangeValue(for:withSetMutation:using:)` does as they do.
///
/// If a `didSet`, a wrapper or a setter of the class stores a different value than the change produced, the change
/// becomes a setting, with the whole value before and after it. In that case only the prior notification, which is sent
/// before, has the elements.
///
/// Keeps its object alive, and stores no elements itself. Any thread that may change the property.
///
/// Mirrors `mutableSetValue(forKey:)`.
public struct ObservedSet<Subject: KeyValueObservable, Element: Hashable> {
  private let subject: Subject
  private let keyPath: ReferenceWritableKeyPath<Subject, Set<Element>>
  /// The property that is observed: `keyPath`, or the optional that holds the set.
  private let property: AnyKeyPath

  init(
    _ subject: Subject,
    _ keyPath: ReferenceWritableKeyPath<Subject, Set<Element>>,
    in property: AnyKeyPath? = nil
  ) {
    self.subject = subject
    self.keyPath = keyPath
    self.property = property ?? keyPath
  }

  /// The elements as they are now.
  public var values: Set<Element> { subject[keyPath: keyPath] }

  /// How many elements there are now.
  public var count: Int { values.count }

  /// Whether there are none now.
  public var isEmpty: Bool { values.isEmpty }

  /// Whether `element` is there now.
  public func contains(_ element: Element) -> Bool { values.contains(element) }

  /// Adds an element, as an insertion; one that is there already is not a change.
  public func insert(_ element: Element) {
    if !contains(element) { formUnion([element]) }
  }

  /// Removes an element, as a removal; one that is not there is no change.
  ///
  /// - Returns: the element, or nil if it was not there.
  @discardableResult
  public func remove(_ element: Element) -> Element? {
    guard let removed = known(element) else { return nil }
    subtract([removed])
    return removed
  }

  /// The element that is there now; nothing retains the set when it returns: the change would copy it.
  private func known(_ element: Element) -> Element? {
    let current = values
    return current.firstIndex(of: element).map { current[$0] }
  }

  /// Removes all elements, as one removal; if there are none, no observer is notified.
  public func removeAll() {
    let all = values
    if !all.isEmpty { subtract(all) }
  }

  /// Adds elements: an insertion of those that were not there; if all were, no change.
  public func formUnion(_ elements: Set<Element>) {
    change(.union, elements) { $0.formUnion(elements) }
  }

  /// Removes elements: a removal of those that were there; if none was, no change.
  public func subtract(_ elements: Set<Element>) {
    change(.minus, elements) { $0.subtract(elements) }
  }

  /// Removes elements that are not in `elements`, as a removal; if there are none, nothing changes.
  public func formIntersection(_ elements: Set<Element>) {
    change(.intersect, elements) { $0.formIntersection(elements) }
  }

  /// Makes the set equal to `elements`: a replacement of the removed elements by the added ones; if the set is equal
  /// already, nothing changes.
  public func set(_ elements: Set<Element>) { change(.set, elements) { $0 = elements } }

  private func change(
    _ mutation: ObservedSetMutation,
    _ elements: Set<Element>,
    _ mutate: (inout Set<Element>) -> Void
  ) {
    let (kind, old, new) = mutation.change(of: values, using: elements)
    guard old?.isEmpty == false || new?.isEmpty == false else { return }
    subject.willChange(kind, from: old, to: new, of: property)
    subject.didChange(
      elementsOf: property,
      correcting: valueBeforeCorrection(from: old ?? [], to: new ?? [], mutate)
    )
  }

  /// Makes the change, and returns the value before it if the property stores a different one than the change produced.
  private func valueBeforeCorrection(
    from old: Set<Element>,
    to new: Set<Element>,
    _ mutate: (inout Set<Element>) -> Void
  ) -> CorrectedChange? {
    let change = ProducedCollection(changing: subject, keyPath, in: property, mutate)
    guard let produced = change.produced, values != produced else { return nil }
    return CorrectedChange(change.before(produced.subtracting(new).union(old)))
  }
}
