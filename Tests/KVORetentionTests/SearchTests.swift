import KVORetainRegistry
import KVORetention
import KVORules
import KVOTrace
import Testing

@testable import RetentionProbe

@Suite("Searches", .serialized)
struct SearchTests {
  @Test("two rings are two cycles, the nearer one first")
  func twoCycles() {
    let root = Holder()
    let (near, far) = (Box(nil), Box(nil))
    near.value = near
    far.value = Box(far)
    root.models = [Holder()]
    root.object = near
    root.models[0].object = far
    let answer = RetainSearch().findCycles(from: root)
    #expect(answer.cycles.map(\.description) == ["Box.value → Box", "Box.value → Box.value → Box"])
    #expect(
      answer.description == """
        2 retain cycles
          Box.value → Box
          Box.value → Box.value → Box
        """
    )
    near.value = nil
    far.value = nil
  }

  @Test("of objects that all keep each other alive the shortest cycle is drawn")
  func shortest() {
    let boxes = (0..<20).map { _ in Box(nil) }
    let holder = Holder()
    for (box, next) in zip(boxes, boxes.dropFirst()) { box.value = next }
    boxes[19].value = holder
    holder.object = boxes[0]
    holder.list = [boxes[17]]
    let answer = RetainSearch().findCycles(from: boxes[3])
    #expect(answer.componentCount == 1)
    #expect(
      answer.cycles.map(\.description) == [
        "Box.value → Box.value → Box.value → Holder.list[0] → Box",
        String(repeating: "Box.value → ", count: 17) + "Holder.object → "
          + String(repeating: "Box.value → ", count: 3) + "Box",
      ]
    )
  }

  @Test("other cycles through the same objects are drawn once for each way in which they read")
  func distinct() {
    let (root, child) = (Holder(), Holder())
    root.models = [child, Holder(), Holder()]
    for model in root.models { model.source = root }
    child.action = { [number = root.count] in use((root, number)) }
    let answer = RetainSearch().findCycles(from: root)
    #expect(answer.componentCount == 1)
    #expect(answer.omittedCycleCount == 0)
    #expect(
      answer.cycles.map(\.description) == [
        "Holder.models[0] → Holder.source → Holder",
        "Holder.models[0] → Holder.action → closure capture of Holder → Holder",
      ]
    )
    for model in root.models { (model.source, model.action) = (nil, nil) }
  }

  @Test("as many cycles are described as were asked for")
  func limit() {
    let holder = Holder()
    holder.list = (0..<5).map { _ in
      let box = Box(nil)
      box.value = box
      return box
    }
    let two = RetainSearch(cycleLimit: 2).findCycles(from: holder)
    #expect(two.cycles.count == 2 && two.omittedCycleCount == 3 && two.componentCount == 5)
    #expect(two.description.hasPrefix("2 of at least 5 retain cycles\n"))
    let none = RetainSearch(cycleLimit: 0).findCycles(from: holder)
    #expect(none.cycles.isEmpty && none.verdict == .cycles)
    #expect(none.description == "0 of at least 5 retain cycles")
  }

  @Test("a walk that has no time is inconclusive, and says so")
  func noTime() {
    let holder = Holder()
    let answer = RetainSearch(timeLimit: .zero).findCycles(from: holder)
    #expect(answer.verdict == .inconclusive)
    #expect(answer.opaque.map(\.reason) == [.outOfTime])
  }

  @Test("of a thousand rings of a thousand objects the nearest are drawn")
  func rings() {
    let holder = Holder()
    let rings = (0..<1_000).map { _ in (0..<1_000).map { _ in Box(nil) } }
    for ring in rings {
      for (box, next) in zip(ring, ring.dropFirst()) { box.value = next }
      ring[999].value = ring[0]
      holder.list.append(ring[0])
    }
    let answer = RetainSearch().findCycles(from: holder)
    #expect(answer.cycles.count == 100)
    #expect(answer.omittedCycleCount == 900)
    #expect(answer.cycles.allSatisfy { $0.edges.count == 1_000 })
    for ring in rings { for box in ring { box.value = nil } }
  }

  @Test("edges carry their objects, and how sure they are")
  func edges() {
    let model = ViewModel()
    model.observation = Token { model.poke() }
    let cycle = RetainSearch().findCycles(from: model).cycles.first
    #expect(cycle?.isProven == true)
    #expect(cycle?.edges.map(\.from.className) == ["ViewModel", "Token", "closure"])
    #expect(cycle?.edges.map(\.to.kind) == [.instance, .closure, .instance])
    #expect(
      cycle?.edges.first?.from.address
        == UInt(bitPattern: Unmanaged.passUnretained(model).toOpaque())
    )
  }

  @Test("what keeps an object alive is the shortest way from a root")
  func path() {
    let (root, target) = (Holder(), Box(nil))
    root.models = [Holder(), Holder()]
    root.models[1].action = { use(target) }
    root.byName["long"] = Holder()
    root.byName["long"]?.object = Box(target)
    let answer = RetainSearch().findPath(to: target, from: root)
    #expect(
      answer.path?.description == "Holder.models[1] → Holder.action → closure capture of Box → Box"
    )
    #expect(RetainSearch().findPath(to: Box(nil), from: root).path == nil)
    #expect(RetainSearch().findPath(to: root, from: root).path?.edges == [])
  }

  @Test("a list of a million objects takes no more stack than one of ten")
  func deep() {
    let first = Box(nil)
    var last = first
    for _ in 1..<1_000_000 {
      let next = Box(nil)
      last.value = next
      last = next
    }
    #expect(RetainSearch().findCycles(from: first).verdict == .noneFound)
    last.value = first
    let answer = RetainSearch().findCycles(from: first)
    #expect(answer.cycles.first?.edges.count == 1_000_000)
    // Their deinits would nest a million deep.
    var next: AnyObject? = first
    while let box = next as? Box {
      next = box.value
      box.value = nil
    }
  }

  @Test("the library's protocol returns what the search finds")
  func walker() {
    let model = ViewModel()
    model.observation = Token { model.poke() }
    let walker: any RetainWalker = LiveRetainWalker()
    let walk = walker.walk(from: [model], names: nil)
    #expect(walk.opaque == [])
    #expect(
      walk.paths.map { $0.map(\.label) } == [["observation", "handler", "capture of ViewModel"]]
    )
    #expect(walk.paths.first?.map(\.from.kind) == [.object, .object, .closure])
    #expect(
      walk.paths.first?.allSatisfy { $0.strength == .strong && $0.certainty == .proven } == true
    )
    let way = walker.walk(to: model, from: [Holder()], names: nil)
    #expect(way.paths.isEmpty)
    model.observation = nil
  }
}
