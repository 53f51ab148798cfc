internal import KVORecorder
internal import KVOTrace

// What observers of other objects, and streams above all, have to do with the death of this one.
extension SubjectStorage {
  /// Ends the streams of this object, which is gone: by their own design, so before its death is
  /// judged.
  func endStreams(at stack: StackID) {
    for registration in registrations where registration.form == .stream {
      if let id = registration.id { cancel(id, by: .owner, stack: stack) }
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

  /// Has observations know that their paths end early now that this object is gone: streams are told, others
  /// look anew before the next change.
  func noteDeath(on observations: [Observation]) {
    for observation in observations {
      if observation.registration.form == .stream {
        tellOfDeath(observation)
      } else {
        observation.tree?.outdate()
      }
    }
  }

  /// Tells a stream what its path leads to now that an object on it is gone.
  ///
  /// Where that object dies in a change of the path, the end of the change tells it.
  func tellOfDeath(_ stream: Observation) {
    guard let subject = stream.root.record.object,
      stream.tree?.isBeingChanged(stream) != true
    else { return }
    stream.tree?.rebuild(stream, from: subject)
    stream.tell(
      subject,
      .after,
      of: nil,
      .setting,
      old: nil,
      new: stream.wantsNew ? .some(stream.read(from: subject)) : nil,
      isOfDeath: true
    )
  }
}
