internal import CKVOObjectiveC
public import KVOSafety
internal import KVOTrace

/// An object of the Objective-C runtime, named by its address.
///
/// On Linux, Swift has no Objective-C interoperability: such objects come from C functions, as pointers. This one
/// neither retains its object nor releases it; the caller keeps the object alive during use. All its methods message
/// the object, on the calling thread.
///
/// ```swift
/// let account = ObjectiveCObject(account_new())
/// token = try account.observe(keyPath: "balance", options: [.new]) { account, change in
///   print(change.newValue?.integer ?? 0)
/// }
/// ```
public struct ObjectiveCObject: Hashable {
  /// The address of the object.
  public let pointer: UnsafeMutableRawPointer

  /// Represents the object at `pointer`, which must belong to the Objective-C runtime and be alive when it is used.
  public init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

  /// The name of the object's class, as the program knows it; nil if no runtime is loaded.
  public var className: String? {
    NativeObservations.isReady ? String(cString: kvos_object_class_name(pointer)) : nil
  }

  /// The text of an `NSString`; nil for other objects.
  public var string: String? {
    guard NativeObservations.isReady else { return nil }
    let count = kvos_string_byte_count(pointer)
    guard count >= 0 else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { buffer in
      guard let start = buffer.baseAddress, kvos_copy_string(pointer, start, UInt(buffer.count))
      else { return nil }
      return String(cString: start)
    }
  }

  /// The value of an `NSNumber`, rounded towards zero; nil for other objects.
  public var integer: Int? {
    var value: Int64 = 0
    guard NativeObservations.isReady, kvos_read_integer(pointer, &value) else { return nil }
    return Int(value)
  }

  /// The value of an `NSNumber`; nil for other objects.
  public var double: Double? {
    var value = 0.0
    guard NativeObservations.isReady, kvos_read_double(pointer, &value) else { return nil }
    return value
  }

  /// The observations of the object that were made here, oldest first.
  ///
  /// Observations made by Objective-C code are not included.
  public var census: [KVO.ObservationRecord] {
    NativeObservations.shared.known(pointer)?.census ?? []
  }
}
