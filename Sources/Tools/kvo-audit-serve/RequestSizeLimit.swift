#if Serve

import NIOCore

/// The request of a connection exceeds its maximum size.
struct RequestTooLarge: Error {}

/// Limits the number of bytes that a client sends, before they are parsed as HTTP.
///
/// A connection has one request, so this limits its request line, headers and body together. Bytes
/// after the limit are dropped, and ``RequestTooLarge`` is sent down the pipeline once. Confined to
/// its channel's event loop.
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
