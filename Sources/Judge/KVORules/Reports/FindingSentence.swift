import KVOTrace

/// The sentence and the hint of one finding.
struct FindingSentence {
  let builder: FindingBuilder
  let verdict: Verdict
  let failed: Finding.Stack?

  /// The fault, with types, key path, objects and thread.
  var text: String {
    var text = event
    if isOfOneThread, let thread = failed?.thread {
      text += ", on thread \(thread)"
      if let name = failed?.threadName { text += " (\(name))" }
    }
    return text
  }

  /// Whether it happened on one thread: a sum over runs did not, nor did a class declaration.
  private var isOfOneThread: Bool {
    switch verdict.code {
    case .registrationGrowth, .dependencyCycle, .parkedConsumer, .consumerGrowth,
      .continuationDropped:
      false
    default: problem == nil
    }
  }

  var names: TraceNames { builder.names }
  var subject: String {
    verdict.subject.map { builder.object($0).description } ?? "an unknown object"
  }
  var path: String { "\"\(names[verdict.keyPath])\"" }
  var observer: String? { verdict.observer.map { builder.object($0).description } }
  /// The observer, or what replaces it in the token form without one.
  var who: String { observer ?? "A" + builder.audience(of: verdict).observerName.dropFirst() }
  var whom: String { observer ?? builder.audience(of: verdict).observerName }
  /// The requesting party: the code that made the call, if there is no observer.
  var caller: String { observer ?? "A caller without an observer" }

  private var event: String {
    switch verdict.code {
    case .doubleRemove:
      "\(caller) removed its observation of \(path) from \(subject) \(again)\(stillUnder)"
    case .removeUnregistered:
      "\(caller) removed an observation of \(path) from \(subject) that was not registered"
    case .removeWrongContext:
      "\(caller) removed its observation of \(path) from \(subject) under "
        + "\(described(verdict.context)), but it is registered under \(otherContexts)"
    case .ambiguousRemove:
      "\(caller) removed its observation of \(path) from \(subject) without saying which: it is "
        + "registered under \(otherContexts), and the first of these was taken"
    case .duplicateRegistration:
      "\(who) observes \(path) of \(subject) \(copies) under the same context"
    case .observedDeinitWhileObserved:
      "\(subject) was deallocated while \(whom) observed its \(path)"
    case .observerDeinitWhileRegistered:
      "\(who) was deallocated while it observed \(path) of \(subject)"
    case .deliveryToDead:
      "\(who) was notified of \(path) of \(subject) after its deallocation had begun"
    case .removeDuringInitial:
      "\(who) removed its observation of \(path) from \(subject) inside its own initial notification"
    case .unbalancedChange: imbalance
    case .unhandledNotification:
      verdict.subject == nil
        ? "An observer did not handle a notification"
        : "\(who) did not handle a notification of \(path) of \(subject)"
    case .selfObservation:
      if case .heldBy(let holder) = verdict.detail {
        "\(subject) observes its own \(path), while \(builder.object(holder)) holds it strongly"
      } else {
        "\(subject) observes its own \(path)"
      }
    case .leakedRegistration:
      "\(who) still observed \(path) of \(subject) \(scopeEnd)"
    case .uncompliantPath: refusal
    case .tokenDropped:
      "The token of an observation of \(path) of \(subject) was dropped before it observed anything"
    case .missedDelivery:
      "\(who) was not notified of a change of \(path) of \(subject)\(whyMissed)"
    case .displacedRegistration:
      "\(who) began to observe \(path) of \(subject) under \(described(verdict.context)), and the "
        + "runtime let go of its observation under \(otherContexts)"
    case .callbackRaised:
      "\(exception) left the callback that notified \(whom) of \(path) of \(subject)"
    case .ignoredDependency: problem ?? "\(path) depends on what the runtime does not look at"
    case .parkedConsumer:
      "A task waited for \(awaited) \(scopeEnd), and whatever could resume it had been released"
    case .consumerGrowth: consumerGrowth
    case .continuationDropped:
      "The continuation \(awaited) was released without being resumed: its task waits for ever"
    case .continuationResumedTwice: "The continuation \(awaited) was resumed a second time"
    case .deliveryAfterRemove:
      "\(who) was notified of \(path) of \(subject) after that observation had ended"
    case .registrationRace:
      "\(who) was not notified of a change of \(path) of \(subject) that overlapped its registration"
    case .priorWithoutAfter:
      "\(who) was notified before a change of \(path) of \(subject), but not after it"
    case .mutationWithoutNotification: mutation
    case .deepPathIntermediateDeath:
      "\(link) was deallocated while \(path) of \(subject), observed by \(whom), led through it"
    case .weakLinkSilentlyNil:
      "\(link), held weakly, was deallocated: \(path) of \(subject), observed by \(whom), became nil "
        + "without a notification"
    case .contextCollision:
      "\(who) observes \(path) of \(subject) from two call sites under \(described(verdict.context))"
    case .observationRetainCycle: cycle
    case .registrationGrowth: growth
    case .offExecutorDelivery: "\(who) was notified of \(path) of \(subject) \(executors)"
    case .concurrentChange:
      "\(path) of \(subject) was changed while another thread changed \(otherKey)"
    case .concurrentRemoval:
      "\(caller) removed its observation of \(path) from \(subject) while another thread \(overlap)"
    case .callbackUnderLock: underLock
    case .reentrantChange:
      "\(who) was notified of \(path) of \(subject) inside its own callback, \(depth) deep"
    case .dependencyCycle: dependencies
    case .classChangedUnderObservation:
      "\(caller) removed its observation of \(path) from \(subject) \(classes)"
    }
  }

