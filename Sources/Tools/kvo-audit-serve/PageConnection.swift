#if Serve

import NIOCore
import NIOHTTP1

/// Answers the one request of a connection, and closes it.
///
/// A client that sends or reads too slowly is disconnected. Confined to its channel's event loop.
final class PageConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let pages: PageStore
  private var head: HTTPRequestHead?
  private var isAnswered = false
  private var deadline: Scheduled<Void>?

  init(pages: PageStore) {
    self.pages = pages
  }

  func channelActive(context: ChannelHandlerContext) {
    setDeadline(ServeLimits.requestTime, context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = self.head ?? head
    case .body: break
    case .end: if let head { answer(PageAnswer(to: head, from: pages), context) }
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent, !isAnswered {
      context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is RequestTooLarge {
      answer(.tooLarge, context)
    } else if error is HTTPParserError {
      answer(.malformed, context)
    } else {
      context.close(promise: nil)
    }
  }

  private func answer(_ answer: PageAnswer, _ context: ChannelHandlerContext) {
    if isAnswered { return }
    isAnswered = true
    setDeadline(ServeLimits.responseTime, context)
    let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: answer.headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    // A client that asks for the head takes what follows for the next answer.
    if self.head?.method != .HEAD {
      context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil)
    }
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      channel.close(promise: nil)
    }
  }

  private func setDeadline(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}

#endif
