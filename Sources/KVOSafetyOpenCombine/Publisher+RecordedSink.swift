#if OpenCombineAdapter
internal import KVOSafety
internal import KVOTrace
public import OpenCombine

extension Publisher where Failure == Never {
  /// Subscribes as `sink(receiveValue:)` does, and says so in the log.
  ///
  /// The subscription is in the census as an observation of `subject`, under `key`, until it completes,
  /// or what is returned is cancelled or dropped. What is never let go of is found where its scope ends
  /// (KVO021), an owner that subscribes to the same twice is told (KVO005), and so is who leaves a
  /// subscription to an object that dies (KVO006).
  ///
  /// - Parameters:
  ///   - subject: whose values the publisher gives, such as the object with the `@Published` property.
  ///   - key: what to call them.
  ///   - owner: on whose behalf.
  ///   - expectedToLive: why it is meant to outlive the test scope it is made in, if so.
  ///   - isolation: the actor of the caller, where values are expected.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  ///   - receiveValue: called for each value.
  /// - Returns: what ends the subscription.
  public func recordedSink(
    of subject: AnyObject,
    _ key: String,
    owner: AnyObject? = nil,
    expectedToLive: String? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let registration = ForeignRegistration(
      on: subject,
      observer: owner,
      key: key,
      form: .token,
      expectedToLive: expectedToLive,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function
    ) { value in
      if let value = value as? Output { receiveValue(value) }
    }
    let subscription = sink(
      receiveCompletion: { _ in registration.end(by: .user) },
      receiveValue: { registration.deliver($0) }
    )
    return AnyCancellable {
      subscription.cancel()
      registration.end(by: .token)
    }
  }
}
#endif
