import KVORetention
import KVOTrace
import Testing

@testable import KVOSafety

/// A model that may own anything.
private final class Model: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("value", \Model.value),
    ObservableKey("next", \Model.next)
  )

  var value = 0
  var next: Model?
  var owned: [AnyObject] = []
  var readCount = 0

  @inline(never)
  func read() { readCount += 1 }
}

/// Owns observations of models.
private final class Owner {
  var tokens: [ObservationToken] = []
  lazy var observations = ObservationController(owner: self)
  lazy var looseObservations = ObservationController(owner: self, retainsObserved: false)
  var readCount = 0

  @inline(never)
  func read() { readCount += 1 }
}

/// Holds an owner in memory that the compiler does not describe.
private final class Hidden {
  private let memory = UnsafeMutablePointer<Owner>.allocate(capacity: 1)

  init(_ owner: Owner) { memory.initialize(to: owner) }

  deinit {
    memory.deinitialize(count: 1)
    memory.deallocate()
  }

  @inline(never)
  func read() { memory.pointee.read() }
}

/// Has an owner: who else has an object from which a search begins is not known.
private final class Cabinet {
  let owner: Owner
  init(_ owner: Owner) { self.owner = owner }
}

/// The objects of a program while it runs, and what is left of them when it has released them.
private final class Stage {
  let model = Model()
  let second = Model()
  let owner = Owner()
  let secondOwner = Owner()

  var all: [AnyObject] { [model, second, owner, secondOwner] }

  /// Observes `subject` with a closure that holds `held`.
  func observe(_ subject: Model, holding held: Model) -> ObservationToken {
    subject.observe(\.value) { _, _ in held.read() }
  }
}

private struct Program: CustomTestStringConvertible, Sendable {
  var testDescription: String
  /// Whether objects are left when the program has released all of them; a weak reference decides whether it is true.
  var leaks: Bool
  /// Whether something keeps the model alive after the release.
  var isModelKept = false
  var run: @Sendable (Stage) -> Void

  init(
    _ description: String,
    leaks: Bool,
    isModelKept: Bool = false,
    _ run: @escaping @Sendable (Stage) -> Void
  ) {
    testDescription = description
    self.leaks = leaks
    self.isModelKept = isModelKept
    self.run = run
  }

  static let all: [Program] = [
    Program("an object outside of the cycle has the token", leaks: false) {
      $0.owner.tokens = [$0.observe($0.model, holding: $0.model)]
    },
    Program("that object is held by the model", leaks: true) {
      $0.owner.tokens = [$0.observe($0.model, holding: $0.model)]
      $0.model.owned = [$0.owner]
    },
    Program("the model has the token", leaks: true) {
      $0.model.owned = [$0.observe($0.model, holding: $0.model)]
    },
    Program("the token is bound to an object outside of the cycle", leaks: false) {
      $0.observe($0.model, holding: $0.model).bind(to: $0.owner)
    },
    Program("the token is bound to an object that the model holds", leaks: true) {
      $0.observe($0.model, holding: $0.model).bind(to: $0.owner)
      $0.model.owned = [$0.owner]
    },
    Program("the token is bound to the model", leaks: true) {
      $0.observe($0.model, holding: $0.model).bindToObject()
    },
    Program("an object outside of the cycle has the controller", leaks: false) { stage in
      let model = stage.model
      stage.owner.observations.observe(model, \.value) { _, _, _ in model.read() }
    },
    Program("the owner of the controller is held by the model", leaks: true) { stage in
      let model = stage.model
      stage.owner.observations.observe(model, \.value) { _, _, _ in model.read() }
      model.owned = [stage.owner]
    },
    Program("an object outside of the cycle has a controller without a property", leaks: false) {
      let model = $0.model
      ObservationController.of($0.owner).observe(model, \.value) { _, _, _ in model.read() }
    },
    Program("a controller that does not keep the model is outside", leaks: false) { stage in
      let model = stage.model
      stage.owner.looseObservations.observe(model, \.value) { _, _, _ in model.read() }
    },
    Program("the owner of such a controller is held by the model", leaks: true) { stage in
      let model = stage.model
      stage.owner.looseObservations.observe(model, \.value) { _, _, _ in model.read() }
      model.owned = [stage.owner]
    },
    Program("such a controller holds its owner", leaks: true, isModelKept: true) { stage in
      let owner = stage.owner
      owner.looseObservations.observe(stage.model, \.value) { _, _, _ in owner.read() }
    },
    Program("a controller keeps a model that holds the owner", leaks: true) { stage in
      stage.owner.observations.observe(stage.model, \.value) { owner, _, _ in owner.read() }
      stage.model.owned = [stage.owner]
    },
    Program("a controller without a property keeps such a model", leaks: true) { stage in
      ObservationController.of(stage.owner).observe(stage.model, \.value) { _, _, _ in }
      stage.model.owned = [stage.owner]
    },
    Program("a controller does not keep a model that holds the owner", leaks: false) { stage in
      stage.owner.looseObservations.observe(stage.model, \.value) { _, _, _ in }
      stage.model.owned = [stage.owner]
    },
    Program("two controllers keep models that hold the other owner", leaks: true) { stage in
      stage.owner.observations.observe(stage.model, \.value) { _, _, _ in }
      stage.secondOwner.observations.observe(stage.second, \.value) { _, _, _ in }
      stage.model.owned = [stage.secondOwner]
      stage.second.owned = [stage.owner]
    },
    Program("an object outside of that cycle has one of the controllers", leaks: false) { stage in
      stage.owner.observations.observe(stage.model, \.value) { _, _, _ in }
      stage.secondOwner.observations.observe(stage.second, \.value) { _, _, _ in }
      stage.second.owned = [stage.owner]
    },
    Program("a token is held by an observation whose token is outside", leaks: false) { stage in
      let token = stage.observe(stage.model, holding: stage.model)
      stage.owner.tokens = [
        stage.model.observe(\.value) { _, _ in withExtendedLifetime(token) {} }
      ]
    },
    Program("a token is held by an observation whose token the model has", leaks: true) { stage in
      let token = stage.observe(stage.model, holding: stage.model)
      stage.model.owned = [stage.model.observe(\.value) { _, _ in withExtendedLifetime(token) {} }]
    },
    Program("two models hold each other by observations from outside", leaks: false) {
      $0.owner.tokens = [$0.observe($0.model, holding: $0.second)]
      $0.secondOwner.tokens = [$0.observe($0.second, holding: $0.model)]
    },
    Program("one of the two tokens is on the cycle", leaks: false) {
      $0.owner.tokens = [$0.observe($0.model, holding: $0.second)]
      $0.secondOwner.tokens = [$0.observe($0.second, holding: $0.model)]
      $0.model.owned = [$0.owner]
    },
    Program("both tokens are on the cycle", leaks: true) {
      $0.owner.tokens = [$0.observe($0.model, holding: $0.second)]
      $0.secondOwner.tokens = [$0.observe($0.second, holding: $0.model)]
      $0.model.owned = [$0.owner]
      $0.second.owned = [$0.secondOwner]
    },
    Program("an observation from outside, and a cycle without one", leaks: true) {
      $0.owner.tokens = [$0.observe($0.model, holding: $0.model)]
      $0.model.owned = [$0.second, $0.observe($0.model, holding: $0.second)]
      $0.second.owned = [$0.model]
    },
    Program("the middle of a path is held by an observation from outside", leaks: false) { stage in
      let second = stage.second
      stage.model.next = second
      stage.owner.tokens = [
        stage.model.observe(keyPath: "next.value") { _, _ in second.read() }
      ]
    },
  ]
}

