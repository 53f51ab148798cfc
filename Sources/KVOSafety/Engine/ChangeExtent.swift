internal import KVOTrace

/// What part of a value a change concerns: all of it, or some elements of a collection.
enum ChangeExtent {
  case whole
  /// Kept apart, so that a change of the whole, which almost every one is, is copied as a word.
  indirect case part(Part)

  struct Part {
    var kind: Change.Kind
    /// The elements that an insertion, a removal or a replacement concerns; nil for an unordered
    /// collection.
    var places: ChangedElements?
    /// The elements of an unordered collection, before and after, as sets of the observed type.
    var elements: (old: Any?, new: Any?)?
  }

  init(
    kind: Change.Kind,
    places: ChangedElements? = nil,
    elements: (old: Any?, new: Any?)? = nil
  ) {
    self =
      kind == .setting ? .whole : .part(Part(kind: kind, places: places, elements: elements))
  }

  var kind: Change.Kind { part?.kind ?? .setting }
  var places: ChangedElements? { part?.places }

  /// Whether the change concerns some elements rather than the value.
  var isPartial: Bool { part != nil }

  private var part: Part? {
    switch self {
    case .whole: nil
    case .part(let part): part
    }
  }

  /// The extent as the observation of `link` is told of it: all of the value where that is not the one that
  /// changes, or where the observation wants it whole.
  func seen(through link: ObservationLink) -> ChangeExtent {
    link.isDirect && !link.observation.wantsWhole ? self : .whole
  }

  /// What an observer is told of the value before the change.
  func old(_ value: Any?) -> Any? {
    guard let part else { return value }
    return part.kind == .insertion ? nil : part.picked(from: value, orElse: part.elements?.old)
  }

  /// What an observer is told of the value after the change.
  func new(_ value: Any?) -> Any? {
    guard let part else { return value }
    return part.kind == .removal ? nil : part.picked(from: value, orElse: part.elements?.new)
  }
}

extension ChangeExtent.Part {
  /// The elements of `value` that the change concerns; `elements` where it is unordered.
  fileprivate func picked(from value: Any?, orElse elements: Any?) -> Any? {
    guard let indexes = places?.indexes else { return elements }
    return (value.flattened as? any RangeReplaceableCollection).map { $0.elements(at: indexes) }
  }
}

extension RangeReplaceableCollection {
  /// The elements at `indexes`, counted from the start; what is not there is left out.
  func elements(at indexes: RangeSet<Int>) -> Self {
    var picked = Self()
    for range in indexes.ranges {
      let range = range.clamped(to: 0..<Swift.max(count, 0))
      let start = index(startIndex, offsetBy: range.lowerBound)
      picked.append(contentsOf: self[start..<index(start, offsetBy: range.count)])
    }
    return picked
  }
}