  // MARK: - Parts

  func described(_ context: Context) -> String {
    switch context {
    case .unspecified, .null: "the NULL context"
    case .named(let name): "context \(names[name])"
    }
  }

  private var contexts: [Context] {
    if case .otherContexts(let contexts) = verdict.detail { contexts } else { [] }
  }

  private var otherContexts: String {
    let list = contexts.map(described)
    guard let last = list.last, list.count > 1 else { return list.first ?? "another context" }
    return list.dropLast().joined(separator: ", ") + " and " + last
  }

  private var stillUnder: String {
    contexts.isEmpty ? "" : " (it is still registered under \(otherContexts))"
  }

  /// The reason why a removal of what had ended found nothing.
  private var again: String {
    verdict.evidence.contains { $0.role == .deallocated }
      ? "after a deallocation had ended it" : "a second time"
  }

  private var copies: String {
    switch verdict.detail {
    case .copies(let count) where count != 2, .copiesElsewhere(let count) where count != 2:
      return "\(count) times"
    default: return "twice"
    }
  }

  private var scopeEnd: String {
    switch verdict.detail {
    case .scope(let name) where name != .none, .consumer(_, let name) where name != .none:
      "at the end of \"\(names[name])\""
    default: "at the end"
    }
  }

  private var imbalance: String {
    if case .exception = verdict.detail {
      return "A change of \(path) of \(subject) began and never ended\(whyMissed)"
    }
    guard case .change(let imbalance) = verdict.detail else {
      return "The changes of \(path) of \(subject) do not match"
    }
    return switch imbalance {
    case .didWithoutWill: "A change of \(path) of \(subject) ended that had not begun"
    case .willWithoutDid: "A change of \(path) of \(subject) began and never ended"
    case .mismatched(let begun, let ended):
      "\(ended == .insertion ? "An" : "A") \(ended) of \(path) of \(subject) ended that had not begun, while "
        + (begun == ended ? "another one" : "\(begun == .insertion ? "an" : "a") \(begun)")
        + " was open"
    case .outOfOrder:
      "A change of \(path) of \(subject) ended while another change of it, begun later, was open"
    case .crossed(let inner, let other):
      "A change of \(path) of \(subject) ended while a change of \"\(names[inner])\""
        + (other.map { " of \(builder.object($0))" } ?? "") + ", begun later, was open"
    }
  }

  private var refusal: String {
    if let problem { return problem }
    guard case .refusal(let reason, let part) = verdict.detail else {
      return "\(caller) asked for \(path) of \(subject), which cannot be observed"
    }
    if let end = unnamedKeyPath {
      let path = end.names.joined(separator: ".")
      let way = path.isEmpty ? subject : "\(subject) through \"\(path)\""
      return "\(caller) asked for a property of \(end.type), from \(way), "
        + (end.hasOnlyInheritedKeys
          ? "but \(end.type) has only the keys of its superclass" : "that is not an observable key")
    }
    if let dependency = refusedDependency {
      return "\(caller) asked for \(path) of \(subject), which depends on \"\(dependency)\", "
        + "but there is no such key"
    }
    let step = part == .none ? path : "\"\(names[part])\""
    return switch reason {
    case .nilKeyPath: "\(caller) added or removed an observer of \(subject) with a nil key path"
    case .emptyKeyPath:
      "\(caller) added or removed an observer of \(subject) with an empty key path"
    case .unknownKey: "\(caller) asked for \(path) of \(subject), but there is no key \(step)"
    case .throughCollection:
      "\(caller) asked for \(path) of \(subject), which leads through a collection at \(step)"
    case .readOnly: "\(caller) asked for \(path) of \(subject), but \(step) is read-only"
    case .notObservable:
      "\(caller) asked for \(path) of \(subject), but \(step) cannot be observed"
    case .raised:
      "\(caller) asked for \(path) of \(subject), but an exception ended the addition"
    }
  }

  // MARK: - Hint

