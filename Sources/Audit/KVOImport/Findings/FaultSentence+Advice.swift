import KVORules

/// The advice, with the line to write.
extension FaultSentence {
  /// What to do, in the language of the code.
  var hint: String {
    if isNotification { return ofNotification }
    if let special { return special }
    switch kind {
    case .missingRemovalMethod:
      return
        "call `\(removal)`: this GNUstep has no `removeObserver:forKeyPath:context:`, and keeps one registration of an "
        + "observer for a key path, whatever its context is"
    case .removal where code == .removeWrongContext:
      return "pass the context of the addition to `"
        + inSwift(
          "removeObserver(_:forKeyPath:context:)",
          else: "removeObserver:forKeyPath:context:"
        )
        + "`"
    case .removal:
      let token =
        language == .objectiveC
        ? "" : "; an NSKeyValueObservation that is set to nil removes itself exactly once"
      return
        "find every `\(removal)`: each needs one addition before it on every path that leads there, "
        + "and none may run twice (a view disappears more than once)" + token
    case .deallocation, .deallocationOnTop:
      return
        "call `\(removal)` before the last reference to it is released, at the latest in the observer's "
        + inSwift("deinit", else: "dealloc") + observation
    case .unhandled:
      return "compare key path, object and context in `\(callback)` of "
        + "\(observer.map { $0.className.plainTypeName } ?? "the observer"), and call super only for "
        + "what super registered"
    case .deadReceiver, .deliveryOnTop:
      return "remove \(observer.map { $0.className.plainTypeName } ?? "the observer") from what it "
        + "observes before it is deallocated; NSZombieEnabled names its class, and "
        + "`kvo-audit` on a log says where it was registered"
    case .silentChange:
      return "set \(part.map { "\"\($0)\"" } ?? "the value") through its setter, or put \(bracket) "
        + "around every assignment to its variable, also in " + inSwift("deinit", else: "dealloc")
    case .undefinedKey where isSystems(subject), .uncompliantObject where isSystems(subject):
      return
        "correct the key path: \((subject?.className ?? "").plainTypeName) is the system's, and its documentation "
        + "names the properties that may be observed"
    case .undefinedKey, .uncompliantObject, .keyPathTrap:
      return "give \(subject.map { $0.className.plainTypeName } ?? "the class") "
        + (language == .objectiveC ? "a property " : "an `@objc dynamic` property ")
        + "\(part ?? keyPath ?? "of that name"), or correct the key path"
    case .unsupportedCollection, .notObservable:
      return "observe the property that holds the collection, not the collection"
    case .classPair:
      return
        "do not make classes or swizzle types whose names begin with NSKVONotifying_, and make no "
        + "second class of one name; until then call \(bracket)"
    case .setterNotice(let returnsValue):
      if let subject, SystemClass.isOne(subject.className) {
        return
          "\(subject.className.plainTypeName) is the system's and does not notify of \(path): use what it documents "
          + "instead, as a delegate, a notification or a method to override (a view has viewDidMoveToWindow)"
      }
      return
        "\(returnsValue ? "let the setter return void" : "let the setter take an object, a number or a plain structure"), "
        + "or call \(bracket) around every change of \(path)"
    case .classPairOnTop:
      return
        "link each class into one image only: a test bundle that is loaded into the app must not compile the "
        + "app's sources again, nor link a library that the app links"
    case .registrationOnTop:
      return "add and remove observers of one object on one thread or queue only"
    case .recursionInStack:
      return
        "find the assignment between two calls of `\(callback)` in the stack, and leave the callback "
        + "early if the value is already as it should be"
    }
  }

  // MARK: - Lines

  /// `swift` if the code is known to be Swift, and `other` if not.
  private func inSwift(_ swift: String, else other: String) -> String {
    language == .swift ? swift : other
  }

  /// The observed object, as a program's code would name it.
  private var object: String {
    subject.map { (language ?? .objectiveC).variable(of: $0.className) } ?? "object"
  }

  /// The removal of the registration; its observer is the object whose code has the line.
  private var removal: String {
    let name = (language ?? .objectiveC).literal(keyPath ?? "…")
    return inSwift(
      "\(object).removeObserver(…, forKeyPath: \"\(name)\"\(hasContext ? ", context: …" : ""))",
      else: "[\(object) removeObserver:… forKeyPath:@\"\(name)\"\(hasContext ? " context:…" : "")]"
    )
  }

  /// The observation that ends when its token is released, in Swift only.
  private var observation: String {
    if language == .objectiveC { return "" }
    // A key path of Swift needs a question mark after an optional value, which a report does not show.
    let path = keyPath.flatMap { SourceLanguage.isName($0) ? $0 : nil } ?? "…"
    let name = subject.map { SourceLanguage.swift.variable(of: $0.className) } ?? "object"
    return
      ", or store the NSKeyValueObservation that `\(name).observe(\\.\(path)) { _, _ in … }` returns next to the "
      + "reference"
  }

  private var callback: String {
    inSwift("observeValue(forKeyPath:of:change:context:)", else: "observeValueForKeyPath:")
  }

  private var bracket: String {
    inSwift(
      "`willChangeValue(forKey:)` and `didChangeValue(forKey:)`",
      else: "willChangeValueForKey: and didChangeValueForKey:"
    )
  }

  private var ofNotification: String {
    let name = keyPath ?? "…"
    let calls = inSwift(
      "NotificationCenter's `addObserver(_:selector:name:object:)`, and end it with `removeObserver(_:name:object:)`",
      else:
        "NSNotificationCenter's addObserver:selector:name:object:, and end it with removeObserver:name:object:"
    )
    return "observe \(name) with \(calls); a key path names a property"
  }

  // MARK: - Objects

  /// Advice that applies to these objects regardless of the code: those that no user code registers.
  private var special: String? {
    switch kind {
    case .removal, .silentChange, .deallocation: break
    case .unhandled, .deadReceiver(isZombie: false): return leftover
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
        + "only, by setting it to nil (two threads that call invalidate() or release it at the "
        + "same time remove it twice), and never pass it to removeObserver"
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

  /// Whether the observer is of a system class that never observes: the object has reused the observer's address.
  var isLeftover: Bool {
    guard let observer, isSystems(observer) else { return false }
    return !["Bind", "Controller", "Observ", "Dispatch"].contains {
      observer.className.contains($0)
    }
  }

  /// Advice if the object has the memory of the observer.
  private var leftover: String? {
    guard let observer, isLeftover else { return nil }
    return
      "\(observer.className.plainTypeName) observes nothing of that kind: most likely the observer was deallocated "
      + "while it was registered, and this object has its memory; find who observes \(path), and remove it "
      + "before it is deallocated (NSZombieEnabled names its class)"
  }
}
