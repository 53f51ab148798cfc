internal import KVORecorder
internal import KVOTrace

// The effects of this object's deallocation on observers of other objects, and above all on
// streams.
extension SubjectStorage {
  /// Ends the streams of this deallocated object, and its observations as an element of a collection; this is intended,
  /// so it precedes the judgment of the deallocation.
  func endIntended(at stack: StackID) {
    for case let id? in registrations.map(\.id) where observation(id)?.endsWithObject == true {
      cancel(id, by: .owner, stack: stack)
    }
  }

  /// The observations that other objects' paths lead through this object by a weak reference.
  var observationsThroughHere: [Observation] {
    var seen: Set<RegistrationID> = []
    return linksOfOthers.map(\.observation).filter { observation in
      observation.root !== self && seen.insert(observation.id).inserted
        && observation.tree?.hangsWeakly(on: self) == true
    }
  }

  /// Marks the paths of observations as ending early now that this object is deallocated: streams are notified, other
  /// observations rebuild before the next change.
  func noteDeallocation(on observations: [Observation]) {
    for observation in observations {
      if observation.registration.form == .stream {
        reportDeallocation(observation)
      } else {
        observation.tree?.outdate()
      }
    }
  }

  /// Notifies a stream of the value of its path now that an object on it is deallocated.
  ///
  /// If that object is deallocated in a change of the path, the end of the change notifies the
  /// stream.
  func reportDeallocation(_ stream: Observation) {
    guard let subject = stream.root.record.object,
      stream.tree?.isBeingChanged(stream) != true
    else { return }
    stream.tree?.rebuild(stream, from: subject)
    stream.notify(
      subject,
      .after,
      of: nil,
      .setting,
      old: nil,
      new: stream.wantsNew ? .some(stream.read(from: subject)) : nil,
      isOfDeallocation: true
    )
  }
}
