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
  private var path: String {
    keyPath.map { shown("\"\($0)\"", as: "keyPath") } ?? "a key path"
  }

  /// Whether the key path is the name of a notification of the notification center.
  private var isNotification: Bool {
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

  /// The advice, with the line to write.
  var hint: String {
    let object = subject.map { Self.variable($0.className) } ?? "object"
    let name = keyPath ?? "…"
    if isNotification {
      return
        "observe \(name) with NSNotificationCenter's addObserver:selector:name:object:, and end it with "
        + "removeObserver:name:object:; a key path names a property"
    }
    if let special { return special }
    switch kind {
    case .removal where code == .removeWrongContext, .missingRemovalMethod:
      return "pass the context of the addition to `removeObserver:forKeyPath:context:`"
    case .removal:
      return "find every `[\(object) removeObserver:… forKeyPath:@\"\(name)\"]`: each needs one "
        + "addition before it on every path that leads there, and none may run twice (a view "
        + "disappears more than once); an NSKeyValueObservation that is set to nil needs no such care"
    case .deallocation, .deallocationOnTop:
      return
        "call `[\(object) removeObserver:… forKeyPath:@\"\(name)\"]` before the last reference to "
        + "it goes, at the latest in the observer's dealloc, or keep the NSKeyValueObservation of "
        + "`\(object).observe(\\.\(name))` beside the reference"
    case .unhandled:
      return "compare key path, object and context in observeValueForKeyPath: of "
        + "\(observer.map { $0.className.plainTypeName } ?? "the observer"), and call super only for "
        + "what super registered"
    case .deadReceiver, .deliveryOnTop:
      return "remove \(observer.map { $0.className.plainTypeName } ?? "the observer") from what it "
        + "observes before it is deallocated; NSZombieEnabled names its class, and "
        + "`kvo-audit` on a log says where it was registered"
    case .silentChange:
      return "set \(part.map { "\"\($0)\"" } ?? "the value") through its setter, or put "
        + "willChangeValueForKey: and didChangeValueForKey: around every assignment to its variable, "
        + "also in dealloc"
    case .undefinedKey where isSystems(subject), .uncompliantObject where isSystems(subject):
      return
        "correct the key path: \((subject?.className ?? "").plainTypeName) is the system's, and its documentation "
        + "names the properties that may be observed"
    case .undefinedKey, .uncompliantObject, .keyPathTrap:
      return "give \(subject.map { $0.className.plainTypeName } ?? "the class") "
        + "an `@objc dynamic` property \(part ?? keyPath ?? "of that name"), or correct the key path"
    case .unsupportedCollection, .notObservable:
      return "observe the property that holds the collection, not the collection"
    case .classPair:
      return
        "do not make classes or swizzle types whose names begin with NSKVONotifying_, and make no "
        + "second class of one name; until then call willChangeValueForKey: and didChangeValueForKey:"
    case .setterNotice(let returnsValue):
      if let subject, SystemClass.isOne(subject.className) {
        return
          "\(subject.className.plainTypeName) is the system's and does not notify of \(path): use what it documents "
          + "instead, as a delegate, a notification or a method to override (a view has viewDidMoveToWindow)"
      }
      return
        "\(returnsValue ? "let the setter return void" : "let the setter take an object, a number or a plain structure"), "
        + "or call willChangeValueForKey: and didChangeValueForKey: around every change of \(path)"
    case .classPairOnTop:
      return
        "link each class into one image only: a test bundle that is loaded into the app must not compile the "
        + "app's sources again, nor link a library that the app links"
    case .registrationOnTop:
      return "add and remove observers of one object on one thread or queue only"
    case .recursionInStack:
      return
        "find the assignment between two calls of observeValueForKeyPath: in the stack, and leave the callback "
        + "early if the value is already as it should be"
    }
  }

  /// Advice that applies to these objects regardless of the code: those that no user code registers.
  private var special: String? {
    switch kind {
    case .removal, .silentChange, .deallocation: break
    case .unhandled: return leftover
    default: return nil
    }
    if observer?.className == "NSKeyValueObservance" {
      return
        "the observer is the runtime's own link in a longer key path: find who observes a path that ends in "
        + "\(path), observe its parts one by one instead, and change the \(subject.map { $0.className.plainTypeName } ?? "object") "
        + "on one thread only"
    }
    if let observer, observer.className.contains("NSKeyValueObservation"), kind == .removal {
      return
        "the observer is an NSKeyValueObservation, which removes itself once: end it on one thread "
        + "only, by setting it to nil (two threads that call invalidate() or let it go at the same "
        + "time remove it twice), and never pass it to removeObserver"
    }
    guard let observer, let subject, SystemClass.isOne(observer.className),
      SystemClass.isOne(subject.className)
    else { return nil }
    return
      "both objects are the system's, so that no call of yours is missing: look for code that replaces "
      + "addObserver: and removeObserver: (a guard against crashes that swizzles them), for a category "
      + "or subclass that overrides one of them, and for a second thread that uses the "
      + "\(subject.className.plainTypeName)"
  }

  private func isSystems(_ object: Finding.Object?) -> Bool {
    object.map { SystemClass.isOne($0.className) } ?? false
  }

  /// Advice if the observer is of a system class that never observes: the object has reused the observer's address.
  private var leftover: String? {
    guard let observer, isSystems(observer),
      !["Bind", "Controller", "Observ", "Dispatch"].contains(where: observer.className.contains)
    else { return nil }
    return
      "\(observer.className.plainTypeName) observes nothing of that kind: most likely the observer was deallocated "
      + "while it was registered, and this object has its memory; find who observes \(path), and remove it "
      + "before it goes (NSZombieEnabled names its class)"
  }

  private static func variable(_ className: String) -> String {
    let type = className.plainTypeName.drop { $0 == "_" }
    guard !type.isEmpty else { return "object" }
    // The last of several initials begins the next word: `SVGView` is `svgView`.
    let initials = type.prefix(while: \.isUppercase).count
    let count = initials < 2 || initials == type.count ? initials : initials - 1
    return type.prefix(count).lowercased() + type.dropFirst(count)
  }
}

/// Tells the classes of Apple's frameworks by their prefixes.
enum SystemClass {
  private static let prefixes = [
    "NS", "UI", "AV", "CA", "WK", "MK", "CK", "CF", "CL", "MP", "PH", "SK", "SC", "PK", "CN", "HK",
  ]

  /// Whether `name` is one of Apple's; `NSKVONotifying_` precedes the user's.
  static func isOne(_ name: String) -> Bool {
    var bare = name.drop { $0 == "_" }
    while bare.last == "_" { bare.removeLast() }
    guard let prefix = prefixes.first(where: bare.hasPrefix), !bare.hasPrefix("NSKVONotifying_"),
      !name.contains(".")
    else { return false }
    let rest = bare.dropFirst(prefix.count)
    // `CALayer`, and not the `CAt` of the user's `CAtlas`.
    return rest.first?.isUppercase == true && !bare.contains("_")
  }
}
