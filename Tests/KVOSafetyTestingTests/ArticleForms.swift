import KVOSafety

/// Observing as articles on the subject advise it, each advice in a function of its own: none has a fault.
enum ArticleForms {
  static func all() {
    contextsOfTheirOwn()
    removalBeforeTheLastReferenceGoes()
    notificationByHand()
    dependentKey()
    elementsOfAList()
    controller()
    token()
    itself()
    oneWhoRemovesFirst()
  }

  /// Added when the observer is made and removed when it goes, with a context for each key path.
  private static func contextsOfTheirOwn() {
    let person = Student()
    let screen = StudentScreen(person)
    person.name = "A"
    person.nick = "B"
    screen.check()
  }

  private static func removalBeforeTheLastReferenceGoes() {
    let screen = StudentScreen(nil)
    let person = Student()
    screen.show(person)
    person.name = "A"
    screen.show(nil)
  }

  /// The class notifies by itself, for some values alone.
  private static func notificationByHand() {
    let person = Student()
    let screen = Listener()
    person.addObserver(screen, forKeyPath: "height", options: [.new, .old])
    person.grow(to: 180)
    person.grow(to: 180)
    person.removeObserver(screen, forKeyPath: "height")
  }

  /// A value that depends on two others.
  private static func dependentKey() {
    let transfer = Transfer()
    let screen = Listener()
    transfer.addObserver(screen, forKeyPath: "progress", options: [.new])
    transfer.total = 10
    transfer.received = 5
    transfer.removeObserver(screen, forKeyPath: "progress")
  }

  /// A list that is changed through its proxy.
  private static func elementsOfAList() {
    let transfer = Transfer()
    let screen = Listener()
    transfer.addObserver(screen, forKeyPath: "parts", options: [.new])
    transfer.mutableValues(of: \.parts).append("1")
    transfer.parts = []
    transfer.removeObserver(screen, forKeyPath: "parts")
  }

  /// A controller, which ends everything with its owner; and one that ends some of it before.
  private static func controller() {
    let person = Student()
    do {
      let owner = ControllerOwner()
      owner.observations.observe(person, \.name, options: [.initial, .new]) { owner, person, _ in
        owner.seen = person.name
      }
      owner.observations.observe(person, \.nick) { owner, person, _ in owner.seen = person.nick }
      person.name = "A"
      owner.observations.unobserve(person, keyPath: "nick")
    }
    person.name = "B"
  }

  /// A block that is kept as long as it is needed.
  private static func token() {
    let person = Student()
    let owner = ControllerOwner()
    owner.token = person.observe(\.name, options: [.old, .new]) { [weak owner] person, _ in
      owner?.seen = person.name
    }
    person.name = "A"
    owner.token?.invalidate()
    owner.token = nil
  }

  /// An object that observes itself, and ends that when it is closed.
  private static func itself() {
    let view = SelfObserver()
    view.open()
    view.color = 1
    view.close()
  }

  /// Two observers of one object, which go in either order.
  private static func oneWhoRemovesFirst() {
    let person = Student()
    let first = StudentScreen(person)
    do {
      let second = StudentScreen(person)
      person.name = "A"
      second.check()
    }
    person.name = "B"
    first.check()
  }

  /// A stream, which ends with its owner.
  static func stream() async {
    let person = Student()
    var owner: ControllerOwner? = ControllerOwner()
    var names: [String] = []
    let values = person.values(for: \.name, boundTo: owner)
    person.name = "A"
    for await name in values {
      names.append(name)
      if name == "A" { owner = nil }
    }
    precondition(names == ["", "A"] && owner == nil)
  }
}

private final class Student: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("name", \Student.name),
    ObservableKey("nick", \Student.nick),
    ObservableKey("height", \Student.height, isManual: true)
  )

  var name = "" {
    willSet { willChangeValue(for: \.name) }
    didSet { didChangeValue(for: \.name) }
  }
  var nick = "" {
    willSet { willChangeValue(for: \.nick) }
    didSet { didChangeValue(for: \.nick) }
  }
  private(set) var height = 0

  func grow(to height: Int) {
    if height == self.height { return }
    willChangeValue(for: \.height)
    self.height = height
    didChangeValue(for: \.height)
  }
}

private final class Transfer: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("total", \Transfer.total),
    ObservableKey("received", \Transfer.received),
    ObservableKey("progress", \Transfer.progress, affectedBy: ["total", "received"]),
    ObservableKey("parts", \Transfer.parts)
  )

  var total = 1.0 {
    willSet { willChangeValue(for: \.total) }
    didSet { didChangeValue(for: \.total) }
  }
  var received = 0.0 {
    willSet { willChangeValue(for: \.received) }
    didSet { didChangeValue(for: \.received) }
  }
  var progress: Double { received / total }
  var parts: [String] = [] {
    willSet { willChangeValue(for: \.parts) }
    didSet { didChangeValue(for: \.parts) }
  }
}

/// Removes in its deinit what it added.
private final class StudentScreen: KeyValueObserver {
  private static let nameContext = ObservationContext("name")
  private static let nickContext = ObservationContext("nick")
  private var person: Student?
  private var count = 0

  init(_ person: Student?) { show(person) }
  deinit { show(nil) }

  func show(_ next: Student?) {
    person?.removeObserver(self, forKeyPath: "name", context: Self.nameContext)
    person?.removeObserver(self, forKeyPath: "nick", context: Self.nickContext)
    person = next
    next?.addObserver(self, forKeyPath: "name", options: [.new], context: Self.nameContext)
    next?.addObserver(self, forKeyPath: "nick", options: [.new], context: Self.nickContext)
  }

  func check() { precondition(count > 0) }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    guard context === Self.nameContext || context === Self.nickContext else { return .unhandled }
    count += 1
    return .handled
  }
}

private final class Listener: KeyValueObserver {
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    .handled
  }
}

private final class ControllerOwner {
  lazy var observations = ObservationController(owner: self)
  var token: ObservationToken?
  var seen = ""
}

private final class SelfObserver: KeyValueObservable, KeyValueObserver {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("color", \SelfObserver.color))

  var color = 0 {
    willSet { willChangeValue(for: \.color) }
    didSet { didChangeValue(for: \.color) }
  }

  func open() { addObserver(self, forKeyPath: "color", options: [.new]) }
  func close() { removeObserver(self, forKeyPath: "color") }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    .handled
  }
}
