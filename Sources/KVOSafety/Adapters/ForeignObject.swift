internal import KVORecorder
internal import KVOTrace

/// Stands for an object of another runtime, which Swift can neither retain nor refer to weakly.
///
/// Its registrations are on this one, under the other's class name. Whoever makes it keeps it for as long
/// as the other lives, and says when that dies.
package final class ForeignObject: Sendable {
  /// The class of the other, as logs and reports name it.
  package let className: String

  package init(className: String) { self.className = className }

  /// Says that the other is being deallocated: what is registered on it ends, and is reported (KVO006).
  ///
  /// To be called once, on the thread that deallocates it, with no lock held.
  package func die() {
    guard let record = ObjectTable.shared.knownRecord(of: self) else { return }
    ObserverDeath.begins(record)
    ObserverDeath.ended(record)
  }

  /// What is registered on it.
  package var census: [KVO.ObservationRecord] {
    KVO.records(of: ForeignSubjects.shared.storage(of: self))
  }
}
