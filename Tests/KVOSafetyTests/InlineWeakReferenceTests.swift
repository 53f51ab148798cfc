import Dispatch
import KVORecorder
import Testing

@testable import KVOSafety

/// References that do not keep their objects, and leave their counts where they are.
@Suite("Inline weak references")
struct InlineWeakReferenceTests {
  private final class Thing {
    var inDeinit: () -> Void = {}
    deinit { inDeinit() }
  }

  @Test("the object is there until its deinit begins, and nil in it and after it")
  func endsWithDeinit() {
    let found = GuardedState<[Bool]>([])
    var thing: Thing? = Thing()
    let reference = Held(thing)
    #expect(reference.isThere)
    #expect(reference.object === thing)
    thing?.inDeinit = { found.withLock { $0 += [reference.isThere, reference.object != nil] } }
    thing = nil
    #expect(found.withLock { $0 } == [false, false])
    #expect(!reference.isThere)
    #expect(reference.object == nil)
  }

  @Test("a reference to no object")
  func empty() {
    let reference = Held(nil)
    #expect(!reference.isThere)
    #expect(reference.object == nil)
  }

  @Test("its word does not look like an address to searches and in heap snapshots")
  func isHidden() {
    let thing = Thing()
    let reference = InlineWeakReference(thing)
    let address = UInt(bitPattern: Unmanaged.passUnretained(thing).toOpaque())
    let word = withUnsafeBytes(of: reference) { $0.load(as: UInt.self) }
    let found = reference.object
    #expect(MemoryLayout<InlineWeakReference>.size == 8)
    #expect(word == ~address)
    #expect(found === thing)
  }

  @Test("threads load objects while others release them")
  func race() {
    for _ in 0..<300 {
      let things = GuardedState((0..<4).map { _ in Thing() })
      let references = things.withLock { $0.map { Held($0) } }
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        if index % 2 == 0 { things.withLock { $0.removeAll() } }
        // An object that was loaded can be used, whatever the others do.
        for reference in references { (reference.object as? Thing)?.inDeinit() }
      }
      #expect(references.allSatisfy { $0.object == nil && !$0.isThere })
    }
  }

  @Test("observing moves no object's counts into a side table")
  func leavesCountsInline() {
    let person = Person("Ann")
    let account = Account(owner: person)
    let next = Person("Bob")
    let listener = Listener()
    let owner = Thing()
    let controller = ObservationController(owner: owner)
    var total = 0
    let tokens = [
      account.observe(\.balance, options: .new) { _, _ in total += 1 },
      account.observe(\.owner?.name, options: .new) { _, _ in total += 1 },
    ]
    account.addObserver(listener, forKeyPath: "balance", options: .new)
    account.addObserver(listener, forKeyPath: "owner.name")
    controller.observe(account, \.balance) { _, _, _ in total += 1 }
    account.balance = 1
    account.owner?.name = "Eve"
    account.owner = next
    next.name = "Kim"
    #expect(total == 5)
    #expect(listener.heard.count == 4)
    for object in [account, person, next, listener, owner] as [AnyObject] {
      #expect(!hasSideTable(object))
    }
    account.removeObserver(listener, forKeyPath: "balance")
    account.removeObserver(listener, forKeyPath: "owner.name")
    for token in tokens { token.invalidate() }
    weak let referenced = person
    // What this checks is seen.
    #expect(hasSideTable(person))
    withExtendedLifetime(referenced) {}
  }

  /// Whether the counts of an object are in a side table: the uppermost bits of its second word say so
  /// (runtime, RefCount.h).
  private func hasSideTable(_ object: AnyObject) -> Bool {
    let header = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    return header.load(fromByteOffset: 8, as: UInt64.self) >> 62 == 3
  }

  /// A reference that closures can share.
  private final class Held: Sendable {
    private let reference: InlineWeakReference

    init(_ object: AnyObject?) { reference = InlineWeakReference(object) }

    var object: AnyObject? { reference.object }
    var isThere: Bool { reference.isAlive }
  }
}
