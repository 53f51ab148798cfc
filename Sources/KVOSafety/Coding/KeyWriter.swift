/// Writes a value of any type through the key path of a key.
struct KeyWriter {
  private let key: KeyDeclared
  private let object: any KeyValueObservable

  init(_ key: KeyDeclared, of object: any KeyValueObservable) {
    self.key = key
    self.object = object
  }

  /// Sets the property; a nil value sets it to nil.
  func write(_ value: Any?) throws(KeyValueCodingError) {
    // The types of the key path itself: its root, which may be a superclass, and its value.
    func assign<Root>(in root: Root.Type) -> Result<Void, KeyValueCodingError> {
      self.assign(value, in: root)
    }
    try _openExistential(type(of: key.keyPath).rootType, do: assign).get()
  }

  private func assign<Root>(
    _ value: Any?,
    in root: Root.Type
  ) -> Result<Void, KeyValueCodingError> {
    func assign<Value>(as type: Value.Type) -> Result<Void, KeyValueCodingError> {
      guard let keyPath = key.keyPath as? ReferenceWritableKeyPath<Root, Value>,
        let root = object as? Root
      else { return .failure(error(.readOnly, "it can only be read")) }
      guard let converted = Self.converted(value, to: Value.self) else {
        return .failure(mismatch(value, Value.self))
      }
      root[keyPath: keyPath] = converted
      return .success(())
    }
    return _openExistential(key.valueType, do: assign)
  }

  private func mismatch(_ value: Any?, _ expected: Any.Type) -> KeyValueCodingError {
    guard let value else { return error(.nilForScalar, "nil is no value of type \(expected)") }
    return error(
      .wrongType,
      "the property is of type \(expected), the value of type \(type(of: value))"
    )
  }

  private func error(
    _ code: KeyValueCodingError.Code,
    _ explanation: String
  ) -> KeyValueCodingError {
    KeyValueCodingError(code, key.name, of: object, explanation)
  }

  /// `value` as a value of `type`: as it is, or converted to the same number; nil if neither is possible.
  private static func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? {
    guard let value else { return nilValue(of: Value.self) }
    if Value.self == Any.self || !(value is any Numeric) { return value as? Value }
    if let same = value as? Value { return same }
    let target = (Value.self as? any NilValue.Type)?.innermost ?? Value.self
    return number(value, target).flatMap { $0 as? Value }
  }

  /// The nil of an optional type.
  ///
  /// It is cast as the optional that it is: cast as an `Any`, it becomes a value in an `Any?`.
  private static func nilValue<Value>(of type: Value.Type) -> Value? {
    func cast<Whole: NilValue>(_ type: Whole.Type) -> Value? { Whole.nilValue as? Value }
    return (Value.self as? any NilValue.Type).flatMap { cast($0) }
  }

  /// The same number as a value of `type`; nil if the type has no such number.
  private static func number(_ value: Any, _ type: Any.Type) -> Any? {
    switch (value, type) {
    case (let value as any BinaryInteger, let type as any BinaryInteger.Type):
      exactly(value, type)
    case (let value as any BinaryInteger, let type as any BinaryFloatingPoint.Type):
      exactly(value, type)
    case (let value as any BinaryFloatingPoint, let type as any BinaryInteger.Type):
      exactly(value, type)
    case (let value as any BinaryFloatingPoint, let type as any BinaryFloatingPoint.Type):
      exactly(value, type)
    default: nil
    }
  }

  private static func exactly<Number: BinaryInteger>(
    _ value: some BinaryInteger,
    _ type: Number.Type
  ) -> Number? { Number(exactly: value) }

  private static func exactly<Number: BinaryFloatingPoint>(
    _ value: some BinaryInteger,
    _ type: Number.Type
  ) -> Number? { Number(exactly: value) }

  private static func exactly<Number: BinaryInteger>(
    _ value: some BinaryFloatingPoint,
    _ type: Number.Type
  ) -> Number? { Number(exactly: value) }

  /// A literal such as 0.1 is another number as a `Float`; rounding to the type is what is meant.
  ///
  /// A finite number does not become infinite.
  private static func exactly<Number: BinaryFloatingPoint>(
    _ value: some BinaryFloatingPoint,
    _ type: Number.Type
  ) -> Number? {
    let number = Number(value)
    return number.isInfinite && value.isFinite ? nil : number
  }
}

/// A type whose values include nil.
private protocol NilValue {
  static var nilValue: Self { get }
  /// The type with all optionals unwrapped.
  static var innermost: Any.Type { get }
}

extension Optional: NilValue {
  fileprivate static var nilValue: Self { .none }
  fileprivate static var innermost: Any.Type {
    (Wrapped.self as? any NilValue.Type)?.innermost ?? Wrapped.self
  }
}
