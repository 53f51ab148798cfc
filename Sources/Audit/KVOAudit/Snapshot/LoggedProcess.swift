import KVOReplay
package import KVORules
package import KVOTrace

/// A process of a log, and the observations that are live at the log's end.
///
/// By these a heap snapshot is recognized as one of the same process.
package struct LoggedProcess: Sendable {
  /// An observation that is live at the end.
  package struct LiveRegistration: Hashable, Sendable {
    package var subject: Finding.Object
    /// Nil in the token form without an observer.
    package var observer: Finding.Object?
    package var keyPath: String
    /// Where it was registered, as a census says it; nil: not recorded.
    package var location: String?
    /// The number of the event that added it.
    package var event: Int

    package init(
      subject: Finding.Object,
      observer: Finding.Object?,
      keyPath: String,
      location: String?,
      event: Int
    ) {
      self.subject = subject
      self.observer = observer
      self.keyPath = keyPath
      self.location = location
      self.event = event
    }
  }

  /// The index of the input in the report.
  package var input: Int
  package var info: ProcessInfo?
  package var images: [Module]
  /// Whether every object has a number of the recorder's, and none is known by its address alone, which another object
  /// may have had before.
  package var numbersObjects: Bool
  /// In the order of their events.
  package var live: [LiveRegistration]

  package init(
    input: Int = 0,
    info: ProcessInfo?,
    images: [Module],
    numbersObjects: Bool,
    live: [LiveRegistration]
  ) {
    self.input = input
    self.info = info
    self.images = images
    self.numbersObjects = numbersObjects
    self.live = live
  }
}

extension LoggedProcess {
  /// The process of a finished `replay`, with names for ids.
  init(_ replay: ProcessReplay, _ objects: NumberedObjects, _ builder: FindingBuilder) {
    self.init(
      info: replay.process,
      images: replay.modules,
      numbersObjects: objects.areAll,
      live: replay.engine.liveRegistrations.map { registration, registered in
        LiveRegistration(
          subject: builder.object(registration.subject),
          observer: registration.observer.map(builder.object),
          keyPath: builder.names[registration.keyPath],
          location: builder.names.site(registration.site)?.location
            ?? builder.stack(registered).location,
          event: registered.event
        )
      }
    )
  }
}

/// Whether the objects of a log have numbers.
struct NumberedObjects {
  private(set) var areAll = true

  /// Looks at the objects that `event` names.
  mutating func take(_ event: borrowing Event) {
    guard areAll else { return }
    switch event.body {
    case .live(let registration), .register(let registration), .refused(let registration, _, _):
      check(registration.subject, registration.observer)
    case .remove(let removal): check(removal.subject, removal.observer)
    case .willChange(let change), .didChange(let change): check(change.subject)
    case .deinit(let object), .deinitEnd(let object), .expectDeinit(let object, _),
      .classChanged(let object, _, _), .write(let object, _, _):
      check(object)
    case .attach(let attachment), .detach(let attachment): check(attachment.object)
    case .hold(let reference), .drop(let reference): check(reference.from, reference.to)
    default: break
    }
  }

  private mutating func check(_ first: ObjectRef, _ second: ObjectRef? = nil) {
    // Those of a reader have a generation, and those of other writers may be texts.
    for object in [first, second ?? first]
    where object.id.generation != nil || object.id.number == nil {
      areAll = false
    }
  }
}
