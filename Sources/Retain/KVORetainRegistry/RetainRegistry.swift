internal import Synchronization

/// Registry that decouples the memory walker from the library that knows of observations.
///
/// Each is set once a process, by the first caller, and stays. Races, and what answers them:
/// - two that set at the same time: the exchange lets one of them win;
/// - a reader that runs while another thread sets sees nothing or all of it: the reference is published with release
///   order and read with acquire order.
package enum RetainRegistry {
  private final class Box<Content: Sendable>: Sendable {
    let content: Content
    init(_ content: Content) { self.content = content }
  }

  private static let walkerSlot = AtomicLazyReference<Box<any RetainWalker>>()
  private static let knowledgeSlot = AtomicLazyReference<Box<any RetainKnowledge>>()

  /// The walker; nil if none was installed.
  package static var walker: (any RetainWalker)? { walkerSlot.load()?.content }

  /// The library that knows of observations; nil if nothing was observed yet.
  package static var knowledge: (any RetainKnowledge)? { knowledgeSlot.load()?.content }

  /// Makes `walker` the one that walks; a later one changes nothing.
  package static func install(_ walker: some RetainWalker) {
    _ = walkerSlot.storeIfNil(Box<any RetainWalker>(walker))
  }

  /// Makes `knowledge` what walks ask; a later one changes nothing.
  package static func install(_ knowledge: some RetainKnowledge) {
    _ = knowledgeSlot.storeIfNil(Box<any RetainKnowledge>(knowledge))
  }
}
