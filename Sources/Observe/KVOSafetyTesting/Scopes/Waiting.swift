/// Waits until `isOver` returns true, at most for `grace`.
///
/// It is asked every two milliseconds, on the actor of the caller. A cancelled task waits no longer.
func waitUntil(
  atMost grace: Duration,
  isolation: isolated (any Actor)? = #isolation,
  _ isOver: () -> Bool
) async {
  let deadline = ContinuousClock.now + grace
  while !isOver(), ContinuousClock.now < deadline, !Task.isCancelled {
    try? await Task.sleep(for: .milliseconds(2))
  }
}
