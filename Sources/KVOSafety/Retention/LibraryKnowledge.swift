internal import KVORecorder
internal import KVORetainRegistry
internal import KVOTrace

/// The objects that the library keeps alive, for walks that look for retain cycles.
///
/// - An observed object keeps its observations, through its registrar, and those of other objects whose paths lead
///   through it.
/// - A token, and an adapter's own registration, keep their own observation alive. In memory they lead to all
///   observations of the object, which do not live longer because of it: they end with the object.
/// - An observation keeps its closure.
/// - A controller keeps its observations, as a token does, and the observed objects if it was made to retain them.
/// - An observation ends with its token or controller, even if the observed object lives.
/// - For an object that a token is bound to, the library keeps the token until the object is deallocated. It does not
///   keep it for the observed object, with which the token would end, too.
/// - For an owner without a property for it, the library keeps its controller until the owner is deallocated; for an
///   object of another library, the registrations on it.
///
/// Each answer takes one lock of the library at a time while it copies addresses, none while a walk reads.
struct LibraryKnowledge: RetainKnowledge {
  var classes: [RetainKnownClass] {
    [
      RetainKnownClass(SubjectStorage.self, .asked, isShown: false),
      RetainKnownClass(
        Observation.self,
        .property("deliver"),
        isShown: false,
        isObservation: true
      ),
      RetainKnownClass(ObservationToken.self, .asked, isShown: true, isKeeper: true),
      RetainKnownClass(
        ObservationController<ControllerIdentity>.self,
        .asked,
        isShown: true,
        isKeeper: true
      ),
      RetainKnownClass(ForeignRegistration.self, .asked, isShown: false),
    ]
  }

  func references(ofObjectAt address: UInt) -> [UInt] {
    switch Self.object(at: address) {
    case let storage as SubjectStorage: storage.keptAddresses
    case let token as ObservationToken: token.keptAddress.map { [$0] } ?? []
    case let registration as ForeignRegistration: registration.keptAddress.map { [$0] } ?? []
    case let controller as any AnyController: controller.keptAddresses
    default: []
    }
  }

  func hasKeeper(ofObservationAt address: UInt) -> Bool {
    // Only registrations of the library itself have the reference of a token or a controller: an adapter's own one ends
    // with the real one.
    (Self.object(at: address) as? Observation)?.registration.token != nil
  }

  func label(ofReferenceFrom keeper: UInt, to kept: UInt) -> String {
    switch Self.object(at: keeper) {
    case is ObservationToken: "handler"
    case is any AnyController: observationLabel(of: kept) ?? "observed object"
    case is SubjectStorage: observationLabel(of: kept) ?? ""
    default: ""
    }
  }

  private func observationLabel(of kept: UInt) -> String? {
    (Self.object(at: kept) as? Observation).map { observation in
      "observation of \"\(Recorder.shared.text(of: observation.registration.keyPath))\""
    }
  }

  var attachments: [RetainAttachment] {
    let controllers = AttachedControllers.shared.addresses.map { owner, controller in
      (owner, RetainAttachment(owner: owner.address, kept: controller, label: Self.attachedLabel))
    }
    let registrations = ForeignSubjects.shared.addresses.map { subject, storage in
      (subject, RetainAttachment(owner: subject.address, kept: storage, label: ""))
    }
    let tokens = BoundTokens.shared.addresses.map { owner, token in
      (owner, RetainAttachment(owner: owner.address, kept: token, label: Self.boundLabel))
    }
    // If the hook of the class does not report deallocations, the address may have been reused by now.
    return (controllers + registrations + tokens)
      .filter { record, _ in record.isWatched || record.isAlive }
      .map { $1 }
  }

  var numbered: RetainNumberedObjects {
    let shards = ObjectTable.shared.recordsIfAvailable
    let objects = shards.flatMap { $0 ?? [] }.compactMap {
      record -> RetainNumberedObjects.Object? in
      // A record that is stale has no object anymore, whatever is at its address now.
      guard record.isAlive, let number = record.ref.id.number else { return nil }
      return RetainNumberedObjects.Object(
        address: record.address,
        number: number,
        className: Recorder.shared.text(of: record.ref.className)
      )
    }
    return RetainNumberedObjects(objects: objects, isComplete: !shards.contains { $0 == nil })
  }

  private static let attachedLabel = "ObservationController.of"
  private static let boundLabel = "ObservationToken.bind"

  /// The object at an address that a walk found; while the program is quiescent, the object is alive.
  static func object(at address: UInt) -> AnyObject? {
    UnsafeRawPointer(bitPattern: address).map {
      Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
    }
  }
}
