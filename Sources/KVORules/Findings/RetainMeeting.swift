internal import Synchronization

/// Where those meet who may not know each other: who walks memory, and who knows of observations.
///
/// Each is set once a process, by whoever comes first, and stays. Races, and what answers them:
/// - two that set at the same time: the exchange lets one of them win;
/// - who reads while another sets sees nothing or all of it: the reference is published with release
///   order and read with acquire order.
package enum RetainMeeting {
  private final class Box<Content: Sendable>: Sendable {
    let content: Content
    init(_ content: Content) { self.content = content }
  }

  private static let walkerPlace = AtomicLazyReference<Box<any RetainWalker>>()
  private static let knowledgePlace = AtomicLazyReference<Box<any RetainKnowledge>>()

  /// Who walks; nil where nobody was installed.
  package static var walker: (any RetainWalker)? { walkerPlace.load()?.content }

  /// Who knows of observations; nil where nothing was observed yet.
  package static var knowledge: (any RetainKnowledge)? { knowledgePlace.load()?.content }

  /// Makes `walker` the one that walks; a later one changes nothing.
  package static func install(_ walker: some RetainWalker) {
    _ = walkerPlace.storeIfNil(Box<any RetainWalker>(walker))
  }

  /// Makes `knowledge` what walks ask; a later one changes nothing.
  package static func install(_ knowledge: some RetainKnowledge) {
    _ = knowledgePlace.storeIfNil(Box<any RetainKnowledge>(knowledge))
  }
}
