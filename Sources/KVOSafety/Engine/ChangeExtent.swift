internal import KVOTrace

/// What part of a value a change concerns: all of it, or some elements of a collection.
struct ChangeExtent {
  var kind: Change.Kind = .setting
  /// The elements that an insertion, a removal or a replacement concerns; nil for an unordered
  /// collection.
  var places: ChangedElements?
  /// The elements of an unordered collection, before and after, as sets of the observed type.
  var elements: (old: Any?, new: Any?)?

  static var whole: ChangeExtent { ChangeExtent() }

  /// Whether the change concerns some elements rather than the value.
  var isPartial: Bool { kind != .setting }

  /// What an observer is told of the value before the change.
  func old(_ value: Any?) -> Any? {
    kind == .insertion ? nil : part(of: value, elements?.old)
  }

  /// What an observer is told of the value after the change.
  func new(_ value: Any?) -> Any? {
    kind == .removal ? nil : part(of: value, elements?.new)
  }

  private func part(of value: Any?, _ elements: Any?) -> Any? {
    guard isPartial else { return value }
    guard let indexes = places?.indexes else { return elements }
    return (value.flattened as? any RangeReplaceableCollection).map { $0.elements(at: indexes) }
  }
}

extension RangeReplaceableCollection {
  /// The elements at `indexes`, counted from the start; what is not there is left out.
  fileprivate func elements(at indexes: RangeSet<Int>) -> Self {
    var picked = Self()
    for range in indexes.ranges {
      let range = range.clamped(to: 0..<Swift.max(count, 0))
      let start = index(startIndex, offsetBy: range.lowerBound)
      picked.append(contentsOf: self[start..<index(start, offsetBy: range.count)])
    }
    return picked
  }
}
