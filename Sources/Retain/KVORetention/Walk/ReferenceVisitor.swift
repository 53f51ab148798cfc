/// Receives the references in an object, in the order of their offsets.
protocol ReferenceVisitor: ~Copyable {
  /// A strong reference, or a word that is not one, such as null.
  mutating func reference(_ word: UInt, in slot: UnsafePointer<Slot>)
  /// The context of a closure and the address of its code.
  mutating func closure(context: UInt, code: UInt, in slot: UnsafePointer<Slot>)
  /// An object that is certainly kept alive, for example according to `RetainKnowledge`.
  mutating func kept(_ address: UInt)
  /// `byteCount` opaque bytes at `bytes`.
  mutating func opaque(_ bytes: UnsafeRawPointer, byteCount: Int, in slot: UnsafePointer<Slot>)
  /// The object at `address`, to which the latest reference leads, has values after its fields, or the
  /// word is no address.
  mutating func buffer(at address: UInt, in slot: UnsafePointer<Slot>)
  /// The references until the matching `leave()` are inside the value in `slot`.
  mutating func enter(_ slot: UnsafePointer<Slot>)
  /// The references until the matching `leave()` are in the element at this position, or in its key
  /// or value.
  mutating func enter(element: ElementPosition)
  mutating func leave()
  /// Whether no further reference matters, so that the remaining elements of a collection need not be
  /// read.
  var isSatisfied: Bool { get }
}

extension ReferenceVisitor where Self: ~Copyable {
  mutating func buffer(at address: UInt, in slot: UnsafePointer<Slot>) {}
  var isSatisfied: Bool { false }
}

/// The element of a collection that contains a reference.
///
/// Keys are values of the program, which are not shown.
enum ElementPosition {
  case index(Int)
  /// A key of a dictionary.
  case key
  /// A value of a dictionary.
  case value
  /// An element of a set.
  case member
}
