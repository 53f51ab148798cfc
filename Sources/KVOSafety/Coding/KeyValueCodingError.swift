/// Why key-value coding could not read or write a value.
///
/// Foundation raises an exception in each of these cases. Nothing has changed when the error is thrown.
public struct KeyValueCodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason for the error.
  ///
  /// More codes may come.
  public struct Code: Hashable, Sendable {
    private let name: String
    /// The class has no such key.
    ///
    /// Foundation calls `valueForUndefinedKey:` or
    /// `setValue:forUndefinedKey:`.
    public static let undefinedKey = Code(name: "undefinedKey")
    /// The value is nil and the property cannot be.
    ///
    /// Foundation calls `setNilValueForKey:`.
    public static let nilForScalar = Code(name: "nilForScalar")
    /// The value is of another type than the property.
    public static let wrongType = Code(name: "wrongType")
    /// The key path of the key is read-only, such as one to a `let` or to a computed property without a setter.
    public static let readOnly = Code(name: "readOnly")
    /// A part of a key path other than the last has a value that has no keys.
    public static let notObservable = Code(name: "notObservable")

    private init(name: String) { self.name = name }
  }

  /// The reason for the error.
  public let code: Code
  /// The name of the class that was asked.
  public let className: String
  /// The key, one part of a key path.
  public let key: String
  /// What is wrong, and what would be right.
  public let message: String

  /// The message.
  public var description: String { message }

  init(_ code: Code, _ key: String, of object: AnyObject, _ explanation: String) {
    self.code = code
    self.key = key
    className = _typeName(type(of: object), qualified: false)
    message = "\(className), key \"\(key)\": \(explanation)"
  }
}
