import CKVORecorder
import CKVOUnwind
import Foundation
import ProbeC
import TestSupport
import Testing

@Suite("A stack")
struct StackCaptureTests {
  /// One stack by all methods, captured at one call site.
  private struct Views {
    /// The ids of two full captures and one shallow one.
    var ids: [UInt32] = []
    var unwound: [UInt64] = []

    @inline(never)
    static func ofCaller() -> Views {
      var views = Views()
      // One call for all, so that the return addresses are the same in each.
      for way in 0..<3 { views.ids.append(kvos_capture_stack_id(way < 2)) }
      var frames = [UInt](repeating: 0, count: 200)
      let count = frames.withUnsafeMutableBufferPointer { buffer in
        buffer.baseAddress.map { Int(kvos_capture_stack($0, 200)) } ?? 0
      }
      views.unwound = frames.prefix(count).map(UInt64.init)
      return views
    }

    /// From the caller of the capture on: the frames inside differ by its call.
    var full: ArraySlice<UInt64> { CapturedStack.frames(ids[0]).dropFirst() }
    var shallow: ArraySlice<UInt64> { CapturedStack.frames(ids[2]).dropFirst() }

    /// Whether the full stack is that of libunwind, cut to 64 frames.
    var isAsUnwound: Bool {
      guard let first = full.first, let start = unwound.firstIndex(of: first) else { return false }
      return Array(unwound[start...].prefix(63)) == Array(full)
    }
  }

  @inline(never)
  private func recurse(_ count: Int) -> Views {
    if count == 0 { return Views.ofCaller() }
    let views = recurse(count - 1)
    return withExtendedLifetime(count) { views }
  }

  @Test("is that of libunwind, and repeated has the same id", arguments: [0, 1, 10, 30])
  func agreement(depth: Int) throws {
    try #require(kvos_open_unwinder() != 0)
    var ids: Set<UInt32> = []
    for _ in 0..<3 {
      let views = recurse(depth)
      #expect(views.isAsUnwound)
      #expect(views.full.count > depth)
      #expect(views.shallow.count <= 15)
      #expect(views.full.starts(with: views.shallow) || views.shallow.count < 15)
      ids.formUnion(views.ids.prefix(2))
      // One captures from the loop, and one by one turn more of it.
      #expect(views.ids[0] == views.ids[1])
    }
    #expect(ids.count == 1)
  }

  @Test("of a deep recursion is cut at its outer end", arguments: [70, 1_000])
  func deepRecursion(depth: Int) throws {
    try #require(kvos_open_unwinder() != 0)
    let views = recurse(depth)
    #expect(views.isAsUnwound)
    #expect(CapturedStack.frames(views.ids[0]).count == 64)
    #expect(CapturedStack.frames(views.ids[2]).count == 16)
    #expect(Set(views.full.dropFirst(3)).count == 1)
    #expect(recurse(depth).ids == views.ids)
  }

  @Test(
    "distinguishes two calls that frame pointers do not",
    .enabled(if: !Tool.isSanitized, "sanitizers have a qsort() of their own")
  )
  func throughC() throws {
    try #require(kvos_open_unwinder() != 0)
    onThread {
      // Often enough for their places to be learned, and for that to be given up: both lie at the same.
      for _ in 0..<40 {
        SortedViews.found = []
        probe_call_within_sorts { SortedViews.found.append(Views.ofCaller()) }
        let found = SortedViews.found
        #expect(found.count == 2)
        #expect(found.allSatisfy { $0.isAsUnwound })
        guard found.count == 2 else { return }
        #expect(found[0].ids[0] != found[1].ids[0])
        let pairs = Array(zip(found[0].full, found[1].full))
        #expect(found[0].full.count == found[1].full.count)
        #expect(pairs.count { $0 != $1 } == 1)
        SortedViews.ids.formUnion(found.map { $0.ids[0] })
      }
    }
    // The same two, each time.
    #expect(SortedViews.ids.count == 2)
  }

  @Test(
    "that comes again and again through C is found where it was, until another is there",
    .enabled(if: !Tool.isSanitized, "sanitizers have a qsort() of their own")
  )
  func again() throws {
    try #require(kvos_open_unwinder() != 0)
    onThread {
      RepeatedViews.isOneAlone = true
      for _ in 0..<20 { probe_call_within_sorts { RepeatedViews.note() } }
      RepeatedViews.isOneAlone = false
      for _ in 0..<20 { probe_call_within_sorts { RepeatedViews.note() } }
      let found = RepeatedViews.found
      #expect(found.count == 60)
      #expect(found.allSatisfy { $0.isAsUnwound })
      // The callback of the first sort, by what it was called from.
      #expect(Set(found.prefix(20).map { $0.ids[0] }).count == 1)
      #expect(Set(found.dropFirst(20).map { $0.ids[0] }).count == 2)
    }
  }

