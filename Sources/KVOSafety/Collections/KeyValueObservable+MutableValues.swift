extension KeyValueObservable {
  /// A view of an ordered collection of the object; its changes notify observers of elements.
  public func mutableValues<Elements>(
    of keyPath: ReferenceWritableKeyPath<Self, Elements>
  ) -> ObservedElements<Self, Elements> {
    ObservedElements(self, keyPath)
  }

  /// An ordered collection that may be nil; the first insertion makes one.
  public func mutableValues<Elements>(
    of keyPath: ReferenceWritableKeyPath<Self, Elements?>
  ) -> ObservedElements<Self, Elements> {
    ObservedElements(self, keyPath.appending(path: \.elementsOrNone), in: keyPath)
  }

  /// A set of the object, whose changes notify observers of elements.
  public func mutableValues<Element>(
    of keyPath: ReferenceWritableKeyPath<Self, Set<Element>>
  ) -> ObservedSet<Self, Element> {
    ObservedSet(self, keyPath)
  }

  /// A set that may be nil; the first insertion makes one.
  public func mutableValues<Element>(
    of keyPath: ReferenceWritableKeyPath<Self, Set<Element>?>
  ) -> ObservedSet<Self, Element> {
    ObservedSet(self, keyPath.appending(path: \.valuesOrNone), in: keyPath)
  }

  /// A dictionary of the object, whose changes notify observers of entries.
  public func mutableValues<Key, Value>(
    of keyPath: ReferenceWritableKeyPath<Self, [Key: Value]>
  ) -> ObservedDictionary<Self, Key, Value> {
    ObservedDictionary(self, keyPath)
  }

  /// A dictionary that may be nil; the first insertion makes one.
  public func mutableValues<Key, Value>(
    of keyPath: ReferenceWritableKeyPath<Self, [Key: Value]?>
  ) -> ObservedDictionary<Self, Key, Value> {
    ObservedDictionary(self, keyPath.appending(path: \.valuesOrNone), in: keyPath)
  }

  /// A set of the object, whose changes notify observers of elements; as `mutableValues(of:)`.
  public func mutableSet<Element>(
    of keyPath: ReferenceWritableKeyPath<Self, Set<Element>>
  ) -> ObservedSet<Self, Element> {
    ObservedSet(self, keyPath)
  }
}

// Presents a collection that may be nil as an empty one. If it stays empty, the property stays nil.
extension Optional where Wrapped: RangeReplaceableCollection {
  fileprivate var elementsOrNone: Wrapped {
    get { self ?? Wrapped() }
    set { if self != nil || !newValue.isEmpty { self = newValue } }
  }
}

extension Optional where Wrapped: UnorderedValues {
  fileprivate var valuesOrNone: Wrapped {
    get { self ?? Wrapped() }
    set { if self != nil || !newValue.isEmpty { self = newValue } }
  }
}

private protocol UnorderedValues {
  init()
  var isEmpty: Bool { get }
}

extension Set: UnorderedValues {}
extension Dictionary: UnorderedValues {}
