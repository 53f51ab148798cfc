/// A value with keys in the file of a report.
///
/// Its keys are listed once, in the order in which they are written: ``pass(_:)`` gives each of them to a coder, which
/// writes the property's value or reads it.
package protocol ReportFields {
  /// The value whose properties are read.
  static var blank: Self { get }

  /// Passes each key, and the property that it is of, to `coder`.
  mutating func pass<Coder: ReportCoder>(_ coder: inout Coder) throws(Coder.Failure)
}

/// Writes or reads the keys of one value.
///
/// A reader demands every key that has no default and is not optional: `null` stands for nil. Earlier versions did
/// not write the keys that have a default.
package protocol ReportCoder {
  associatedtype Failure: Error

  mutating func text(_ key: String, _ value: inout String) throws(Failure)
  mutating func text(_ key: String, _ value: inout String?) throws(Failure)
  mutating func texts(_ key: String, _ values: inout [String], or: [String]?) throws(Failure)
  mutating func flag(_ key: String, _ value: inout Bool, or: Bool?) throws(Failure)
  /// A count: nonnegative, and small enough that those of many reports can be added.
  mutating func count(_ key: String, _ value: inout Int, or: Int?) throws(Failure)
  mutating func count(_ key: String, _ value: inout Int?) throws(Failure)
  /// Counts by name; the largest are written first.
  mutating func counts(_ key: String, _ values: inout [String: Int]) throws(Failure)
  mutating func number(_ key: String, _ value: inout UInt64) throws(Failure)
  mutating func numbers(_ key: String, _ values: inout [Int]) throws(Failure)
  /// An address, written as `"0x…"`.
  mutating func address(_ key: String, _ value: inout UInt64?) throws(Failure)
  /// A case, written as its raw value.
  mutating func word<Word>(_ key: String, _ value: inout Word) throws(Failure)
  where Word: RawRepresentable & CaseIterable, Word.RawValue == String
  mutating func object<Value: ReportFields>(
    _ key: String,
    _ value: inout Value
  ) throws(Failure)
  mutating func object<Value: ReportFields>(
    _ key: String,
    _ value: inout Value?
  ) throws(Failure)
  mutating func list<Value: ReportFields>(
    _ key: String,
    _ values: inout [Value],
    or: [Value]?
  ) throws(Failure)

  /// Like ``text(_:_:)``, but a reader skips it: the value follows from others.
  mutating func written(_ key: String, _ value: String?)
  /// Like ``object(_:_:)``, likewise.
  mutating func written<Value: ReportFields>(_ key: String, _ value: Value?)
  /// Like ``flag(_:_:or:)``, but only written if it is not nil.
  mutating func present(_ key: String, _ value: inout Bool?) throws(Failure)
  /// Like ``count(_:_:)``, but only written if it is not nil.
  mutating func present(_ key: String, _ value: inout Int?) throws(Failure)
  /// Like ``number(_:_:)``, but only written if it is not nil.
  mutating func present(_ key: String, _ value: inout UInt64?) throws(Failure)
  /// Like ``text(_:_:)``, but only written if it is not nil.
  mutating func present(_ key: String, _ value: inout String?) throws(Failure)
  /// Like ``object(_:_:)``, but only written if it is not nil.
  mutating func present<Value: ReportFields>(_ key: String, _ value: inout Value?) throws(Failure)
  /// Like ``list(_:_:or:)``, but only written if it is not nil.
  mutating func present<Value: ReportFields>(
    _ key: String,
    _ values: inout [Value]?
  ) throws(Failure)
  /// An error of a reader: the text of `key` cannot be understood.
  mutating func refuse(_ key: String, _ reason: String) throws(Failure)
}

extension ReportCoder {
  mutating func texts(_ key: String, _ values: inout [String]) throws(Failure) {
    try texts(key, &values, or: nil)
  }

  mutating func flag(_ key: String, _ value: inout Bool) throws(Failure) {
    try flag(key, &value, or: nil)
  }

  mutating func count(_ key: String, _ value: inout Int) throws(Failure) {
    try count(key, &value, or: nil)
  }

  mutating func list<Value: ReportFields>(
    _ key: String,
    _ values: inout [Value]
  ) throws(Failure) {
    try list(key, &values, or: nil)
  }
}
