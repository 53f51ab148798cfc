internal import KVORecorder
internal import KVOTrace

/// Represents an object of another runtime, which Swift can neither retain nor reference weakly.
///
/// Its registrations are made on this object, under the other object's class name. Its creator keeps it for as long as
/// the other object exists, and calls ``didDeallocate()`` when that is deallocated.
package final class ForeignObject: Sendable {
  /// The class of the other object, as logs and reports name it.
  package let className: String

  package init(className: String) { self.className = className }

  /// Notifies that the other object is being deallocated: registrations on it end, and are reported (KVO006).
  ///
  /// Call it once, on the thread that deallocates the object, with no lock held.
  package func didDeallocate() {
    guard let record = ObjectTable.shared.knownRecord(of: self) else { return }
    ObserverDeallocation.begins(record)
    ObserverDeallocation.ended(record)
  }

  /// What is registered on it.
  package var census: [KVO.ObservationRecord] {
    KVO.records(of: ForeignSubjects.shared.storage(of: self))
  }
}
