#if Serve

import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads pages from standard input: each is a line `STATE BYTES`, and that many bytes.
struct PageReader {
  private static let readSize = 1 << 16

  private var unread = ByteBuffer()

  /// Waits for the next page; nil at the end of the input, and if the input is not a page.
  mutating func next() -> ServedPage? {
    var lineLength = unread.readableBytesView.firstIndex(of: UInt8(ascii: "\n"))
    while lineLength == nil {
      guard readMore() else { return nil }
      lineLength = unread.readableBytesView.firstIndex(of: UInt8(ascii: "\n"))
    }
    guard let lineLength, let line = unread.readString(length: lineLength - unread.readerIndex),
      unread.readInteger(as: UInt8.self) != nil
    else { return nil }
    let parts = line.split(separator: " ")
    guard parts.count == 2, let count = Int(parts[1]), count >= 0 else { return nil }
    while unread.readableBytes < count { if !readMore() { return nil } }
    guard let bytes = unread.readSlice(length: count) else { return nil }
    // A slice shares the memory of its base, into which the next page is read.
    let page = ServedPage(state: String(parts[0]), bytes: ByteBuffer(bytes.readableBytesView))
    unread.discardReadBytes()
    return page
  }

  /// Waits for more input; false at its end.
  private mutating func readMore() -> Bool {
    let count = unread.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.readSize) { space in
      var count = read(STDIN_FILENO, space.baseAddress, space.count)
      while count < 0, errno == EINTR { count = read(STDIN_FILENO, space.baseAddress, space.count) }
      return max(count, 0)
    }
    return count > 0
  }
}

#endif