  /// A shallow stack, and the frame pointers that it is to follow.
  @inline(never)
  private func shallowAndPointers() -> (id: UInt32, told: [UInt64], pointers: [UInt64]) {
    let id = kvos_capture_stack_id(false)
    var frames = [UInt](repeating: 0, count: 16)
    let count = Int(kvos_capture_frame_pointers(&frames, 16))
    // The first is the return address in this function.
    let pointers = frames.prefix(count).dropFirst().map(UInt64.init)
    return (id, Array(CapturedStack.frames(id).dropFirst()), pointers)
  }

  @inline(never)
  private func shallow(
    _ isLeft: Bool,
    depth: Int
  ) -> (id: UInt32, told: [UInt64], pointers: [UInt64]) {
    if depth > 0 { return shallow(isLeft, depth: depth - 1) }
    // The frame of the callee has the same address for every caller.
    if isLeft { return shallowAndPointers() }
    return shallowAndPointers()
  }

  @Test("that is shallow is that of the frame pointers, also when another was at the same frame")
  func shallowAgain() {
    onThread {
      var ids: [Int: Set<UInt32>] = [:]
      for round in 0..<60 {
        let depth = round % 4 * 5
        let isLeft = round % 3 == 0
        let seen = shallow(isLeft, depth: depth)
        #expect(seen.told == seen.pointers)
        #expect(seen.told.count == min(15, seen.pointers.count))
        ids[depth * 2 + (isLeft ? 1 : 0), default: []].insert(seen.id)
      }
      // One name for each call site and depth, except where the difference is cut off at the outer end.
      #expect(ids.values.allSatisfy { $0.count == 1 })
      #expect(Set(ids.values.flatMap(\.self)).count >= 6)
    }
  }

  @Test("has its return addresses where libunwind says", .enabled(if: Self.isSupported))
  func slots() {
    var frames = [UInt](repeating: 0, count: 40)
    var slots = [UInt](repeating: 0, count: 40)
    let count = Int(kvos_capture_slots(&frames, &slots, 40))
    #expect(count > 2)
    // The first is in the function's own frame, which no longer exists.
    for at in 1..<max(count, 1) {
      let slot = UnsafePointer<UInt>(bitPattern: slots[at])
      #expect(slot?.pointee == frames[at])
    }
    #expect(kvos_distance_from_stack_end(slots[1]) > 0)
    #expect(kvos_distance_from_stack_end(16) == 0)
  }

  #if arch(x86_64)
  private static let isSupported = kvos_open_unwinder() != 0
  #else
  private static let isSupported = false
  #endif

  @Test("has one id on all threads that are at one call site")
  func threads() throws {
    let seen = Seen()
    onThreads(count: 8) { _ in
      for _ in 0..<100 {
        let views = recurse(5)
        seen.note(views.ids[0], isRight: views.isAsUnwound)
      }
    }
    #expect(seen.ids.count == 1)
    #expect(seen.wrongCount == 0)
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
    try #require(kvos_open_unwinder() != 0)
    // Sixteen kilobytes are the least that a thread may have; of them, a page and the thread-local
    // storage are gone before it begins.
    // A sanitizer needs more for itself.
    for byteCount in (Tool.isSanitized ? [512] : [64, 32, 16]).map({ $0 * 1024 }) {
      var full = 0
      var shallow = 0
      onThread(stackByteCount: byteCount) {
        // The second time it determines where the addresses are, the third time it looks there.
        for _ in 0..<3 { full = CapturedStack.frames(kvos_capture_stack_id(true)).count }
        shallow = CapturedStack.frames(kvos_capture_stack_id(false)).count
      }
      #expect(full >= 4)
      #expect(shallow >= 4)
    }
  }

  @Test(
    "on another stack ends where frame pointers lead to no memory",
    .enabled(if: !Tool.isSanitized, "a sanitizer knows the stacks of threads alone")
  )
  func otherStack() {
    for _ in 0..<3 {
      let isDone = probe_call_on_other_stack {
        for isFull in [false, true] { _ = kvos_capture_stack_id(isFull) }
      }
      #expect(isDone != 0)
    }
  }

  /// What a C callback saw, which cannot capture anything.
  private enum SortedViews {
    // Written on the one thread that sorts, read when that has ended.
    nonisolated(unsafe) static var found: [Views] = []
    nonisolated(unsafe) static var ids: Set<UInt32> = []
  }

  /// The same, of another test.
  private enum RepeatedViews {
    nonisolated(unsafe) static var found: [Views] = []
    nonisolated(unsafe) static var isOneAlone = false
    nonisolated(unsafe) static var callCount = 0

    /// Notes every call, or every other, which is that of the first sort.
    static func note() {
      callCount += 1
      if isOneAlone, callCount % 2 == 0 { return }
      found.append(Views.ofCaller())
    }
  }

  private final class Seen {
    private let lock = NSLock()
    private(set) var ids: Set<UInt32> = []
    private(set) var wrongCount = 0

    func note(_ id: UInt32, isRight: Bool) {
      lock.withLock {
        ids.insert(id)
        if !isRight { wrongCount += 1 }
      }
    }
  }
}
