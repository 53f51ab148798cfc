internal import Synchronization

/// Registry that decouples the memory walker from the library that knows of observations.
///
/// Each is set once per process, by the first caller. Races, and how they are resolved:
/// - Two callers set it at the same time: the exchange lets one of them win.
/// - A caller reads it while another thread sets it: it sees nothing or the complete object,
///   because the reference is published with release order and read with acquire order.
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

  /// Installs `walker`; later calls have no effect.
  package static func install(_ walker: some RetainWalker) {
    _ = walkerSlot.storeIfNil(Box<any RetainWalker>(walker))
  }

  /// Installs `knowledge`; later calls have no effect.
  package static func install(_ knowledge: some RetainKnowledge) {
    _ = knowledgeSlot.storeIfNil(Box<any RetainKnowledge>(knowledge))
  }
}
