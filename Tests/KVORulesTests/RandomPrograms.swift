import KVORules
import KVOTrace
import TestSupport

/// One step of a random program, with indices into a pool of objects.
enum Step: Sendable {
  case add(on: Int, by: Int, key: Int, context: Int, isToken: Bool)
  case remove(on: Int, by: Int, key: Int, context: Int)
  /// Ends the `nth` live registration through its token or controller.
  case cancel(nth: Int)
  case die(Int)
  /// A change that notifies all observers except, if it is set, the `skipping`th.
  case change(on: Int, key: Int, skipping: Int?)
  /// Adds with an initial value, and removes inside its own initial callback.
  case addRemovingItself(on: Int, by: Int, key: Int)
  /// Notifies the `nth` ended registration.
  case tellEnded(nth: Int)
  /// A change under a lock.
  case lockedChange(on: Int, key: Int)
  /// A change of which the first observer is notified before, and after it only if it is kept.
  case priorChange(on: Int, key: Int, isKept: Bool)
  /// Adds in the middle of a change, and notifies the new observer or not.
  case addDuringChange(on: Int, by: Int, key: Int, isTold: Bool)
  /// The only observer of a key changes it inside its callback, so many times.
  case reentrantChange(on: Int, key: Int, depth: Int)
  /// Two threads change the same.
  case concurrentChange(on: Int, key: Int)
}

extension Step {
  static let objectCount = 3
  static let keyCount = 2
  /// 0 stands for "no context"; a removal without one takes the newest.
  static let contextCount = 3

  static func random(using random: inout SplitMix64) -> Step {
    // The first of each more often than the others, so that steps concern each other.
    let on = max(0, Int.random(in: -3..<objectCount, using: &random))
    let by = max(0, Int.random(in: -2..<objectCount, using: &random))
    let key = max(0, Int.random(in: -2..<keyCount, using: &random))
    let context = Int.random(in: 0..<contextCount, using: &random)
    switch Int.random(in: 0..<26, using: &random) {
    case 20: return .tellEnded(nth: Int.random(in: 0..<4, using: &random))
    case 21: return .lockedChange(on: on, key: key)
    case 22: return .priorChange(on: on, key: key, isKept: Bool.random(using: &random))
    case 23:
      return .addDuringChange(on: on, by: by, key: key, isTold: Bool.random(using: &random))
    case 24:
      let depth = Int.random(in: 7..<12, using: &random)
      return .reentrantChange(on: on, key: key, depth: depth)
    case 25: return .concurrentChange(on: on, key: key)
    case 0..<7:
      let isToken = Int.random(in: 0..<4, using: &random) == 0
      return .add(on: on, by: by, key: key, context: context, isToken: isToken)
    case 7..<13: return .remove(on: on, by: by, key: key, context: context)
    case 13..<15: return .cancel(nth: Int.random(in: 0..<8, using: &random))
    case 15..<17: return .die(on)
    case 17..<19:
      let skips = Int.random(in: 0..<3, using: &random) == 0
      return .change(
        on: on,
        key: key,
        skipping: skips ? Int.random(in: 0..<3, using: &random) : nil
      )
    default: return .addRemovingItself(on: on, by: by, key: key)
    }
  }
}

/// What a random program really did: the events, and the violations that a simple model knows.
///
/// The model keeps plain arrays of everything that ever happened and looks through all of it each
/// time; it shares nothing with the ledger but the definitions of the rules.
struct ModeledProgram {
  private struct Fact {
    var id: UInt64
    var on: Int
    var by: Int
    var key: Int
    var context: Int
    var isToken: Bool
    var isLive = true
    /// The second half of the change during which it was added, while it was not notified of a later value.
    var missedChange: Int?
  }

  private(set) var log = SampleLog()
  /// The violations, as `KVO001@4`.
  private(set) var truth: [String] = []
  private var facts: [Fact] = []
  /// The object number at each index of the pool.
  private var pool = Array(0..<Step.objectCount)
  private var born = Step.objectCount
  private var dead: Set<Int> = []
  private var changeCount = 0
  private let isNumbered: Bool
  private let hasTokens: Bool

  /// Runs `steps`.
  ///
  /// - Parameters:
  ///   - steps: the program.
  ///   - isNumbered: whether the log says which registration a removal matched. Without numbers
  ///     only what needs none is in the program: no tokens, cancellations or deliveries.
  init(_ steps: [Step], isNumbered: Bool) {
    self.isNumbered = isNumbered
    hasTokens = isNumbered
    for step in steps { run(step) }
    for index in facts.indices where facts[index].isLive { end(index) }
    log.exit()
  }

