internal import KVORecorder
internal import KVOTrace

// What a stream is told of the death of objects, beyond other observers.
extension SubjectStorage {
  /// Ends the streams of this object, which is gone: by their own design, so before its death is
  /// judged.
  func endStreams(at stack: StackID) {
    for registration in registrations where registration.form == .stream {
      if let id = registration.id { cancel(id, by: .owner, stack: stack) }
    }
  }

  /// The streams that other objects' paths lead through this object by a weak reference.
  var streamsThroughHere: [Observation] {
    linksOfOthers.map(\.observation).filter { observation in
      observation.registration.form == .stream && observation.root !== self
        && observation.tree?.hangsWeakly(on: self) == true
    }
  }

  /// Tells streams that the path ends early now that this object is gone.
  func tellOfDeath(_ streams: [Observation]) {
    for stream in streams {
      guard let subject = stream.root.record.object else { continue }
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
}
