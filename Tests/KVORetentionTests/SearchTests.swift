import KVORetention
import KVORules
import KVOTrace
import Testing

@testable import RetentionProbe

@Suite("Searches", .serialized)
struct SearchTests {
  @Test("two circles are two cycles, the nearer one first")
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

  @Test("of objects that all keep each other alive the shortest circle is drawn")
  func shortest() {
    let boxes = (0..<20).map { _ in Box(nil) }
    let holder = Holder()
    for (box, next) in zip(boxes, boxes.dropFirst()) { box.value = next }
    boxes[19].value = holder
    holder.object = boxes[0]
    holder.list = [boxes[17]]
    #expect(
      RetainSearch().findCycles(from: boxes[3]).cycles.map(\.description)
        == ["Box.value → Box.value → Box.value → Holder.list[0] → Box"]
    )
  }

  @Test("as many cycles are described as were asked for")
  func limit() {
    let holder = Holder()
    holder.list = (0..<5).map { _ in
      let box = Box(nil)
      box.value = box
      return box
    }
    #expect(RetainSearch(cycleLimit: 2).findCycles(from: holder).cycles.count == 2)
    #expect(RetainSearch(cycleLimit: 0).findCycles(from: holder).cycles.isEmpty)
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

  @Test("the layer's protocol tells what the search tells")
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
