#if Serve

import NIOCore

/// The bytes of a connection's request are more than it may have.
struct RequestTooLarge: Error {}

/// Stops what a client sends at a number of bytes, before anything reads it as HTTP.
///
/// A connection has one request, so this is a bound of its request line, headers and body together.
/// What comes after the limit is dropped, and ``RequestTooLarge`` is sent down the pipeline once.
/// Confined to its channel's event loop.
final class RequestSizeLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private var remaining: Int
  private var isExceeded = false

  init(byteCount: Int) {
    remaining = byteCount
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isExceeded { return }
    remaining -= unwrapInboundIn(data).readableBytes
    if remaining >= 0 {
      context.fireChannelRead(data)
    } else {
      isExceeded = true
      context.fireErrorCaught(RequestTooLarge())
    }
  }
}

#endif
