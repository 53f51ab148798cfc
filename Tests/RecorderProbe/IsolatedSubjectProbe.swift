import KVOSafety

/// Changes, and no longer observes itself, in a deinit that runs on the main actor.
@MainActor private final class Vault: KeyValueObservable, KeyValueObserver {
  nonisolated let observationRegistrar = ObservationRegistrar()
  nonisolated static let observableKeys = ObservableKeyTable(
    ObservableKey("balance", \Vault.balance)
  )

  // One thread after the other uses it.
  nonisolated(unsafe) var balance = 0.0 {
    willSet { willChangeValue(for: \.balance) }
    didSet { didChangeValue(for: \.balance) }
  }

  private let finished: AsyncStream<Void>.Continuation

  init(_ finished: AsyncStream<Void>.Continuation) {
    self.finished = finished
    addObserver(self, forKeyPath: "balance")
  }

  isolated deinit {
    empty()
    removeObserver(self, forKeyPath: "balance")
    finished.finish()
  }

  private func empty() { balance = -1 }

  nonisolated func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling { .handled }
}

/// Removes itself as soon as it is notified.
private final class Hasty: KeyValueObserver {
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    object.removeObserver(self, forKeyPath: keyPath)
    return .handled
  }
}

enum IsolatedSubjectProbe {
  /// Releases an observed object on another thread, correctly.
  @MainActor static func run() async {
    let observer = Hasty()
    let (stream, finished) = AsyncStream.makeStream(of: Void.self)
    var vault: Vault? = Vault(finished)
    let token = vault?.observe(\.balance) { _, _ in }
    vault?.addObserver(observer, forKeyPath: "balance")
    let object = vault.map { Unmanaged.passRetained($0) }
    vault = nil
    ProbeThread { object?.release() }.join()
    for await _ in stream {}
    token?.invalidate()
    withExtendedLifetime(observer) {}
  }
}
