import Foundation
import KVORetention
import Synchronization

/// `RetentionProbe requests MODE` runs until its standard input ends, and lets others take snapshots of it.
///
/// `call` allows them by a call, `environment` by the environment, and `none` does not allow them. Meanwhile a thread changes
/// objects. Prints `ready`, and at the end how often the program's own handler of SIGUSR2 was called.
enum RequestScene {
  /// An object of which a snapshot has one.
  private final class RequestRoot {
    var pages: [RequestPage] = []
  }

  private final class RequestPage {
    var number = 1
  }

  private static let handledCount = Atomic(0)
  // unsafe: the main thread only writes it before others read the memory.
  nonisolated(unsafe) private static var root: RequestRoot?

  static func run(_ mode: String) throws(RetainSnapshotError) {
    let made = RequestRoot()
    made.pages = (0..<20).map { _ in RequestPage() }
    root = made
    // Who started this program may have blocked it.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGUSR2)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    signal(SIGUSR2) { _ in RequestScene.handledCount.add(1, ordering: .relaxed) }
    switch mode {
    case "call":
      try RetainSearch().allowSnapshots(on: SIGUSR2, to: ".")
      // A second call has no further effect.
      try RetainSearch().allowSnapshots(on: SIGUSR2, to: "elsewhere")
    case "environment": RetainSearch.install()
    default: break
    }
    Thread.detachNewThread { changeObjects() }
    print("ready")
    fflush(nil)
    while readLine() != nil {}
    print("handled \(handledCount.load(ordering: .relaxed))")
    withExtendedLifetime(made) {}
  }

  private static func changeObjects() {
    var pages: [RequestPage] = []
    while true {
      pages.append(RequestPage())
      if pages.count == 1000 {
        pages.removeAll()
        usleep(1000)
      }
    }
  }
}
