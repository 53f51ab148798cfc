/// The objects whose events are recorded while the recorder samples.
///
/// All events of an object are recorded or none, so that what the log says of it stays whole. The choice depends on the
/// object's number alone: a reader knows it for every object, and the objects of a smaller share are among those of a
/// larger one.
@usableFromInline
package struct ObjectSample: Hashable, Sendable {
  /// The share of all objects.
  package static let all: UInt64 = 1_024

  /// How many objects of 1,024 are in the sample.
  package var share: UInt64

  /// The sample of that share; shares above ``all`` count as ``all``.
  package init(share: UInt64) { self.share = min(share, Self.all) }

  /// Whether the events of `object` are recorded.
  ///
  /// An object whose id is not a number is of another writer, which does not sample.
  package func contains(_ object: ObjectID) -> Bool {
    guard object.rawValue >> 62 == 0 else { return true }
    return Self.position(of: object.rawValue) < share
  }

  /// The position of a number in a sequence in which neighbors, and numbers at equal distances, are scattered: what a
  /// program makes in turns must not be in the sample as a whole or not at all.
  ///
  /// Source: the finalizer of MurmurHash3, https://github.com/aappleby/smhasher.
  private static func position(of number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ mixed >> 33) &* 0xFF51_AFD7_ED55_8CCD
    mixed = (mixed ^ mixed >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return (mixed ^ mixed >> 33) >> 54
  }
}

extension ObjectSample {
  /// Whether a recorder that samples leaves `body` out.
  ///
  /// The deallocations of objects that are not in the sample are recorded: they may be observers. With no object in it,
  /// no object is left to be judged, and only what frames the log is recorded.
  ///
  /// - Parameters:
  ///   - body: the event.
  ///   - subject: the object of an event that names it only by a registration; nil: not known.
  /// - Returns: true if it is not recorded.
  package func leavesOut(_ body: Event.Body, of subject: ObjectID?) -> Bool {
    switch body {
    case .register(let registration), .live(let registration), .refused(let registration, _, _):
      !contains(registration.subject.id)
    case .remove(let removal), .removeEnd(let removal): !contains(removal.subject.id)
    case .willChange(let change), .didChange(let change): !contains(change.subject.id)
    case .write(let subject, _, _), .classChanged(let subject, _, _): !contains(subject.id)
    case .registerEnd, .cancel, .notify, .notifyEnd, .attach, .detach:
      subject.map { !contains($0) } ?? (share == 0)
    case .deinit, .deinitEnd, .expectDeinit, .hold, .drop, .walkBegin, .walkEnd, .lock, .unlock,
      .declares:
      share == 0
    case .process, .module, .threadName, .scopeBegin, .scopeEnd, .crash, .dropped, .exit, .expects,
      .keep, .sample, .consumerBegin, .parked, .consumerEnd:
      false
    }
  }
}
