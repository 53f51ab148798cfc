/// What a notification should carry, and when it should come.
///
/// Mirrors `NSKeyValueObservingOptions`, with its raw values.
public struct ObservingOptions: OptionSet, Hashable, Sendable {
  /// The bits of the options.
  public let rawValue: UInt
  /// The options whose bits are set in `rawValue`.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Notifications carry the new value.
  public static let new = ObservingOptions(rawValue: 1)
  /// Notifications carry the old value.
  public static let old = ObservingOptions(rawValue: 2)
  /// One notification is sent at once, before the call that adds the observer returns.
  public static let initial = ObservingOptions(rawValue: 4)
  /// An additional notification is sent before each change.
  ///
  /// An observer with a property that depends on the observed one announces it there: it calls
  /// ``KeyValueObservable/willChangeValue(for:fileID:line:function:)`` in this notification, and
  /// ``KeyValueObservable/didChangeValue(for:fileID:line:function:)`` in the one after the change.
  public static let prior = ObservingOptions(rawValue: 8)
}

/// What happened to a value.
///
/// Mirrors `NSKeyValueChange`, with its raw values.
public enum ObservedChangeKind: UInt, Hashable, Sendable {
  /// The value was set.
  case setting = 1
  /// Elements were inserted into a to-many value.
  case insertion = 2
  /// Elements were removed from a to-many value.
  case removal = 3
  /// Elements of a to-many value were replaced.
  case replacement = 4
}

/// A change of one observed value, as a handler receives it.
///
/// Mirrors `NSKeyValueObservedChange`.
public struct ObservedChange<Value> {
  /// What happened to the value.
  public let kind: ObservedChangeKind
  /// The value before the change; nil unless ``ObservingOptions/old`` was requested.
  ///
  /// If elements are removed or replaced: those elements; nil if they are inserted.
  public let oldValue: Value?
  /// The value after the change; nil unless ``ObservingOptions/new`` was requested, and in the notification before a
  /// change.
  ///
  /// If elements are inserted or replaced: the elements that are there now; nil if they are
  /// removed.
  public let newValue: Value?
  /// Whether this is the notification before the change.
  public let isPrior: Bool
  /// Stored by reference, because a set of ranges has no size that the compiler knows, and most changes have none.
  @usableFromInline let elements: ChangedElements?

  /// The indexes at which elements are inserted, removed or replaced, counted from the start of the
  /// collection; nil if the value is set, and for an unordered collection.
  ///
  /// Those of an insertion are the indexes after it, the others those before.
  public var indexes: RangeSet<Int>? { elements?.indexes }

  @inlinable
  @inline(__always)
  init(
    kind: ObservedChangeKind,
    oldValue: Value?,
    newValue: Value?,
    isPrior: Bool,
    elements: ChangedElements?
  ) {
    self.kind = kind
    self.oldValue = oldValue
    self.newValue = newValue
    self.isPrior = isPrior
    self.elements = elements
  }
}

/// Which elements of a collection a change concerns.
@usableFromInline
final class ChangedElements: Sendable {
  /// The indexes as ranges, ascending and apart from each other.
  ///
  /// Not a set of ranges, which is copied through the runtime.
  @usableFromInline let ranges: [Range<Int>]

  @usableFromInline
  init(_ indexes: RangeSet<Int>) { ranges = Array(indexes.ranges) }

  @usableFromInline
  init(_ range: Range<Int>) { ranges = range.isEmpty ? [] : [range] }

  @usableFromInline
  convenience init(_ first: Range<Int>, _ second: Range<Int>) {
    var indexes = RangeSet(first)
    indexes.insert(contentsOf: second)
    self.init(indexes)
  }

  var indexes: RangeSet<Int> { RangeSet(ranges) }

  /// The end of the indexes that a change of a collection of `count` elements may have.
  func limit(_ kind: ObservedChangeKind, _ count: Int) -> Int {
    // Without negative indexes, their number is an integer.
    guard kind == .insertion, let first = ranges.first, first.lowerBound >= 0 else { return count }
    let (limit, isTooLarge) = ranges.reduce(0) { $0 + $1.count }.addingReportingOverflow(count)
    return isTooLarge ? .max : limit
  }

  /// The first index that does not lie in `range`.
  func firstOutside(_ range: Range<Int>) -> Int? {
    guard let first = ranges.first?.lowerBound, let last = ranges.last else { return nil }
    if !range.contains(first) { return first }
    return last.upperBound > range.upperBound ? max(range.upperBound, last.lowerBound) : nil
  }
}

extension ObservedChange: Sendable where Value: Sendable {}
