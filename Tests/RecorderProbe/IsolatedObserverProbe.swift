import BankModel
import KVOSafety

/// Removes its observation in a deinit that runs on the main actor.
@MainActor private final class Screen: KeyValueObserver {
  // Set once, in init, and no other thread of the program uses it at that time.
  nonisolated(unsafe) private let account: Account
  private let finished: AsyncStream<Void>.Continuation

  init(_ account: Account, _ finished: AsyncStream<Void>.Continuation) {
    self.account = account
    self.finished = finished
    account.addObserver(self, forKeyPath: "balance")
  }

  isolated deinit {
    account.removeObserver(self, forKeyPath: "balance")
    finished.finish()
  }

  nonisolated func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    .handled
  }
}

enum IsolatedObserverProbe {
  /// Releases an observer on another thread, correctly.
  @MainActor static func run() async {
    let account = Account()
    let (stream, finished) = AsyncStream.makeStream(of: Void.self)
    var screen: Screen? = Screen(account, finished)
    let object = screen.map { Unmanaged.passRetained($0) }
    screen = nil
    ProbeThread { object?.release() }.join()
    for await _ in stream {}
  }
}
