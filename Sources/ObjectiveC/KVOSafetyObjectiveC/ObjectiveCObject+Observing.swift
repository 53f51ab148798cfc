public import KVOSafety
internal import KVOTrace

extension ObjectiveCObject {
  /// Observes a key path of the object until the token that is returned is invalidated or deallocated.
  ///
  /// ```swift
  /// token = try account.observe(keyPath: "owner.name", options: [.old, .new]) { account, change in
  ///   print(change.oldValue?.string ?? "nobody", change.newValue?.string ?? "nobody")
  /// }
  /// ```
  ///
  /// The observation is registered with the Foundation's own key-value observing, by an observer that is made for it,
  /// and is in ``KVOSafety/KVO/census()``, the log and the rules like any other of this library, under the name of the
  /// object's class. The handler runs on the thread that makes the change, with no lock held. The values that it gets
  /// are valid until it returns; nil means not requested, or nil.
  ///
  /// The object is not kept alive. If it is deallocated first, the observation ends and is reported (KVO006), with the
  /// stacks of the registration and of the deallocation. The deallocation is detected at `-dealloc` of the root class:
  /// an object whose `-dealloc` does not call super is deallocated undetected, so its observation must end before.
  ///
  /// An exception that a getter of the program raises propagates through here, and Swift cannot catch it.
  ///
  /// Mirrors `addObserver:forKeyPath:options:context:` and `removeObserver:forKeyPath:`.
  ///
  /// - Parameters:
  ///   - keyPath: the path. A key for which the class has neither accessor nor instance variable, an empty path, and an
  ///     object that cannot be observed, such as an `NSArray`, are refused and reported (KVO029); the token is then
  ///     inactive from the start.
  ///   - options: what the change should carry, and when it should come.
  ///   - owner: on whose behalf: the census, the log and reports name it, and its deallocation ends the observation. Two
  ///     observations of one key path for one owner are not duplicates (KVO005), because each has a handler of its own. Not
  ///     kept alive.
  ///   - expectedToLive: why the observation is meant to outlive the test scope it is made in, if so.
  ///   - isolation: the actor of the caller, where changes are expected.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  ///   - handler: called for each change.
  /// - Returns: the token. The observation ends with it, so keep it.
  /// - Throws: ``ObjectiveCError`` if no Objective-C runtime is loaded, or if it cannot create classes. In that case
  ///   nothing is observed.
  /// - Complexity: O(parts of the path), one stack capture, and what the Foundation needs.
  public func observe(
    keyPath: String,
    options: ObservingOptions = [],
    owner: AnyObject? = nil,
    expectedToLive: String? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handler: @escaping (ObjectiveCObject, ObservedChange<ObjectiveCObject>) -> Void
  ) throws(ObjectiveCError) -> ObservationToken {
    if let problem = NativeObservations.problem { throw problem }
    let observations = NativeObservations.shared
    let request = ForeignRequest(
      on: observations.subject(pointer),
      observer: owner,
      key: keyPath,
      form: .token,
      options: options,
      expectedToLive: expectedToLive,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function
    )
    if let obstacle = NativeKeyPath(keyPath).obstacle(from: pointer) {
      request.refuse(obstacle.reason, part: obstacle.part)
      return .inactive
    }
    return try observations.add(request, on: pointer, keyPath, options, handler).token
  }
}
