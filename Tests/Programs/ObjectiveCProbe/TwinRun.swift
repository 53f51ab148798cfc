import KVOSafety

/// A run of one program over the objects of one language.
final class TwinRun {
  private let world: any TwinWorld
  private var active: [Active] = []
  private var lastID = 0
  /// The notifications of each registration in each step, in order.
  private var told: [[Int: [String]]] = []

  private final class Active {
    let id: Int
    let registration: TwinRegistration
    /// Nil until the addition has returned.
    var token: ObservationToken?
    init(_ id: Int, _ registration: TwinRegistration) {
      (self.id, self.registration) = (id, registration)
    }
  }

  private init(_ world: any TwinWorld) { self.world = world }

  /// The notifications of each registration in each step of `program`.
  ///
  /// The order of different observers is left out: Foundation promises none.
  static func told(by program: [TwinStep], in world: any TwinWorld) -> [[Int: [String]]] {
    let run = TwinRun(world)
    for step in program {
      run.told.append([:])
      run.perform(step)
    }
    for active in run.active { active.token?.invalidate() }
    world.end()
    return run.told
  }

  private func perform(_ step: TwinStep) {
    switch step {
    case .observe(let registration): observe(registration)
    case .end(let index): if !active.isEmpty { end(active[index % active.count]) }
    case .value(let twin, let value): world.setValue(twin, value)
    case .bump(let twin): world.bump(twin)
    case .next(let twin, let next): world.setNext(twin, next)
    case .other(let twin, let other): world.setOther(twin, other)
    case .items(let twin, let count): world.setItems(twin, count: count)
    case .insert(let twin, let item, let index):
      world.insert(item, into: twin, at: min(index, world.itemCount(twin)))
    case .remove(let twin, let index):
      let count = world.itemCount(twin)
      if count > 0 { world.removeItem(of: twin, at: index % count) }
    case .replace(let twin):
      for active in active where active.registration.twin == twin { end(active) }
      world.replace(twin)
    }
  }

  private func end(_ ended: Active) {
    guard let token = ended.token else { return }
    active.removeAll { $0 === ended }
    token.invalidate()
  }

  private func observe(_ registration: TwinRegistration) {
    lastID += 1
    let added = Active(lastID, registration)
    active.append(added)
    var script: TwinRegistration.Script? = registration.script
    added.token = world.observe(registration) { [unowned self, unowned added] change in
      let isOfElements = registration.path.hasSuffix("items")
      let text =
        added.token == nil
        ? change.textAtFirst : isOfElements ? change.textOfElements : change.text
      told[told.count - 1][added.id, default: []].append(text)
      guard let now = script else { return }
      script = nil
      switch now {
      case .nothing: break
      case .bumpsAnother: bump(after: registration)
      case .endsItself: end(added)
      case .endsAnother: endAnother(than: registration)
      }
    }
  }

  /// Changes another object, unless a path leads to it: 1.28 tells nobody of a change inside a change of the same
  /// key, and whether another path leads there may depend on which observer is called first.
  private func bump(after registration: TwinRegistration) {
    guard !registration.isPath,
      !active.contains(where: { $0.registration.isPath && $0.registration.isOfLabel })
    else { return }
    world.bump((registration.twin + 1) % TwinGenerator.twinCount)
  }

  /// Ends an observation of another object, whose observers are not being told: 1.28 would tell one twice, and
  /// one not at all.
  private func endAnother(than registration: TwinRegistration) {
    guard !registration.isPath else { return }
    let another = active.first { other in
      other.registration.twin != registration.twin && !other.registration.isPath
    }
    if let another { end(another) }
  }
}

/// Runs programs over both languages, and prints the smallest program with a difference.
struct TwinComparison {
  let library: TwinLibrary

  func run(seed: UInt64, count: UInt64) {
    for seed in seed..<(seed + count) {
      var generator = TwinGenerator(seed: seed)
      let program = generator.program()
      guard difference(program) != nil else { continue }
      let smallest = smallest(of: program)
      print("seed \(seed): \(difference(smallest) ?? "")")
      for step in smallest { print("  \(step)") }
      return
    }
  }

  /// The notifications of the first step that differs, in each language.
  private func difference(_ program: [TwinStep]) -> String? {
    let objectiveC = TwinRun.told(by: program, in: ObjectiveCTwins(library))
    let swift = TwinRun.told(by: program, in: SwiftTwins())
    for (index, (expected, found)) in zip(objectiveC, swift).enumerated() where expected != found {
      return "step \(index): \(expected.sorted { $0.key < $1.key }) in Objective-C, "
        + "\(found.sorted { $0.key < $1.key }) in Swift"
    }
    return nil
  }

  private func smallest(of program: [TwinStep]) -> [TwinStep] {
    var smallest = program
    var index = 0
    while index < smallest.count {
      var part = smallest
      part.remove(at: index)
      if difference(part) != nil { (smallest, index) = (part, 0) } else { index += 1 }
    }
    return smallest
  }
}
