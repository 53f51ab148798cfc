#if Serve

import NIOCore
import Synchronization

/// A page, and a word that differs from the word of every other page.
struct ServedPage: Sendable {
  var state = ""
  var bytes = ByteBuffer()
}

/// The newest page and the port, which the thread that reads pages shares with the event loop.
///
/// Shared state: both, guarded by one mutex. Nothing is called while it is held.
final class PageStore: Sendable {
  private struct State {
    var newest = ServedPage()
    var port = 0
  }

  private let state = Mutex(State())

  /// The newest page; an empty one before there is any.
  var newest: ServedPage {
    get { state.withLock { $0.newest } }
    set { state.withLock { $0.newest = newValue } }
  }

  /// The port that the server listens on; zero before it does.
  var port: Int { state.withLock { $0.port } }

  func listen(on port: Int) {
    state.withLock { $0.port = port }
  }
}

#endif
