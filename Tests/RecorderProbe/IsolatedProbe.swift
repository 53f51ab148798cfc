import CKVOLifetime

/// An object whose deinit runs on its actor, whichever thread releases it.
@MainActor private final class Screen {
  private let finished: AsyncStream<Void>.Continuation
  init(_ finished: AsyncStream<Void>.Continuation) { self.finished = finished }
  isolated deinit {
    Deaths.note("deinit")
    finished.finish()
  }
}

enum IsolatedProbe {
  @MainActor static func run() async {
    Deaths.install()
    here()
    print("on its actor: \(Deaths.takeSteps())")
    await elsewhere()
    kvos_settle_deallocations()
    print("on another thread: \(Deaths.takeSteps())")
    await elsewhere()
    print("not settled: \(Deaths.takeSteps())")
    here()
    print("settled by the next: \(Deaths.takeSteps())")
    for _ in 0..<100 { await elsewhere() }
    kvos_settle_deallocations()
    print("of 104: \(Deaths.counts.begun) begun, \(Deaths.counts.ended) ended")
  }

  /// Releases a screen on another thread, and returns when its deinit has run.
  @MainActor private static func elsewhere() async {
    let (stream, finished) = AsyncStream.makeStream(of: Void.self)
    var screen: Screen? = Screen(finished)
    if let screen { Deaths.watch(screen) }
    let object = screen.map { Unmanaged.passRetained($0) }
    screen = nil
    ProbeThread {
      object?.release()
      // The actor is busy waiting for this thread: the deinit cannot have run.
      kvos_settle_deallocations()
      Deaths.note("released")
    }.join()
    // The deinit is a job of this actor, so it has run when this one continues.
    for await _ in stream {}
  }

  @MainActor private static func here() {
    let screen = Screen(AsyncStream.makeStream(of: Void.self).continuation)
    Deaths.watch(screen)
  }
}
