#if DEBUG
import Testing

@testable import KVORetention
@testable import RetentionProbe

/// How contexts of closures in generic code are read; optimized code may have none for these.
@Suite("Plans of closures' contexts", .serialized)
struct ContextPlanTests {
  @Test("a context whose plan is known is described again without memory that stays")
  func drafts() {
    let holder = Holder()
    holder.action = GenericNode<Holder>(nil).action(1 as Int8)
    let root = UInt(bitPattern: Unmanaged.passUnretained(holder).toOpaque())
    let found = PlanStore.withShared { store -> (plans: Set<UInt>, slotCounts: [Int]) in
      let memory = MemoryMap()
      let reader = ObjectReader(store: store, memory: memory)
      var visitor = ContextVisitor()
      if let plan = reader.plan(of: root), let object = UnsafeRawPointer(bitPattern: root) {
        reader.read(object, plan, &visitor)
      }
      var plans: Set<UInt> = []
      var slotCounts: [Int] = []
      for context in visitor.contexts + visitor.contexts {
        guard let plan = reader.plan(of: context), let metadata = plan.pointee.metadata,
          let object = UnsafeRawPointer(bitPattern: context)
        else { continue }
        plans.insert(UInt(bitPattern: plan))
        let builder = ContextPlanBuilder(store: store, metadata: TypeMetadata(metadata))
        slotCounts.append(plan.pointee.slots.count)
        slotCounts.append(builder.draft(of: object, memory: memory).slots.count)
      }
      return (plans, slotCounts)
    }
    // One plan, with a slot for the object; the number has none.
    #expect(found.plans.count == 1)
    #expect(found.slotCounts == [1, 1, 1, 1])
    holder.action = nil
  }
}

private struct ContextVisitor: ReferenceVisitor {
  private(set) var contexts: [UInt] = []

  mutating func reference(_ word: UInt, in slot: UnsafePointer<Slot>) {}
  mutating func closure(context: UInt, code: UInt, in slot: UnsafePointer<Slot>) {
    contexts.append(context)
  }
  mutating func kept(_ address: UInt) {}
  mutating func opaque(_ bytes: UnsafeRawPointer, byteCount: Int, in slot: UnsafePointer<Slot>) {}
  mutating func enter(_ slot: UnsafePointer<Slot>) {}
  mutating func enter(element: ElementPosition) {}
  mutating func leave() {}
}
#endif
