#if Serve

import Foundation

/// A page, and what tells it from the one before.
struct ServedPage: Sendable {
  var state = ""
  var bytes = Data()
}

/// The pages that come on standard input: each as a line `STATE BYTES`, and that many bytes.
///
/// What the thread that reads and the handlers share is the newest page and the port, under `lock`.
/// Nothing is called while it is held.
final class PageInput: @unchecked Sendable {
  // Sendable: what changes is guarded by the lock.

  private let lock = NSLock()
  private var newest = ServedPage()
  private var listeningPort: UInt16?

  /// The newest page; an empty one before there is any.
  var page: ServedPage { lock.withLock { newest } }

  /// The port that is listened on; nil before there is one.
  var port: UInt16? { lock.withLock { listeningPort } }

  /// Takes pages from here on, on a thread of its own, and ends the process where there are no more.
  func begin(port: UInt16) {
    lock.withLock { listeningPort = port }
    Thread.detachNewThread { [self] in
      var pages = PageReader()
      while let page = pages.next() { lock.withLock { newest = page } }
      exit(0)
    }
  }
}

/// Takes standard input apart.
private struct PageReader {
  private let input = FileHandle.standardInput
  private var unread = Data()

  /// The next page; nil at the end, and for what is no page.
  mutating func next() -> ServedPage? {
    var end = unread.firstIndex(of: UInt8(ascii: "\n"))
    while end == nil, readMore() { end = unread.firstIndex(of: UInt8(ascii: "\n")) }
    guard let end else { return nil }
    let parts = String(decoding: unread[..<end], as: UTF8.self).split(separator: " ")
    guard parts.count == 2, let count = Int(parts[1]), count >= 0 else { return nil }
    unread = Data(unread[(end + 1)...])
    while unread.count < count { if !readMore() { return nil } }
    let page = ServedPage(state: String(parts[0]), bytes: Data(unread.prefix(count)))
    unread = Data(unread.dropFirst(count))
    return page
  }

  /// Waits for more; false at the end.
  private mutating func readMore() -> Bool {
    let more = input.availableData
    unread += more
    return !more.isEmpty
  }
}

#endif
