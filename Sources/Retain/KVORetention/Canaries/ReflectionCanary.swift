/// An object that holds others in known ways, to test what a walk finds.
///
/// In a program without reflection metadata, objects seem to hold nothing. A walk of this object
/// distinguishes such a program from one in which objects really hold nothing.
final class ReflectionCanary {
  private let strong = CanaryTarget()
  private weak var weak: CanaryTarget?
  private unowned let unowned: CanaryTarget
  private let strongClosure: () -> Int
  private let weakClosure: () -> Int
  private let unownedClosure: () -> Int
  private let genericClosure: () -> Int
  /// Objects that a walk must not find.
  private let bystanders: [CanaryTarget]
  /// Objects that a walk must find.
  private let captured: [CanaryTarget]

  init() {
    let bystanders = (0..<4).map { _ in CanaryTarget() }
    let captured = (0..<2).map { _ in CanaryTarget() }
    // Two captures each: a closure with one capture has no context.
    let number = Int.random(in: 1...9)
    let (first, second) = (bystanders[2], bystanders[3])
    strongClosure = { [target = captured[0]] in target.number + number }
    weakClosure = { [weak first] in (first?.number ?? 0) + number }
    unownedClosure = { [unowned second] in second.number + number }
    genericClosure = Self.closure(over: captured[1], number)
    weak = bystanders[0]
    unowned = bystanders[1]
    self.bystanders = bystanders
    self.captured = captured
  }

  @inline(never)
  private static func closure<Value>(over value: Value, _ number: Int) -> () -> Int {
    { withExtendedLifetime(value) { number } }
  }

  /// Whether walks with these plans find the expected objects.
  func isUnderstood(by store: PlanStore) -> Bool {
    let own = Self.address(self)
    return withExtendedLifetime(self) {
      let reader = ObjectReader(store: store, memory: MemoryMap())
      func references(_ address: UInt) -> Set<UInt> {
        guard let plan = reader.plan(of: address),
          let object = UnsafeRawPointer(bitPattern: address)
        else { return [] }
        var visitor = CollectingVisitor()
        reader.read(object, plan, &visitor)
        return visitor.references
      }
      // The arrays hold all targets, but the walk does not descend into them: the check concerns
      // the other properties.
      var held: Set<UInt> = []
      for reference in references(own) {
        held.insert(reference)
        if reader.plan(of: reference)?.pointee.role == .context {
          held.formUnion(references(reference))
        }
      }
      return held.isSuperset(of: [Self.address(strong)] + captured.map(Self.address))
        && held.isDisjoint(with: bystanders.map(Self.address))
    }
  }

  private static func address(_ object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }
}

private final class CanaryTarget {
  let number = Int.random(in: 1...9)
}

private struct CollectingVisitor: ReferenceVisitor {
  private(set) var references: Set<UInt> = []

  mutating func reference(_ word: UInt, in slot: UnsafePointer<Slot>) { references.insert(word) }
  mutating func closure(context: UInt, code: UInt, in slot: UnsafePointer<Slot>) {
    references.insert(context)
  }
  mutating func kept(_ address: UInt) { references.insert(address) }
  mutating func opaque(_ bytes: UnsafeRawPointer, byteCount: Int, in slot: UnsafePointer<Slot>) {}
  mutating func enter(_ slot: UnsafePointer<Slot>) {}
  mutating func enter(element: ElementPosition) {}
  mutating func leave() {}
}
