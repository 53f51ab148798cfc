internal import CKVOLifetime
internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// Handles the deallocation of an object that observes, or is observed by a token or a controller.
///
/// The hook of its class calls before deinit and after it:
/// 1. before: deliveries to it stop, since its weak reference is nil from here on;
/// 2. its own deinit runs, in which correct code removes its registrations;
/// 3. after: the remaining registrations are ended and reported (KVO006 if it is observed, KVO007 if it observes). The
///    memory is not freed before that.
enum DeallocationHook {
  /// Sets the callbacks; any number of times, from any thread.
  static func install() { _ = installed }

  /// Reports the ends of deallocations that an isolated deinit deferred; no lock may be held.
  static func settle() { kvos_settle_deallocations() }

  private static let installed: Void = kvos_set_deallocation_callbacks(
    { pointer in
      let address = UInt(bitPattern: pointer)
      guard let record = ObjectTable.shared.knownRecord(at: address), record.isWatched
      else { return nil }
      ObserverDeallocation.begins(record)
      return Unmanaged.passRetained(record).toOpaque()
    },
    { token in
      ObserverDeallocation.ended(Unmanaged<ObjectRecord>.fromOpaque(token).takeRetainedValue())
    }
  )
}

/// The deallocation of an object that is watched, as a sequence of events.
enum ObserverDeallocation {
  static func begins(_ record: ObjectRecord) {
    guard record.beginDeinit(), Recorder.shared.isRecording else { return }
    Recorder.shared.record(.deinit(record.ref), stack: Recorder.shared.captureStack())
    _ = record.noteRecordedDeinit()
  }

  /// A delivery found the deinit of its observer begun.
  ///
  /// The thread that released the observer may not have recorded that yet. The thread of the change records it before
  /// anything else, or the log would have a change that an observer missed while it was alive (KVO032). The other event
  /// still follows, with the stack of the release.
  static func noticed(_ record: ObjectRecord) {
    guard Recorder.shared.isRecording, record.noteRecordedDeinit() else { return }
    Recorder.shared.record(.deinit(record.ref))
  }

  /// An observation of the object is removed by name, possibly in the object's own deinit.
  ///
  /// An isolated deinit runs on its actor, not on the thread that released the object. The log then has the
  /// deallocation on both threads, or the removal would overlap the deallocation of another thread (KVO025).
  static func removes(from record: ObjectRecord) {
    guard Recorder.shared.isRecording, record.continueDeinit() else { return }
    Recorder.shared.record(.deinit(record.ref))
  }

  static func ended(_ record: ObjectRecord) {
    if let postponed = record.finishDeallocation() {
      postponed.subject.finishDeallocation(at: postponed.stack)
    }
    ForeignSubjects.shared.forget(record.ref.id)
    ExpectedDeallocations.shared.noteDeallocation(of: record.ref.id)
    BoundTokens.shared.release(boundTo: record.ref.id)
    endRegistrations(of: record)
    ObjectTable.shared.forget(record)
    Recorder.shared.record(.deinitEnd(record.ref))
    AttachedControllers.shared.forget(record.ref.id)
    for (id, storage) in record.followers {
      if let stream = storage.observation(id) { storage.reportDeallocation(stream) }
    }
  }

  /// Notices, late, that an observer whose class could not be hooked was deallocated.
  static func noticedLate(_ record: ObjectRecord) {
    begins(record)
    ended(record)
  }

  private static func endRegistrations(of record: ObjectRecord) {
    let observed = record.observed
    guard !observed.isEmpty else { return }
    let stack = Recorder.shared.captureStack()
    for (id, storage) in observed {
      storage.cancel(id, by: storage.causeAtObserverDeallocation(of: id), stack: stack)
    }
  }
}