  /// Fills in a template of the catalogue, for a reader whose code is in `language`.
  ///
  /// Code is between backticks: there a key in quotes is a string literal, and one without them a name.
  func hint(_ template: String, in language: SourceLanguage) -> String {
    let path = verdict.keyPath == .none ? "…" : names[verdict.keyPath]
    let key = path.contains(".") ? "…" : path
    let values: [(String, String)] = [
      ("{subject}", subjectVariable(in: language)),
      ("{Subject}", verdict.subject.map { names[$0.className].plainTypeName } ?? "object"),
      ("{SubjectClass}", subjectClass ?? "the class of the observed object"),
      ("{observer}", verdict.observer.map { names[$0.className].plainTypeName } ?? "the owner"),
      // A change concerns one key: the reader must determine which part of a deep key path changed.
      ("{key}", key),
      ("{Key}", key.prefix(1).uppercased() + key.dropFirst()),
      ("{keyPath}", path),
      ("{context}", advisedContext(in: language)),
      ("{contextArgument}", contextArgument(in: language)),
      ("{step}", refusedStep?.name ?? "…"),
      ("{StepClass}", refusedStep?.ofClass ?? "…"),
      ("{dependency}", refusedDependency ?? "…"),
      ("{unlistedClass}", unnamedKeyPath?.type ?? "…"),
      ("{raiser}", raiser),
      ("{edgeSource}", weakened.map { names[$0.from.className].plainTypeName } ?? "…"),
      ("{edgeTarget}", weakened.map { names[$0.to.className].plainTypeName } ?? "…"),
      ("{edge}", weakened.map { $0.label == .none ? "" : "\"\(names[$0.label])\" " } ?? ""),
    ]
    var result = ""
    var rest = Substring(template)
    var isCode = false
    while let open = rest.firstIndex(of: "{") {
      for character in rest[..<open] where character == "`" { isCode.toggle() }
      result += rest[..<open]
      rest = rest[open...]
      if let (placeholder, value) = values.first(where: { rest.hasPrefix($0.0) }) {
        if isCode, result.last == "\"" {
          result += language.literal(value)
        } else if isCode, ["{key}", "{Key}"].contains(placeholder), !SourceLanguage.isName(value) {
          result += "…"
        } else {
          result += value
        }
        rest = rest.dropFirst(placeholder.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result + rest
  }

  /// The reference of a retain cycle that is best made weak.
  private var weakened: Reference? {
    if case .cycle(let references) = verdict.detail { references.weakened } else { nil }
  }

  /// The observed object, as the observer's code would name it.
  private func subjectVariable(in language: SourceLanguage) -> String {
    guard let subject = verdict.subject else { return "object" }
    return verdict.isOfSelf ? "self" : language.variable(of: names[subject.className])
  }

  /// The step of the key path that was refused, and the class that should have it.
  ///
  /// The class is the observed object's, or that of the previous step. Nil if the log does not state the step.
  var refusedStep: (name: String, ofClass: String)? {
    guard case .refusal(_, let part) = verdict.detail, part != .none else { return nil }
    let steps = names[verdict.keyPath].split(separator: ".", omittingEmptySubsequences: false)
    guard let index = steps.firstIndex(of: Substring(names[part])) else { return nil }
    let before = steps[..<index].joined(separator: ".")
    let ownClass = subjectClass ?? "the class of the observed object"
    return (names[part], before.isEmpty ? ownClass : "the class of \"\(before)\"")
  }

  /// The key that the observed one depends on and that does not exist, if that is why it was refused.
  var refusedDependency: String? {
    guard builder.recorded == .swift, refusedStep == nil, unnamedKeyPath == nil,
      case .refusal(.unknownKey, let part) = verdict.detail, part != .none, !names[part].isEmpty
    else { return nil }
    return names[part]
  }

  /// The key path of the verdict, if it is typed and a part of it has no name.
  var unnamedKeyPath: UnnamedKeyPath? { UnnamedKeyPath(names[verdict.keyPath]) }

  /// The class of the observed object, if the log names one.
  private var subjectClass: String? {
    var name = verdict.subject?.className
    // A problem of a class names no object.
    if name == nil, case .problem(_, let className) = verdict.detail { name = className }
    return name.flatMap { $0 == .none ? nil : names[$0].plainTypeName }
  }

  /// The context that the advice names: of the registrations, or of a removal of what should have been registered.
  private func advisedContext(in language: SourceLanguage) -> String {
    if verdict.code == .removeUnregistered, verdict.context.isNamed {
      return code(verdict.context, in: language)
    }
    return (contexts.first(where: \.isNamed) ?? contexts.first).map { code($0, in: language) }
      ?? "…"
  }

  /// The last argument of a removal of the verdict's registration; empty if it needs none, or its runtime has no
  /// removal with a context.
  private func contextArgument(in language: SourceLanguage) -> String {
    guard verdict.context.isNamed, builder.removesByContext else { return "" }
    let context = code(verdict.context, in: language)
    return switch language {
    case .swift: ", context: \(context)"
    case .objectiveC: " context:\(context)"
    }
  }

  /// The context as an argument; `…` if the code's name for it is not known.
  ///
  /// This library's own contexts have the label that they were given, and a number that code does not have: a label
  /// such as `Self.own` is taken for the expression, one word is not, because a context is a static member. Nor is an
  /// address or a text with blanks.
  private func code(_ context: Context, in language: SourceLanguage) -> String {
    guard case .named(let name) = context else { return language == .swift ? "nil" : "NULL" }
    let parts = names[name].split(separator: "#", omittingEmptySubsequences: false)
    let isLabel = parts.count > 1 && !parts[0].contains(".")
    return isLabel || !language.isArgument(String(parts[0])) ? "…" : String(parts[0])
  }
}
