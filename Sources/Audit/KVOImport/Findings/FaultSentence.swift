import KVORules

/// The fault, in one sentence, and the advice for it.
struct FaultSentence {
  let kind: Complaint.Kind
  let code: RuleCode
  let subject: Finding.Object?
  let observer: Finding.Object?
  /// How many observers of the key path the text lists; the first is `observer`.
  let observerCount: Int
  let keyPath: String?
  let part: String?
  /// Whether the registration has a context.
  var hasContext = false
  /// The language of the code that is to be changed; nil if the report does not show it.
  var language: SourceLanguage?
  /// Which of `observer`, `subject` and `keyPath` the text hides.
  var masked: [String] = []

  private func shown(_ name: String, as role: String) -> String {
    masked.contains(role) ? "\(name) (masked)" : name
  }

  private var observerName: String? { observer.map { shown($0.description, as: "observer") } }
  private var subjectName: String? { subject.map { shown($0.description, as: "subject") } }
  private var who: String { observerName ?? "An observer" }
  private var whom: String {
    guard observerCount > 1 else { return observerName ?? "an observer" }
    guard let observerName else { return "\(observerCount) observers" }
    return observerCount == 2
      ? "\(observerName) and another" : "\(observerName) and \(observerCount - 1) others"
  }
  private var what: String { subjectName ?? "an object" }
  var path: String {
    keyPath.map { shown("\"\($0)\"", as: "keyPath") } ?? "a key path"
  }

  /// Whether the key path is the name of a notification of the notification center.
  var isNotification: Bool {
    guard let keyPath, let first = keyPath.first else { return false }
    // The center has no properties: code that observes it mistakes KVO for its method of a similar name.
    if subject?.className.hasSuffix("NotificationCenter") == true { return true }
    return first.isUppercase && keyPath.hasSuffix("Notification") && !keyPath.contains(".")
  }

  /// The sentence, without a full stop.
  var text: String {
    isNotification ? "\(sentence); it is the name of a notification, not a key path" : sentence
  }

  private var sentence: String {
    switch kind {
    case .removal where code == .removeWrongContext:
      "\(who) removed its observation of \(path) from \(what) under a context that it was not "
        + "registered under"
    case .removal:
      "\(who) removed an observation of \(path) from \(what) that was not registered"
    case .deallocation where code == .observerDeinitWhileRegistered:
      observerCount > 1
        ? "\(observerCount) observers were deallocated while they observed \(path) of \(what), which "
          + "was deallocated later"
        : "\(who) was deallocated while it observed \(path) of \(what), which was deallocated later"
    case .deallocation:
      "\(subjectName ?? "An object") was deallocated while \(whom) observed "
        + (keyPath == nil ? "it" : "its \(path)")
    case .unhandled:
      "\(who) did not handle a notification of \(path) of \(what)"
    case .deadReceiver(isZombie: false) where isLeftover:
      "\(who), which has the memory of a deallocated observer, was notified of \(path) of \(what)"
    case .deadReceiver, .deliveryOnTop:
      "\(who) was notified of \(path) of \(what) after it was deallocated"
    case .silentChange(let whileRemoving):
      "\(part.map { "The value of \"\($0)\"" } ?? "A value") of \(what) changed without a "
        + "notification, which showed when the observation of \(path) by \(whom) was "
        + (whileRemoving ? "removed" : "updated")
    case .undefinedKey, .uncompliantObject:
      "\(who) asked for \(path) of \(what), but there is no key \(part.map { "\"\($0)\"" } ?? path)"
    case .unsupportedCollection:
      "\(path == "a key path" ? "A key path" : path) of \(what) was asked for, but a collection "
        + "cannot be observed"
    case .classPair:
      "Automatic notification is off for \(subject?.className ?? "a class"), because a class named "
        + "NSKVONotifying_\(subject?.className ?? "…") exists already"
    case .setterNotice(let returnsValue):
      "Changes of \(path) that are made through a setter of \(subject?.className ?? "a class") are not "
        + "notified, because the setter \(returnsValue ? "returns a value" : "takes what cannot be boxed")"
    case .keyPathTrap:
      "A key path of \(subject?.className ?? "a type") was observed that Objective-C cannot name"
        + (keyPath.map { ": \"\($0)\"" } ?? "")
    case .notObservable: "\(what) was to be observed, but its class cannot be observed"
    case .missingRemovalMethod:
      "An observation of \(what) was removed with a context, which this runtime cannot do"
    case .registrationOnTop:
      "The registrations of an object were changed by two threads at the same time"
    case .classPairOnTop:
      "An observed class could not get the class that notifies for it, because one of that name exists already: "
        + "the class is in the process twice"
    case .deallocationOnTop:
      "An object was deallocated while it was observed, and what it still held of its observers was gone"
    case .recursionInStack:
      "A callback changed what it was notified of, and was notified again until the stack was full"
    }
  }
}
