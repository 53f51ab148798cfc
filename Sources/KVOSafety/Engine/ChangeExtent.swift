internal import KVOTrace

/// The part of a value that a change concerns: all of it, or some elements of a collection.
enum ChangeExtent {
  case whole
  /// An object, so that an extent is copied as a word.
  case part(Part)

  final class Part {
    let kind: Change.Kind
    /// The elements that an insertion, a removal or a replacement concerns; nil for an unordered
    /// collection.
    let positions: ChangedElements?
    /// The elements of an unordered collection, before and after, as sets of the observed type.
    let elements: (old: Any?, new: Any?)?
    /// Reads the elements at `positions` as they are now, if the code that makes the change knows their type; runs the
    /// property's getter.
    let read: ElementReader?

    fileprivate init(
      kind: Change.Kind,
      positions: ChangedElements?,
      elements: (old: Any?, new: Any?)?,
      read: ElementReader?
    ) {
      self.kind = kind
      self.positions = positions
      self.elements = elements
      self.read = read
    }
  }

  init(
    kind: Change.Kind,
    positions: ChangedElements? = nil,
    elements: (old: Any?, new: Any?)? = nil,
    read: ElementReader? = nil
  ) {
    self =
      kind == .setting
      ? .whole : .part(Part(kind: kind, positions: positions, elements: elements, read: read))
  }

  var kind: Change.Kind { part?.kind ?? .setting }
  var positions: ChangedElements? { part?.positions }

  /// Whether the change concerns some elements rather than the value.
  var isPartial: Bool { part != nil }

  /// Whether the change has a value before it: inserted elements have none.
  var hasOld: Bool { part?.kind != .insertion }
  /// Whether the change has a value after it: removed elements have none.
  var hasNew: Bool { part?.kind != .removal }

  var part: Part? {
    switch self {
    case .whole: nil
    case .part(let part): part
    }
  }

  /// The extent that is reported to the observation of `link`: all of the value if another value changes than the
  /// observed one, or if the observation wants it whole.
  func seen(through link: ObservationLink) -> ChangeExtent {
    link.isDirect && !link.observation.wantsWhole ? self : .whole
  }

  /// The value before the change, as it is reported to an observer; `value` is read if it is needed.
  func old(_ value: @autoclosure () -> Any?) -> Any? {
    guard let part else { return value() }
    return part.kind == .insertion ? nil : part.picked(from: value, orElse: part.elements?.old)
  }

  /// The value after the change, as it is reported to an observer.
  func new(_ value: @autoclosure () -> Any?) -> Any? {
    guard let part else { return value() }
    return part.kind == .removal ? nil : part.picked(from: value, orElse: part.elements?.new)
  }
}

/// Reads elements of a collection whose type only the code that changes it knows.
@usableFromInline
final class ElementReader {
  let valueType: Any.Type
  /// Calls the closure with the address of the elements, which are of ``valueType``.
  let visit: ((UnsafeRawPointer) -> Void) -> Void

  @usableFromInline
  init(of valueType: Any.Type, _ visit: @escaping ((UnsafeRawPointer) -> Void) -> Void) {
    self.valueType = valueType
    self.visit = visit
  }

  /// The elements as a value of any type.
  fileprivate var boxed: Any? {
    var boxed: Any?
    visit { boxed = SetterValues(type: valueType, old: $0, new: nil).box($0, isFlat: false) }
    return boxed
  }
}

extension ChangeExtent.Part {
  /// The elements of `value` that the change concerns; `elements` if it is unordered.
  fileprivate func picked(from value: () -> Any?, orElse elements: Any?) -> Any? {
    if let read { return read.boxed }
    guard let ranges = positions?.ranges else { return elements }
    return (value().flattened as? any RangeReplaceableCollection).map { $0.elements(at: ranges) }
  }
}

extension RangeReplaceableCollection {
  /// The elements at the indexes in `ranges`, counted from the start; indexes out of range are left out.
  @inlinable
  func elements(at ranges: [Range<Int>]) -> Self {
    var picked = Self()
    let all = 0..<Swift.max(count, 0)
    if ranges.count == 1, ranges[0].count == 1, all.contains(ranges[0].lowerBound) {
      // Nearly every change is of one element, and code that works with slices costs more.
      picked.append(self[index(startIndex, offsetBy: ranges[0].lowerBound)])
      return picked
    }
    for range in ranges {
      let range = range.clamped(to: all)
      let start = index(startIndex, offsetBy: range.lowerBound)
      picked.append(contentsOf: self[start..<index(start, offsetBy: range.count)])
    }
    return picked
  }
}
