/// A dictionary of an observable object, whose changes notify observers of entries.
///
/// ```swift
/// let rates = bank.mutableValues(of: \.rates)
/// rates["EUR"] = 1.1                   // an insertion of ["EUR": 1.1], or a replacement
/// rates["EUR"] = nil                   // a removal
/// ```
///
/// Observers receive the entries that go as the old value, and those that come as the new one, without indexes.
/// Foundation has no equivalent: there, a dictionary is set as a whole.
///
/// A property that is an optional dictionary counts as empty while it is nil, and gets a dictionary at the
/// first insertion. Each change of such a property copies the dictionary.
///
/// If a `didSet`, a wrapper or a setter of the class stores a different value than the change produced, the change
/// becomes a setting, with the whole value before and after it; if values cannot be compared, only the keys are.
///
/// Keeps its object alive, and stores no entries itself. Any thread that may change the property.
public struct ObservedDictionary<Subject: KeyValueObservable, Key: Hashable, Value> {
  private let subject: Subject
  private let keyPath: ReferenceWritableKeyPath<Subject, [Key: Value]>
  /// The property that is observed: `keyPath`, or the optional that holds the dictionary.
  private let property: AnyKeyPath

  init(
    _ subject: Subject,
    _ keyPath: ReferenceWritableKeyPath<Subject, [Key: Value]>,
    in property: AnyKeyPath? = nil
  ) {
    self.subject = subject
    self.keyPath = keyPath
    self.property = property ?? keyPath
  }

  /// The entries as they are now.
  public var values: [Key: Value] { subject[keyPath: keyPath] }

  /// How many entries there are now.
  public var count: Int { values.count }

  /// Whether there are none now.
  public var isEmpty: Bool { values.isEmpty }

  /// The value for `key`, or nil if there is none.
  ///
  /// Setting it is an insertion, or a replacement of the value that was there; setting nil is a removal, and
  /// no change if there was none.
  public subscript(key: Key) -> Value? {
    get { values[key] }
    nonmutating set {
      guard let newValue else {
        _ = removeValue(forKey: key)
        return
      }
      merge([key: newValue])
    }
  }

  /// Removes the entry of `key`, as a removal; if there is none, no observer is notified.
  ///
  /// - Returns: the value, or nil if there was none.
  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    guard let old = values[key] else { return nil }
    change(.removal, from: [key: old], to: nil) { $0.removeValue(forKey: key) }
    return old
  }

  /// Sets several entries as one change: a replacement if there are values for some of their keys, else an
  /// insertion; without entries, nothing changes.
  public func merge(_ entries: [Key: Value]) {
    guard !entries.isEmpty else { return }
    let old = replaced(by: entries)
    let kind: ObservedChangeKind = old.isEmpty ? .insertion : .replacement
    change(kind, from: old, to: entries) { $0.merge(entries) { $1 } }
  }

  /// The present entries of the keys of `entries`.
  ///
  /// Nothing retains the dictionary when it returns: the change would copy it.
  private func replaced(by entries: [Key: Value]) -> [Key: Value] {
    let current = values
    var old: [Key: Value] = [:]
    for key in entries.keys {
      guard let index = current.index(forKey: key) else { continue }
      old[current[index].key] = current[index].value
    }
    return old
  }

  /// Removes all entries, as one removal; if there are none, no observer is notified.
  public func removeAll() {
    let all = values
    if !all.isEmpty { change(.removal, from: all, to: nil) { $0.removeAll() } }
  }

  private func change(
    _ kind: ObservedChangeKind,
    from old: [Key: Value]?,
    to new: [Key: Value]?,
    _ mutate: (inout [Key: Value]) -> Void
  ) {
    subject.willChange(kind, from: old, to: new, of: property)
    subject.didChange(
      elementsOf: property,
      correcting: valueBeforeCorrection(from: old ?? [:], to: new ?? [:], mutate)
    )
  }

  /// Makes the change, and returns the value before it if the property stores a different one than the change produced.
  private func valueBeforeCorrection(
    from old: [Key: Value],
    to new: [Key: Value],
    _ mutate: (inout [Key: Value]) -> Void
  ) -> CorrectedChange? {
    let change = ProducedCollection(changing: subject, keyPath, in: property, mutate)
    guard let produced = change.produced, !Self.areSame(values, produced) else { return nil }
    let kept = produced.filter { new[$0.key] == nil }
    return CorrectedChange(change.before(kept.merging(old) { $1 }))
  }

  /// Whether two dictionaries are equal, as far as values can be compared.
  private static func areSame(_ first: [Key: Value], _ second: [Key: Value]) -> Bool {
    areEqual(first, second) ?? (first.keys == second.keys)
  }
}
