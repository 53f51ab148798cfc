import KVOTrace

// The parts of sentences that need the details of the rule in addition to the objects.
extension FindingSentence {
  var mutation: String {
    guard case .links(let attached, let detached) = verdict.detail else {
      return "\(path) of \(subject) was another value than before, without a change in between"
    }
    return "\(path) of \(subject), observed by \(whom), led through \(object(attached)), and "
      + "\(object(detached)) was found in its place, without a change in between"
  }

  var link: String {
    if case .link(let link) = verdict.detail { object(link) } else { "An object" }
  }

  var cycle: String {
    guard case .cycle(let references) = verdict.detail, let first = references.first else {
      return "An observation keeps its owner alive"
    }
    let owner = object(first.from)
    if !references.hasObservation {
      return "\(owner) is kept alive by a cycle of references, and the log does not say whether an "
        + "observation is part of it"
    }
    if verdict.subject == nil { return "\(owner) is kept alive by an observation of its own" }
    if verdict.subject == first.from {
      return "\(owner) is kept alive by an observation of its own \(path)"
    }
    return "\(owner) is kept alive by its own observation of \(path) of \(subject)"
  }

  var growth: String {
    guard case .growth(let scope, let runCount, let counts) = verdict.detail else {
      return "Each run left more observations of \(path) of \(subject) behind"
    }
    let types = verdict.subject.map { " of \(names[$0.className])" } ?? ""
    let by = verdict.observer.map { " by \(names[$0.className])" } ?? ""
    let list = counts.map(String.init).joined(separator: ", ")
    return "Each of \(runCount) runs of \"\(names[scope])\" ended with more observations of "
      + "\(path)\(types)\(by) than the one before: \(counts.count < runCount ? "…, " : "")\(list)"
  }

  /// What a consumer waits for.
  var awaited: String {
    switch verdict.detail {
    case .consumer(let name, _) where name != .none,
      .consumerGrowth(let name, _, _, _)
    where name != .none:
      "\"\(names[name])\""
    default: "something unnamed"
    }
  }

  var consumerGrowth: String {
    guard case .consumerGrowth(_, let scope, let runCount, let counts) = verdict.detail else {
      return "Each run left more tasks that wait behind"
    }
    let list = counts.map(String.init).joined(separator: ", ")
    return "Each of \(runCount) runs of \"\(names[scope])\" ended with more tasks that wait for "
      + "\(awaited) than the one before: \(counts.count < runCount ? "…, " : "")\(list)"
  }

  var executors: String {
    guard case .executors(let expected, let found) = verdict.detail else { return "elsewhere" }
    let thread =
      switch found {
      case .named(let name): names[name]
      case .thread(let name): "thread \(names[name])"
      }
    return "on \(thread) instead of \(names[expected])"
  }

  var otherKey: String {
    guard case .otherKey(let key) = verdict.detail, key != verdict.keyPath else { return "it too" }
    return "\"\(names[key])\", and both affect the value of one key"
  }

  var overlap: String {
    if case .overlap(.deallocation) = verdict.detail {
      "deallocated the object"
    } else {
      "did so too"
    }
  }

  var underLock: String {
    guard case .underLock(let lock, let act) = verdict.detail else {
      return "\(who) was notified of \(path) of \(subject) while a lock was held"
    }
    let held = "while its thread held lock \(names.text(of: lock))"
    return switch act {
    case .callback: "\(who) was notified of \(path) of \(subject) \(held)"
    case .addition: "\(who) began to observe \(path) of \(subject) \(held)"
    case .removal: "\(caller) removed its observation of \(path) from \(subject) \(held)"
    }
  }

  var depth: Int {
    if case .depth(let depth) = verdict.detail { depth } else { 0 }
  }

  var dependencies: String {
    guard case .dependencies(let className, let keys) = verdict.detail, let first = keys.first
    else { return "\(path) depends on itself" }
    let rest = (keys.dropFirst() + [first]).map { "\"\(names[$0])\"" }
    return "\"\(names[first])\" of \(names[className]) is affected by "
      + rest.joined(separator: ", which is affected by ")
  }

  /// The exception that left a callback.
  var exception: String {
    guard case .exception(let name, _) = verdict.detail, name != .none else {
      return "An exception"
    }
    return "The exception \(names[name])"
  }

  /// The type whose callback raised it.
  var raiser: String {
    guard case .exception(_, let observer?) = verdict.detail else { return "the observer" }
    return names[observer.className].plainTypeName
  }

  /// The reason why an observer was not notified, or why a change did not end, as far as it is known.
  var whyMissed: String {
    if case .insideCallback = verdict.detail { return ", made inside a callback for the same key" }
    guard case .exception(let name, let observer) = verdict.detail else { return "" }
    if name == .none {
      return " since \(observer.map { object($0) } ?? "an observer") did not handle a notification"
    }
    let whose = observer.map { " of \(object($0))" } ?? ""
    return " since the exception \(names[name]) left a callback\(whose)"
  }

  /// The problem of a key that could still be observed.
  var problem: String? {
    guard case .problem(let problem, let className) = verdict.detail else { return nil }
    return switch problem {
    case .noAccessor:
      "\(path) of \(names[className]) is observed, and the class has neither an accessor nor a "
        + "variable of that name: no observer is notified of it"
    case .ignoredDependencies:
      "\(path) of \(names[className]) is observed, and the runtime does not ask the class which keys "
        + "it depends on: no observer is notified when those change"
    }
  }

  var classes: String {
    guard case .classes(let from, let to) = verdict.detail else { return "after its class changed" }
    return "after its class had changed from \(names[from]) to \(names[to])"
  }

  private func object(_ reference: ObjectRef) -> String { builder.object(reference).description }
}
