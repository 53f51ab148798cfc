import Dispatch
import Foundation
import KVORetention
import Synchronization
import Testing

@testable import RetentionProbe

private protocol Measurable { var length: Int { get } }
private struct Measure<Value>: Measurable {
  var value: Value
  var length: Int { MemoryLayout<Value>.size }
}
extension Array: Measurable where Element: Measurable { fileprivate var length: Int { count } }

/// Signals a task on another thread when to go on.
private final class Flag: Sendable {
  let value = Atomic(false)
}

@Suite("What a walk cannot inspect", .serialized)
struct OpaqueTests {
  /// Whether reference counts may say who owns what is in it: words lead to an object beside the root, or optimized
  /// code has a word for each owner of the root.
  private func isCounted(_ one: OpaqueShape) -> Bool {
    one.reason == .keyPathArguments || one.reason == .unmanagedMemory
  }

  @Test("it is said, and no cycle is claimed", arguments: OpaqueShape.all)
  func exact(one: OpaqueShape) {
    let answer = RetainSearch().findCycles(from: one.shape.cyclic())
    if isCounted(one) {
      #expect(answer.verdict != .noneFound)
    } else {
      #expect(answer.cycles == [] && answer.suspectedCycles == [])
      #expect(answer.verdict == .inconclusive)
      #expect(answer.opaque.map(\.reason) == [one.reason])
    }
    // Nothing in it leads back.
    #expect(RetainSearch().findCycles(from: one.shape.acyclic()).verdict == .noneFound)
  }

  @Test("a scan of its bytes suspects the cycle, and never proves one", arguments: OpaqueShape.all)
  func scanned(one: OpaqueShape) {
    let search = RetainSearch(scansOpaqueMemory: true)
    let cyclic = search.findCycles(from: one.shape.cyclic())
    #expect(cyclic.cycles == [] && cyclic.verdict == .inconclusive || isCounted(one))
    #expect(cyclic.cycles.count + cyclic.suspectedCycles.count == 1)
    #expect(cyclic.suspectedCycles.allSatisfy { !$0.isProven })
    #expect(search.findCycles(from: one.shape.acyclic()).suspectedCycles == [])
  }

