import CKVOUnwind
import Foundation
import KVOTrace
import TestSupport
import Testing

@testable import KVORecorder

@Suite("A stack")
struct StackCaptureTests {
  @inline(never)
  private func inner(_ depth: StackCapture.Depth) -> [UInt64] {
    let frames = StackCapture.frames(depth)
    return withExtendedLifetime(depth) { frames.map(\.address) }
  }

  @inline(never)
  private func middle(_ depth: StackCapture.Depth) -> [UInt64] {
    let frames = inner(depth)
    return withExtendedLifetime(depth) { frames }
  }

  @inline(never)
  private func outer(_ depth: StackCapture.Depth) -> [UInt64] {
    let frames = middle(depth)
    return withExtendedLifetime(depth) { frames }
  }

  @Test("has the same callers by libunwind and by frame pointers")
  func agreement() throws {
    try #require(StackCapture.hasUnwinder)
    // One call for both, so that the return addresses are the same from `inner` on.
    let stacks = ([.full, .shallow] as [StackCapture.Depth]).map { outer($0) }
    let own = stacks.map { stack in
      Array(stack.drop { !stacks[0].contains($0) || !stacks[1].contains($0) })
    }
    let common = min(own[0].count, own[1].count)
    #expect(common >= 6)
    #expect(own[0].prefix(common) == own[1].prefix(common))
    // What differs is the layer's own.
    #expect(stacks.map(\.count)[0] - own[0].count <= 3)
    #expect(stacks.map(\.count)[1] - own[1].count <= 2)
  }

  @Test("is seen through a C callback by libunwind")
  func throughC() throws {
    try #require(StackCapture.hasUnwinder)
    var direct: [UInt64] = []
    onThread {
      direct = inner(.full)
      var numbers = [2, 1]
      qsort(&numbers, 2, MemoryLayout<Int>.size) { _, _ in
        Captured.full = StackCapture.frames(.full).map(\.address)
        Captured.shallow = StackCapture.frames(.shallow).map(\.address)
        return 0
      }
    }
    // Below the body of the thread both are the same: the thread's own start.
    let start = direct.suffix(3)
    #expect(Captured.full.suffix(3) == start)
    #expect(Captured.full.count > Captured.shallow.count)
    #expect(Captured.full.count > direct.count)
  }

  @inline(never)
  private func recurse(_ count: Int, _ depth: StackCapture.Depth) -> [UInt64] {
    if count == 0 { return inner(depth) }
    let frames = recurse(count - 1, depth)
    return withExtendedLifetime(count) { frames }
  }

  @Test("of a deep recursion is cut at its outer end", arguments: [64, 16])
  func deepRecursion(capacity: Int) throws {
    try #require(StackCapture.hasUnwinder)
    let frames = recurse(1_000, capacity == 64 ? .full : .shallow)
    #expect(frames.count == capacity)
    let repeated = try #require(frames.last)
    #expect(frames.filter { $0 == repeated }.count >= capacity - 6)
    #expect(frames.drop { $0 != repeated }.allSatisfy { $0 == repeated })
  }

  @Test("fits the capacity whatever that is", arguments: 0...70)
  func capacity(_ capacity: Int) {
    let untouched = UInt(0x5a5a)
    for capture in [kvos_capture_stack, kvos_capture_frame_pointers] {
      var frames = [UInt](repeating: untouched, count: 80)
      let count = frames.withUnsafeMutableBufferPointer { buffer in
        buffer.baseAddress.map { Int(capture($0, Int32(capacity))) } ?? -1
      }
      #expect((0...capacity).contains(count))
      #expect(count > 0 || capacity == 0)
      #expect(frames.dropFirst(capacity).allSatisfy { $0 == untouched })
    }
  }

  @Test("is captured on a thread with a tiny stack")
  func tinyStack() throws {
    try #require(StackCapture.hasUnwinder)
    // Sixteen kilobytes are the least that a thread may have; of them, a page and the thread-local
    // storage are gone before it begins.
    // A sanitizer needs more for itself.
    let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil
    for byteCount in (isSanitized ? [512] : [64, 32, 16]).map({ $0 * 1024 }) {
      var full = 0
      var shallow = 0
      onThread(stackByteCount: byteCount) {
        withUnsafeTemporaryAllocation(of: UInt.self, capacity: 64) { buffer in
          guard let base = buffer.baseAddress else { return }
          full = Int(kvos_capture_stack(base, 64))
          shallow = Int(kvos_capture_frame_pointers(base, 64))
        }
      }
      #expect(full >= 4)
      #expect(shallow >= 4)
    }
  }
}

/// What a C callback saw, which cannot capture anything.
private enum Captured {
  // Written on the one thread that sorts, read when that has ended.
  nonisolated(unsafe) static var full: [UInt64] = []
  nonisolated(unsafe) static var shallow: [UInt64] = []
}
