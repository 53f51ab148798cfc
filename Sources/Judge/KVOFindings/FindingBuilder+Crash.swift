package import KVORules
package import KVOTrace

extension FindingBuilder {
  /// The crash that an event reports, symbolicated.
  ///
  /// Complexity: O(frames), plus the look-ups of the resolver.
  ///
  /// - Parameters:
  ///   - crash: the body of the event.
  ///   - event: the event itself.
  ///   - number: its 1-based number in the input.
  /// - Returns: the crash, as of the builder's input.
  package func crash(_ crash: Crash, in event: Event, number: Int) -> RecordedCrash {
    let evidence = Evidence(
      role: .failed,
      event: number,
      order: event.order,
      thread: event.thread,
      stack: event.stack
    )
    return RecordedCrash(
      name: crash.name == .none ? "crash" : names[crash.name],
      reason: crash.reason == .none ? nil : names[crash.reason],
      liveCount: crash.liveCount,
      stack: stack(evidence, deallocated: nil),
      input: input
    )
  }
}
