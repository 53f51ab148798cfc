/// Receives the references in an object, in the order in which they lie in it.
protocol ReferenceVisitor: ~Copyable {
  /// A strong reference, or a word that stands for none.
  mutating func reference(_ word: UInt, in slot: UnsafePointer<Slot>)
  /// The context of a closure and the address of its code.
  mutating func closure(context: UInt, code: UInt, in slot: UnsafePointer<Slot>)
  /// An object that is kept, as somebody says who knows.
  mutating func kept(_ address: UInt)
  /// `byteCount` bytes that are not understood, at `bytes`.
  mutating func opaque(_ bytes: UnsafeRawPointer, byteCount: Int, in slot: UnsafePointer<Slot>)
  /// What follows until `leave()` is inside of the value in `slot`.
  mutating func enter(_ slot: UnsafePointer<Slot>)
  /// What follows until `leave()` is of the element with this index, or the key or value at it.
  mutating func enter(element: ElementPosition)
  mutating func leave()
}

/// Which element of a collection a reference is of.
///
/// What the keys are is the program's affair: values are not shown.
enum ElementPosition {
  case index(Int)
  /// A key of a dictionary.
  case key
  /// A value of a dictionary.
  case value
  /// An element of a set.
  case member
}
