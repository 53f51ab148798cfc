#if OpenCombineAdapter
internal import KVOSafety
internal import KVOTrace
public import OpenCombine

extension Publisher where Failure == Never {
  /// Subscribes as `sink(receiveValue:)` does, and records it in the log.
  ///
  /// The subscription is in the census as an observation of `subject`, under `key`, until it completes, `owner` is
  /// deallocated, or the result is cancelled or dropped. A subscription that is never released is found when its scope
  /// ends (KVO021), and so is a subscription to an object that is deallocated (KVO006). As with `sink`, values come after
  /// `owner` is deallocated, too; they are no longer recorded.
  ///
  /// - Parameters:
  ///   - subject: the object whose values the publisher gives, such as the one with the
  ///     `@Published` property.
  ///   - key: their name.
  ///   - owner: on whose behalf.
  ///   - expectedToLive: why it is meant to outlive the test scope it is made in, if so.
  ///   - isolation: the actor of the caller, where values are expected.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  ///   - receiveValue: called for each value.
  /// - Returns: the object that ends the subscription.
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
      if let value = value as? Received<Output> { receiveValue(value.output) }
    }
    let subscription = sink(
      receiveCompletion: { _ in registration.end(by: .user) },
      receiveValue: { value in
        if registration.isActive {
          registration.deliver(Received(output: value))
        } else {
          receiveValue(value)
        }
      }
    )
    return AnyCancellable {
      subscription.cancel()
      registration.end(by: .token)
    }
  }
}

/// A value as the publisher gave it: one of an optional type or of type `Any`, too.
private struct Received<Output> {
  let output: Output
}
#endif