  private var next: Int { log.events.count + 1 }
  private static let keys = ["balance", "name"]
  private static let contexts: [String?] = [nil, "a", "b"]

  private func name(_ object: Int) -> String { "Thing#\(object + 1)" }

  private mutating func found(_ code: String, at event: Int) { truth.append("KVO\(code)@\(event)") }

  private mutating func run(_ step: Step) {
    switch step {
    case .add(let on, let by, let key, let context, let isToken):
      add(pool[on], pool[by], key, context, isToken: isToken && hasTokens, options: [])
    case .remove(let on, let by, let key, let context):
      remove(pool[on], pool[by], key, context, insideInitialOf: nil)
    case .cancel(let nth):
      let live = facts.indices.filter { facts[$0].isLive }
      guard isNumbered, nth < live.count else { return }
      end(live[nth])
      log.cancel(String(facts[live[nth]].id), by: .user)
    case .die(let place): die(place)
    case .change(let on, let key, let skipping):
      if isNumbered { change(pool[on], key, skipping) }
    case .tellEnded(let nth): if isNumbered { tellEnded(nth) }
    case .lockedChange(let on, let key): if isNumbered { lockedChange(pool[on], key) }
    case .priorChange(let on, let key, let isKept):
      if isNumbered { priorChange(pool[on], key, isKept: isKept) }
    case .addDuringChange(let on, let by, let key, let isTold):
      if isNumbered { addDuringChange(pool[on], pool[by], key, isTold: isTold) }
    case .reentrantChange(let on, let key, let depth):
      if isNumbered { reentrantChange(pool[on], key, depth: depth) }
    case .concurrentChange(let on, let key): if isNumbered { concurrentChange(pool[on], key) }
    case .addRemovingItself(let on, let by, let key):
      guard isNumbered else { return }
      add(pool[on], pool[by], key, 2, isToken: false, options: [.initial])
      let id = String(facts.count)
      log.notify(id, .initial)
      if dead.contains(pool[by]) { found("008", at: next - 1) }
      remove(pool[on], pool[by], key, 2, insideInitialOf: facts.count - 1)
      log.notifyEnd(id, .initial)
      log.registerEnd(id)
    }
  }

  private mutating func add(
    _ on: Int,
    _ by: Int,
    _ key: Int,
    _ context: Int,
    isToken: Bool,
    options: Registration.Options
  ) {
    let isEqual = facts.contains {
      $0.isLive && !$0.isToken && $0.on == on && $0.by == by && $0.key == key
        && $0.context == context
    }
    // A token has its own handler: it is not a duplicate, and notifies by no name.
    if isEqual, !isToken { found("005", at: next) }
    if on == by, !isToken { found("020", at: next) }
    let fact = Fact(
      id: UInt64(facts.count + 1),
      on: on,
      by: by,
      key: key,
      context: context,
      isToken: isToken
    )
    facts.append(fact)
    log.register(
      isNumbered ? String(fact.id) : nil,
      name(on),
      by: name(by),
      Self.keys[key],
      context: Self.contexts[context],
      options: options,
      form: isToken ? .token : .classic
    )
  }

  private mutating func remove(
    _ on: Int,
    _ by: Int,
    _ key: Int,
    _ context: Int,
    insideInitialOf initial: Int?
  ) {
    let pair = facts.indices.filter {
      facts[$0].on == on && facts[$0].by == by && facts[$0].key == key
    }
    let candidates = pair.filter { facts[$0].isLive && !facts[$0].isToken }
    let matched = candidates.last { context == 0 || facts[$0].context == context }
    if let matched {
      if context == 0, Set(candidates.map { facts[$0].context }).count > 1 {
        found("004", at: next)
      }
      if matched == initial { found("010", at: next) }
      end(matched)
    } else if pair.contains(where: {
      !facts[$0].isLive && (context == 0 || facts[$0].context == context)
    }) {
      found("001", at: next)
    } else {
      found(candidates.isEmpty ? "002" : "003", at: next)
    }
    log.remove(
      isNumbered ? matched.map { String(facts[$0].id) } : nil,
      name(on),
      by: name(by),
      Self.keys[key],
      context: Self.contexts[context]
    )
  }

  private mutating func die(_ place: Int) {
    let object = pool[place]
    for index in facts.indices where facts[index].isLive {
      if facts[index].on == object {
        found("006", at: next)
        end(index)
      } else if facts[index].by == object, !facts[index].isToken {
        found("007", at: next)
        end(index)
      }
    }
    log.endDeinit(name(object))
    dead.insert(object)
    pool[place] = born
    born += 1
  }

  /// The registration has ended, and can no longer be notified.
  private mutating func end(_ index: Int) {
    facts[index].isLive = false
    if let missed = facts[index].missedChange { found("011", at: missed) }
    facts[index].missedChange = nil
  }

