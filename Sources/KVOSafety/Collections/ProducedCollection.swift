/// What a change of some elements made of a collection, to be compared with what the property stored.
///
/// A `didSet`, a wrapper or a setter of the class may correct what it is given. Then elements and places are
/// not what has changed, and the change is a setting.
struct ProducedCollection<Collection> {
  /// The collection as the change left it, before the property's own code saw it; nil if nobody observes.
  ///
  /// Shares its memory with what is stored; nobody holds it while observers are called.
  let produced: Collection?
  /// Whether the property was nil before.
  private let wasNil: Bool

  /// Makes the change.
  ///
  /// - Parameters:
  ///   - subject: whose property changes.
  ///   - keyPath: the collection.
  ///   - property: `keyPath`, or the optional that holds the collection.
  ///   - mutate: changes the collection.
  init<Subject: KeyValueObservable>(
    changing subject: Subject,
    _ keyPath: ReferenceWritableKeyPath<Subject, Collection>,
    in property: AnyKeyPath,
    _ mutate: (inout Collection) -> Void
  ) {
    guard subject.observationRegistrar.wasEverObserved else {
      wasNil = false
      produced = nil
      mutate(&subject[keyPath: keyPath])
      return
    }
    wasNil = property !== keyPath && subject[keyPath: property].flattened == nil
    var produced: Collection?
    func change(_ collection: inout Collection) {
      mutate(&collection)
      produced = collection
    }
    change(&subject[keyPath: keyPath])
    self.produced = produced
  }

  /// The value of the property before the change, which had `collection` unless it was nil.
  func before(_ collection: @autoclosure () -> Collection) -> Any? {
    wasNil ? Collection?.none as Any : collection()
  }
}

/// Whether two values are equal, or nil where that cannot be said.
func areEqual<Value>(_ first: Value, _ second: Value) -> Bool? {
  (first as? any Equatable).map { $0.equals(second) }
}

extension Equatable {
  fileprivate func equals(_ other: Any) -> Bool { self == other as? Self }
}
