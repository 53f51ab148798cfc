internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// What a consumer takes values from.
struct ConsumerOrigin: Hashable, Sendable {
  /// The call that made the sequence or the continuation.
  var site: StringID
  /// What it waits for: class and key path, or a name that the program gave.
  var awaited: StringID
  var form = Consumer.Form.loop
  /// Whether an audited scope fails if it leaves a consumer waiting.
  ///
  /// Observations that outlive a scope are reported anyway.
  var isJudgedByScopes = false
  /// Why consumers are meant to outlive their scope; none if they are not.
  var expectedToLive = StringID.none
}

extension ConsumerOrigin {
  /// What the program names `name` at `site`.
  init(
    _ site: CallSite,
    _ name: String,
    form: Consumer.Form = .loop,
    expectedToLive: String?
  ) {
    self.init(
      site: site.id,
      awaited: Recorder.id(of: name),
      form: form,
      isJudgedByScopes: expectedToLive == nil,
      expectedToLive: expectedToLive.map { Recorder.id(of: $0) } ?? .none
    )
  }
}

/// The side of a sequence that can resume its consumers.
final class ConsumerSource: Sendable {
  // relaxed: set once; nothing is published with it.
  private let gone = Atomic<Bool>(false)

  /// Whether it was released without having ended the sequence: nobody can resume a consumer that waits.
  var isGone: Bool { gone.load(ordering: .relaxed) }

  /// Notes that.
  func leave() { gone.store(true, ordering: .relaxed) }
}
