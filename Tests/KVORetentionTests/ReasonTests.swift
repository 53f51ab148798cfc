import Glibc
import Testing

@testable import KVORetention
@testable import RetentionProbe

private struct Owning: ~Copyable {
  var owner: AnyObject?
  var number = 1
}
private enum OwningEnum: ~Copyable {
  case owner(AnyObject)
  case nobody
}
private struct GenericOwning<Value: ~Copyable>: ~Copyable { var value: Value }
private final class StructOwner { var value = Owning(owner: nil) }
private final class EnumOwner { var value = OwningEnum.nobody }
private final class GenericOwner { var value = GenericOwning<AnyObject?>(value: nil) }
private final class CStructOwner { var value = addrinfo() }

/// Types that are captured, and used for nothing else.
private enum Choice {
  case object(Box)
  case nothing
}
private enum Flag { case up, down }
private struct Wrapped<Value> {
  var value: Value
  var choice: Choice
}
private enum Either<Value> {
  case value(Value)
  case box(Box)
}

/// This program has reflection metadata.
///
/// `Scripts/retention-builds` checks that a build without it says so, and no other.
@Suite("Why a value is not understood")
struct ReasonTests {
  private static let noncopyableOwners: [@Sendable () -> AnyObject] = [
    {
      let owner = StructOwner()
      owner.value.owner = owner
      return owner
    },
    {
      let owner = EnumOwner()
      owner.value = .owner(owner)
      return owner
    },
    {
      let owner = GenericOwner()
      owner.value.value = owner
      return owner
    },
  ]

  @Test(
    "a field of a noncopyable type is one that the compiler does not describe",
    arguments: noncopyableOwners.indices
  )
  func noncopyable(index: Int) {
    let answer = RetainSearch().findCycles(from: Self.noncopyableOwners[index]())
    #expect(answer.verdict == .inconclusive)
    #expect(answer.opaque.map(\.reason) == [.noncopyable], "\(answer)")
  }

  @Test("a struct of C is memory that the program manages")
  func cStruct() {
    let owner = CStructOwner()
    owner.value.ai_canonname = UnsafeMutablePointer(
      OpaquePointer(Unmanaged.passRetained(owner).toOpaque())
    )
    let answer = RetainSearch().findCycles(from: owner)
    // Reference counts may say that the word owns it.
    #expect(answer.verdict != .noneFound)
    #expect(answer.opaque.allSatisfy { $0.reason == .unmanagedMemory }, "\(answer)")
    owner.value.ai_canonname = nil
    Unmanaged.passUnretained(owner).release()
  }

  @Test("types that are only ever captured have reflection metadata")
  func captured() {
    let holder = Holder()
    holder.action = capture(
      "text",
      .object(Box(holder)),
      Wrapped(value: Box(holder), choice: .nothing),
      Either.box(Box(holder)),
      .up
    )
    let answer = RetainSearch().findCycles(from: holder)
    #if DEBUG
    #expect(answer.verdict == .cycles, "\(answer)")
    #else
    // Optimized code has no metadata of some of them.
    #expect(answer.verdict != .noneFound, "\(answer)")
    #endif
    #expect(answer.opaque.allSatisfy { $0.reason == .unknownType }, "\(answer)")
    holder.action = {}
  }

  @inline(never)
  private func capture<Value>(
    _ value: Value,
    _ choice: Choice,
    _ wrapped: Wrapped<Box>,
    _ either: Either<Value>,
    _ flag: Flag?
  ) -> () -> Void {
    {
      use((value, wrapped.value))
      if case .object(let box) = choice { use(box) }
      if case .box(let box) = either { use(box) }
      if flag == .up { use(1) }
    }
  }
}
