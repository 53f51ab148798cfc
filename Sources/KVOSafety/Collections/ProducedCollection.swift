/// The collection that a change of some elements produced, to be compared with the stored one.
///
/// A `didSet`, a wrapper or a setter of the class may correct the value that it is given. The elements and indexes then
/// do not describe the change, and the change becomes a setting.
@usableFromInline
struct ProducedCollection<Collection> {
  /// The collection as the change left it, before the property's own code saw it; nil if it is not
  /// observed.
  ///
  /// Shares its memory with the stored collection; nothing retains it while observers are called.
  @usableFromInline let produced: Collection?
  /// Whether the property was nil before.
  @usableFromInline let wasNil: Bool

  /// Makes the change.
  ///
  /// - Parameters:
  ///   - subject: the object whose property changes.
  ///   - keyPath: the collection.
  ///   - property: `keyPath`, or the optional that holds the collection.
  ///   - mutate: changes the collection.
  @inlinable
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
    wasNil = property !== keyPath && Self.isNil(property, of: subject)
    var produced: Collection?
    func change(_ collection: inout Collection) {
      mutate(&collection)
      produced = collection
    }
    let isDirect =
      property === keyPath
      && subject.modify(keyPath, as: Collection.self) { address in
        change(&address.assumingMemoryBound(to: Collection.self).pointee)
      }
    if !isDirect { change(&subject[keyPath: keyPath]) }
    self.produced = produced
  }

  @usableFromInline
  static func isNil(_ property: AnyKeyPath, of subject: some KeyValueObservable) -> Bool {
    subject[keyPath: property].flattened == nil
  }

  /// The value of the property before the change, which had `collection` unless it was nil.
  @inlinable
  func before(_ collection: @autoclosure () -> Collection) -> Any? {
    wasNil ? Collection?.none as Any : collection()
  }
}

/// A change of some elements that ends as a setting, because the property stores a different value than it produced.
@usableFromInline
final class CorrectedChange {
  /// The whole value before the change.
  let before: Any?

  @usableFromInline
  init(_ before: Any?) { self.before = before }
}

/// Whether two values are equal, or nil if they cannot be compared.
@usableFromInline
func areEqual<Value>(_ first: Value, _ second: Value) -> Bool? {
  (first as? any Equatable).map { $0.equals(second) }
}

extension Equatable {
  fileprivate func equals(_ other: Any) -> Bool { self == other as? Self }
}
