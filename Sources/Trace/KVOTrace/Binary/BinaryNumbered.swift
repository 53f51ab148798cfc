/// The numbers that represent the cases of enumerations, in the order of the grammar's lists.
///
/// They are explicit because they are part of the file format, regardless of the order of the cases.
@usableFromInline
package protocol BinaryNumbered {
  /// The case of `number`, or nil if there is none.
  init?(binaryNumber number: UInt64)
  var binaryNumber: UInt64 { get }
}
