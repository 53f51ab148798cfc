import KVORules
import KVOTrace

/// A small generator of random numbers that gives the same ones for the same seed everywhere.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}

/// One step of a random program, in terms of places in a pool of objects.
enum Step: Sendable {
  case add(on: Int, by: Int, key: Int, context: Int, isToken: Bool)
  case remove(on: Int, by: Int, key: Int, context: Int)
  /// Ends the `nth` live registration through its token or controller.
  case cancel(nth: Int)
  case die(Int)
  /// A change that tells everybody but, where it is set, the `skipping`th.
  case change(on: Int, key: Int, skipping: Int?)
  /// Adds with an initial value, and removes inside its own initial callback.
  case addRemovingItself(on: Int, by: Int, key: Int)
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
    switch Int.random(in: 0..<20, using: &random) {
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
struct ModelledProgram {
  private struct Fact {
    var id: UInt64
    var on: Int
    var by: Int
    var key: Int
    var context: Int
    var isToken: Bool
    var isLive = true
  }

  private(set) var log = SampleLog()
  /// The violations, as `KVO001@4`.
  private(set) var truth: [String] = []
  private var facts: [Fact] = []
  /// The object number that stands at each place of the pool.
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
      facts[live[nth]].isLive = false
      log.cancel(String(facts[live[nth]].id), by: .user)
    case .die(let place): die(place)
    case .change(let on, let key, let skipping):
      if isNumbered { change(pool[on], key, skipping) }
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
      $0.isLive && $0.on == on && $0.by == by && $0.key == key && $0.context == context
    }
    if isEqual { found("005", at: next) }
    if on == by { found("020", at: next) }
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
      facts[matched].isLive = false
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
        facts[index].isLive = false
      } else if facts[index].by == object, !facts[index].isToken {
        found("007", at: next)
        facts[index].isLive = false
      }
    }
    log.endDeinit(name(object))
    dead.insert(object)
    pool[place] = born
    born += 1
  }

  private mutating func change(_ on: Int, _ key: Int, _ skipping: Int?) {
    changeCount += 1
    let id = String(changeCount)
    let told = facts.filter { $0.isLive && $0.on == on && $0.key == key }
    log.will(name(on), Self.keys[key], change: id)
    let made = next
    log.did(name(on), Self.keys[key], change: id)
    for (index, fact) in told.enumerated() {
      if index == skipping {
        found("032", at: made)
        continue
      }
      if dead.contains(fact.by) { found("008", at: next) }
      log.notify(String(fact.id), change: id)
      log.notifyEnd(String(fact.id), change: id)
    }
    // Something that shows that the deliveries are over.
    log.will(name(on), "other")
    log.did(name(on), "other")
  }
}