@Suite("Retain cycles of observations that end with a token or a controller", .serialized)
struct RetainKeeperTests {
  init() { RetainSearch.install() }

  private struct Left {
    weak var object: AnyObject?
  }

  @Test("the search and weak references agree on what is left", arguments: Program.all)
  private func agrees(_ program: Program) {
    let (found, other, left, kept) = result(of: program)
    let leaks = left.contains { $0.object != nil && $0.object !== kept }
    #expect(leaks == program.leaks, "the program itself")
    #expect(found == program.leaks)
    #expect(other == program.leaks)
    for case let model as Model in left.compactMap(\.object) {
      for case let id? in model.storage.registrations.map(\.id) {
        model.storage.cancel(id, by: .user)
      }
      model.owned = []
    }
    #expect(left.allSatisfy { $0.object == nil || $0.object === kept })
  }

  /// Runs a program and releases its objects.
  ///
  /// - Returns: whether there was an observation that keeps itself alive before the release, and whether there were any
  ///   objects that do; the objects; and the model if something else keeps it.
  @inline(never)
  private func result(
    of program: Program
  ) -> (found: Bool, other: Bool, left: [Left], kept: Model?) {
    let stage = Stage()
    program.run(stage)
    let cycles = KVO.findRetainCycles(from: stage.model, stage.owner, stage.secondOwner)
    let answer = RetainSearch().findCycles(from: stage.model, stage.owner, stage.secondOwner)
    #expect(cycles.notLookedInto == [])
    return (
      !cycles.cycles.isEmpty, answer.verdict == .cycles, stage.all.map { Left(object: $0) },
      program.isModelKept ? stage.model : nil
    )
  }

  /// Has an owner whose observation of `model` keeps it, in memory without a description.
  @inline(never)
  private static func cabinet(with model: Model) -> Cabinet {
    let owner = Owner()
    let hidden = Hidden(owner)
    owner.tokens = [model.observe(\.value) { _, _ in hidden.read() }]
    return Cabinet(owner)
  }

  @Test("a cycle of an observation that only reference counts prove is not lost")
  func hidden() {
    let models = (0..<16).map { _ in Model() }
    // Of the last ones, words may be left on the stack, which are not owners.
    let cabinets = models.map { Self.cabinet(with: $0) }
    for cabinet in cabinets {
      let found = KVO.findRetainCycles(from: cabinet)
      #expect(found.verdict != .noneFound, "\(found)")
      let apart = RetainSearch().findCyclesApart(from: [cabinet], names: nil)
      #expect(apart.observations.verdict != .noneFound, "\(apart)")
    }
    for cabinet in cabinets { cabinet.owner.tokens = [] }
  }

  @Test("an observation from outside counts if it keeps an object that should be gone")
  func survivor() async {
    let owner = Owner()
    var model: Model? = Model()
    weak let left = model
    if let model { owner.tokens = [model.observe(\.value) { _, _ in model.read() }] }
    let expectation = model.map { KVO.expectDeallocation(of: $0, within: .zero) }
    model = nil
    guard case .alive(let cycles)? = await expectation?.outcome else {
      Issue.record("it is not alive")
      return
    }
    #expect(
      cycles.cycles.map { $0.description.replacing(#/#\d+/#, with: "") } == [
        "Model → observation of \"value\" → closure → capture of Model → Model"
      ]
    )
    owner.tokens = []
    #expect(left == nil)
  }

  @Test("and does not count if it keeps another object")
  func survivorElsewhere() async {
    let owner = Owner()
    let model = Model()
    owner.tokens = [model.observe(\.value) { _, _ in model.read() }]
    let expectation = KVO.expectDeallocation(of: owner, within: .zero)
    guard case .alive(let cycles) = await expectation.outcome else {
      Issue.record("it is not alive")
      return
    }
    #expect(cycles.verdict == .noneFound)
    withExtendedLifetime(owner) {}
  }
}