  @Test("bytes without anything like a reference hide nothing")
  func emptyBytes() {
    #expect(RetainSearch().findCycles(from: Counter()).verdict == .noneFound)
    #expect(RetainSearch().findCycles(from: Guarded()).verdict == .noneFound)
    #expect(
      RetainSearch().findCycles(from: NumberBuffer.create(minimumCapacity: 9) { _ in 1 }).verdict
        == .noneFound
    )
    let holder = Holder()
    holder.keyPath = \Holder.count
    #expect(RetainSearch().findCycles(from: holder).verdict == .noneFound)
  }

  private final class Numbers {
    var numbers = InlineArray<5000, UInt>(repeating: 0)
  }

  @Test("the numbers of a long array hold nothing, whatever they are")
  func longArray() {
    let numbers = Numbers()
    let address = UInt(bitPattern: Unmanaged.passUnretained(numbers).toOpaque())
    numbers.numbers = InlineArray(repeating: address)
    let answer = RetainSearch().findCycles(from: numbers)
    #expect(answer.verdict == .noneFound, "\(answer)")
  }

  @Test("the values of a parameter pack are read, without the runtime, which may trap")
  func packs() {
    let holder = Holder()
    holder.anything = Variadic(holder, 1)
    let stored = RetainSearch().findCycles(from: holder)
    #expect(stored.verdict == .cycles, "\(stored)")
    holder.anything = Variadic(Holder(), 1)
    #expect(RetainSearch().findCycles(from: holder).verdict == .noneFound)
    holder.anything = 0
    holder.action = pack(1, holder)
    let captured = RetainSearch().findCycles(from: holder)
    #expect(captured.verdict == .cycles, "\(captured)")
    holder.action = pack(1, Holder())
    #expect(RetainSearch().findCycles(from: holder).verdict == .noneFound)
  }

  @Test("a suspended task may hold what its functions will use, besides its captures")
  func task() async {
    let holder = Holder()
    let started = AsyncStream.makeStream(of: Void.self)
    holder.task = Task { [weak holder] in
      guard let holder else { return }
      started.continuation.yield()
      try? await Task.sleep(nanoseconds: 1_000_000_000_000)
      holder.poke()
    }
    for await _ in started.stream { break }
    let answer = RetainSearch().findCycles(from: holder)
    #expect(answer.cycles == [])
    #expect(answer.opaque.contains { $0.className == "Task" && $0.reason == .task }, "\(answer)")
    holder.task?.cancel()
  }

  @Test("a running task may hold what only its thread's stack says")
  func runningTask() async {
    let holder = Holder()
    let isEnded = Flag()
    let started = AsyncStream.makeStream(of: Void.self)
    holder.task = Task.detached { [weak holder] in
      guard let strong = holder else { return }
      started.continuation.yield()
      while !isEnded.value.load(ordering: .acquiring) { sched_yield() }
      strong.poke()
    }
    for await _ in started.stream { break }
    let running = RetainSearch().findCycles(from: holder)
    #expect(running.cycles == [] && running.verdict == .inconclusive)
    #expect(running.opaque.map(\.reason).contains(.task), "\(running)")
    isEnded.value.store(true, ordering: .releasing)
    await holder.task?.value
    #expect(RetainSearch().findCycles(from: holder).verdict == .noneFound)
  }

  @Test("a pointer to a witness table that the runtime made leads nowhere")
  func witnessTable() {
    let values: [any Measurable] = [[Measure(value: 1)]]
    // The witness table is the last of the five words of an existential.
    let table = values.withUnsafeBytes {
      $0.load(fromByteOffset: 32, as: UnsafeRawPointer.self)
    }
    let holder = Holder()
    holder.anything = table
    let answer = RetainSearch().findCycles(from: holder)
    #expect(answer.verdict == .noneFound, "\(answer)")
  }

  @Test("a stream's continuation does not pass for nothing")
  func stream() {
    let holder = Holder()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.onTermination = { [holder] _ in use(holder) }
    holder.continuation = continuation
    #expect(RetainSearch().findCycles(from: holder).verdict != .noneFound)
    withExtendedLifetime(stream) {}
    continuation.onTermination = nil
  }

  @Test("a checked continuation does not pass for nothing")
  func continuation() async {
    let holder = Holder()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      holder.anything = continuation
      #expect(RetainSearch().findCycles(from: holder).verdict != .noneFound)
      continuation.resume()
    }
  }

  @Test("an unsafe continuation does not pass for nothing")
  func unsafeContinuation() async {
    let holder = Holder()
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      holder.anything = continuation
      #expect(RetainSearch().findCycles(from: holder).verdict != .noneFound)
      continuation.resume()
    }
    // The task has it while it waits.
    holder.poke()
  }

  @Test("a run loop's block is seen through Foundation's objects")
  func runLoop() {
    let holder = Holder()
    let loop = RunLoop.current
    loop.perform { [holder] in holder.poke() }
    holder.object = loop
    let answer = RetainSearch().findCycles(from: holder)
    #expect(answer.verdict != .noneFound, "\(answer)")
    holder.object = nil
    _ = loop.run(mode: .default, before: Date())
  }

  @Test("memory that begins like an object, with an impossible side table, is not an object")
  func lookalike() {
    let holder = Holder()
    let memory = UnsafeMutablePointer<UInt>.allocate(capacity: 9)
    memory.initialize(repeating: 0, count: 9)
    memory[0] = unsafeBitCast(Holder.self as AnyObject.Type, to: UInt.self)
    // The complement of an address, as a search stores it: the two highest bits say that it counts in a side table.
    memory[1] = ~UInt(bitPattern: memory)
    memory[3] = UInt(bitPattern: Unmanaged.passUnretained(holder).toOpaque())
    defer { memory.deallocate() }
    holder.anything = UnsafeRawPointer(memory)
    let answer = RetainSearch().findCycles(from: holder)
    #expect(answer.verdict == .inconclusive, "\(answer)")
    #expect(answer.opaque.map(\.reason) == [.unmanagedMemory])
  }

  @Test("a timer's block is seen through Foundation's objects")
  func timer() {
    let holder = Holder()
    let timer = Timer(timeInterval: 1000, repeats: true) { [holder] _ in holder.poke() }
    holder.object = timer
    let answer = RetainSearch().findCycles(from: holder)
    #expect(answer.verdict != .noneFound, "\(answer)")
    timer.invalidate()
  }

  @Test("what a timer and a run loop keep in C is neither a cycle nor a doubt of the program's")
  func ringsOfFoundation() throws {
    let holder = Holder()
    // Memory of C may contain what it contained before it was allocated, such as references of tests that ran then: one
    // timer of several must have none.
    var answers: [RetainAnswer] = []
    repeat {
      let timer = Timer(timeInterval: 1000, repeats: true) { _ in }
      defer { timer.invalidate() }
      holder.object = timer
      answers.append(RetainSearch().findCycles(from: holder))
    } while answers.last?.verdict == .inconclusive && answers.count < 8
    #expect(answers.last?.verdict == .noneFound, "\(answers)")
    // The same of a run loop's lock, and of what CoreFoundation keeps for it: there is one of each per thread.
    var ofLoops: [RetainAnswer] = []
    repeat {
      ofLoops.append(try Self.answerOfNewRunLoop())
    } while !Self.isOfFoundation(ofLoops) && ofLoops.count < 8
    let cycles = ofLoops.flatMap(\.cycles)
    #expect(cycles.isEmpty, "\(ofLoops)")
    #expect(Self.isOfFoundation(ofLoops), "\(ofLoops)")
  }

  /// What is found from the run loop of a thread of its own.
  private static func answerOfNewRunLoop() throws -> RetainAnswer {
    let answer = Mutex<RetainAnswer?>(nil)
    let done = DispatchSemaphore(value: 0)
    let holder = Holder()
    Thread.detachNewThread {
      holder.object = RunLoop.current
      let found = RetainSearch().findCycles(from: holder)
      answer.withLock { $0 = found }
      done.signal()
    }
    done.wait()
    let found = answer.withLock { $0 }
    return try #require(found)
  }

  private static func isOfFoundation(_ answers: [RetainAnswer]) -> Bool {
    answers.last?.opaque.allSatisfy { opaque in
      ["NSLock.mutex", "__NSCFType"].contains { opaque.description.contains($0) }
    } ?? false
  }

  @Test("a notification center's block is seen through Foundation's objects")
  func notificationCenter() {
    let holder = Holder()
    let center = NotificationCenter()
    holder.object = center
    _ = center.addObserver(forName: .init("name"), object: nil, queue: nil) { [holder] _ in
      holder.poke()
    }
    let answer = RetainSearch().findCycles(from: holder)
    #expect(answer.verdict != .noneFound, "\(answer)")
  }

  @Test(
    "memory that is not an object's makes a doubt if it leads back, whatever its first word is",
    arguments: [0, 1, 8, 4096, UInt.max],
    [true, false]
  )
  func foreign(firstWord: UInt, isBack: Bool) {
    let holder = Holder()
    // All that is allocated: the rest is left from others.
    let memory = UnsafeMutablePointer<UInt>.allocate(capacity: 9)
    memory.initialize(repeating: 0, count: 9)
    memory[0] = firstWord
    memory[3] = isBack ? UInt(bitPattern: Unmanaged.passUnretained(holder).toOpaque()) : 0
    defer { memory.deallocate() }
    // Other objects surround them, so that neither the mapping nor the class is new.
    let boxes = (0..<9).map { _ in Box(Box(nil)) }
    holder.list = boxes
    func poke(_ word: UInt) {
      for box in boxes[3..<5] {
        let field = Unmanaged.passUnretained(box).toOpaque() + 16
        field.storeBytes(of: word, as: UInt.self)
      }
    }
    for box in boxes[3..<5] { box.value = nil }
    poke(UInt(bitPattern: memory))
    let answer = RetainSearch().findCycles(from: holder)
    poke(0)
    #expect(answer.verdict == (isBack ? .inconclusive : .noneFound))
    #expect(answer.opaque.map(\.reason) == (isBack ? [.foreignObject] : []))
    #expect(answer.opaque.map(\.count) == (isBack ? [1] : []))
  }
}