  private mutating func change(_ on: Int, _ key: Int, _ skipping: Int?) {
    changeCount += 1
    let id = String(changeCount)
    let told = observers(of: key, on: on)
    log.will(name(on), Self.keys[key], change: id)
    let made = next
    log.did(name(on), Self.keys[key], change: id)
    for (place, index) in told.enumerated() {
      if place == skipping {
        found("032", at: made)
      } else {
        tell(index, change: id)
      }
    }
    goOn(on)
  }

  private func observers(of key: Int, on: Int) -> [Int] {
    facts.indices.filter { facts[$0].isLive && facts[$0].on == on && facts[$0].key == key }
  }

  /// Something that shows that the deliveries are over.
  private mutating func goOn(_ on: Int, thread: String = "1") {
    log.will(name(on), "other", thread: thread)
    log.did(name(on), "other", thread: thread)
  }

  private mutating func tell(_ index: Int, change: String, thread: String = "1") {
    beginTelling(index, change: change, thread: thread)
    log.notifyEnd(String(facts[index].id), change: change, thread: thread)
  }

  private mutating func beginTelling(_ index: Int, change: String, thread: String = "1") {
    if dead.contains(facts[index].by) {
      found("008", at: next)
    } else if !facts[index].isLive {
      found("009", at: next)
    }
    facts[index].missedChange = nil
    log.notify(String(facts[index].id), change: change, thread: thread)
  }

  private mutating func nextChange() -> String {
    changeCount += 1
    return String(changeCount)
  }

  // MARK: - Changes with something more

  private mutating func tellEnded(_ nth: Int) {
    let ended = facts.indices.filter { !facts[$0].isLive }
    if nth < ended.count { tell(ended[nth], change: nextChange()) }
  }

  private mutating func lockedChange(_ on: Int, _ key: Int) {
    let id = nextChange()
    log.will(name(on), Self.keys[key], change: id)
    log.did(name(on), Self.keys[key], change: id)
    log.lock()
    for index in observers(of: key, on: on) {
      found("026", at: next)
      tell(index, change: id)
    }
    log.unlock()
    goOn(on)
  }

  private mutating func priorChange(_ on: Int, _ key: Int, isKept: Bool) {
    let id = nextChange()
    let told = observers(of: key, on: on)
    log.will(name(on), Self.keys[key], change: id)
    if let first = told.first {
      if dead.contains(facts[first].by) { found("008", at: next) }
      log.notify(String(facts[first].id), .prior, change: id)
      log.notifyEnd(String(facts[first].id), .prior, change: id)
    }
    if !isKept, !told.isEmpty { found("013", at: next) }
    log.did(name(on), Self.keys[key], change: id)
    for index in isKept ? told[...] : told.dropFirst() { tell(index, change: id) }
    goOn(on)
  }

  private mutating func addDuringChange(_ on: Int, _ by: Int, _ key: Int, isTold: Bool) {
    let id = nextChange()
    let told = observers(of: key, on: on)
    log.will(name(on), Self.keys[key], change: id)
    add(on, by, key, 2, isToken: false, options: [])
    log.registerEnd(String(facts.count))
    let made = next
    log.did(name(on), Self.keys[key], change: id)
    for index in told { tell(index, change: id) }
    if isTold {
      tell(facts.count - 1, change: id)
    } else {
      facts[facts.count - 1].missedChange = made
    }
    goOn(on)
  }

  private mutating func reentrantChange(_ on: Int, _ key: Int, depth: Int) {
    let told = observers(of: key, on: on)
    guard let index = told.first, told.count == 1 else { return }
    let changes = (0..<depth).map { _ in nextChange() }
    for (level, id) in changes.enumerated() {
      log.will(name(on), Self.keys[key], change: id)
      log.did(name(on), Self.keys[key], change: id)
      if level == 8 { found("027", at: next) }
      beginTelling(index, change: id)
    }
    for id in changes.reversed() { log.notifyEnd(String(facts[index].id), change: id) }
    goOn(on)
  }

  private mutating func concurrentChange(_ on: Int, _ key: Int) {
    let ids = [nextChange(), nextChange()]
    log.will(name(on), Self.keys[key], change: ids[0])
    found("024", at: next)
    log.will(name(on), Self.keys[key], change: ids[1], thread: "2")
    for (id, thread) in zip(ids, ["1", "2"]) {
      log.did(name(on), Self.keys[key], change: id, thread: thread)
      for index in observers(of: key, on: on) { tell(index, change: id, thread: thread) }
      goOn(on, thread: thread)
    }
  }
}
