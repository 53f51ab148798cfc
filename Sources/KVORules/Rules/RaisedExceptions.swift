import KVOTrace

/// The exceptions that left callbacks, by the object and the key that the callbacks told of.
///
/// Some runtimes tell nobody of that key any more: whoever misses a change then has a cause to be shown.
///
/// Complexity: O(1); the oldest are forgotten.
struct RaisedExceptions: Sendable {
  struct Raised: Sendable {
    var name: StringID
    var observer: ObjectRef?
    var evidence: Evidence
  }

  private var objects = BoundedMap<ObjectTag, [StringID: Raised]>(capacity: 1_024)

  mutating func note(_ raised: Raised, of registration: Registration) {
    var keys = objects[registration.subject.id] ?? [:]
    keys[registration.keyPath] = raised
    objects.set(registration.subject.id, keys)
  }

  /// The last exception that left a callback which told of what `registration` observes.
  func exception(of registration: Registration) -> Raised? {
    objects.isEmpty ? nil : objects[registration.subject.id]?[registration.keyPath]
  }

  mutating func forget(_ object: ObjectID) {
    if !objects.isEmpty, objects[object] != nil { objects.set(object, [:]) }
  }
}

// KVO039, and what else is said of keys and callbacks where they are met.
extension RuleEngine {
  /// KVO039: an exception left the callback.
  mutating func judgeException(
    _ delivery: Delivery,
    _ begun: ThreadTable.Callback?,
    _ evidence: Evidence,
    _ slot: Int
  ) {
    let slot = begun?.slot ?? slot
    guard slot >= 0 else { return }
    let registration = ledger.slots[slot].registration
    verdicts.append(
      Verdict(
        .callbackRaised,
        of: registration,
        [evidence.as(.failed)] + (begun.map { [$0.began] } ?? []) + [ledger.slots[slot].registered],
        .exception(delivery.exception, observer: registration.observer),
        confidence: .high
      )
    )
    exceptions.note(
      RaisedExceptions.Raised(
        name: delivery.exception,
        observer: registration.observer,
        evidence: evidence.as(.raised)
      ),
      of: registration
    )
  }

  /// KVO029 and KVO040, where a class has a problem with a key; else what KVO028 goes by.
  mutating func declare(_ key: KeyDeclaration, _ evidence: Evidence) {
    guard let problem = key.problem else {
      seen.insert(.declaration)
      dependencies.declare(key, at: evidence)
      return
    }
    var verdict = Verdict(
      problem == .noAccessor ? .uncompliantPath : .ignoredDependency,
      subject: nil,
      keyPath: key.key,
      evidence: [evidence],
      detail: .problem(problem, className: key.className)
    )
    // It was not refused: nothing goes wrong but that nobody is told.
    if problem == .noAccessor { verdict.severity = .warning }
    verdicts.append(verdict)
  }
}

extension Verdict {
  /// KVO032 where an exception is why nobody was told.
  mutating func explain(by raised: RaisedExceptions.Raised) {
    detail = .exception(raised.name, observer: raised.observer)
    evidence.append(raised.evidence)
    // Raised in the very change, of which nothing else says where it was made.
    if evidence[0].stack == .none { evidence[0].stack = raised.evidence.stack }
  }
}
