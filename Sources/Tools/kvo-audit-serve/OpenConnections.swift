#if Serve

import NIOCore
import Synchronization

/// The connections that are open, so that there are never more than a limit.
///
/// Shared state: the list, guarded by the mutex. A channel is closed after the mutex is released.
final class OpenConnections: Sendable {
  private let limit: Int
  /// Oldest first.
  private let channels = Mutex<[any Channel]>([])

  init(limit: Int) {
    self.limit = limit
  }

  /// Adds a connection, and closes the oldest one if there are too many.
  ///
  /// Takes time proportional to the limit.
  func add(_ channel: any Channel) {
    let displaced = channels.withLock { channels -> (any Channel)? in
      channels.append(channel)
      return channels.count > limit ? channels.removeFirst() : nil
    }
    channel.closeFuture.whenComplete { _ in self.remove(channel) }
    displaced?.close(promise: nil)
  }

  private func remove(_ channel: any Channel) {
    channels.withLock { channels in channels.removeAll { $0 === channel } }
  }
}

#endif
