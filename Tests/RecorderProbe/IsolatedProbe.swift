/// An object whose deinit runs on its actor, whoever lets it die.
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
    let (stream, finished) = AsyncStream.makeStream(of: Void.self)
    var screen: Screen? = Screen(finished)
    if let screen { Deaths.watch(screen) }
    let object = screen.map { Unmanaged.passRetained($0) }
    screen = nil
    ProbeThread { object?.release() }.join()
    for await _ in stream {}
    // The end comes behind the deinit, in the same job.
    await Task.yield()
    print("on another thread: \(Deaths.takeSteps())")
  }

  @MainActor private static func here() {
    let screen = Screen(AsyncStream.makeStream(of: Void.self).continuation)
    Deaths.watch(screen)
  }
}
