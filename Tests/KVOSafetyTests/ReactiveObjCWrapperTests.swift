import Testing

@testable import KVOSafety

// Scenarios of ReactiveObjCTests/RACKVOWrapperSpec.m in ReactiveCocoa/ReactiveObjC (1af6617), with what that file
// expects. Only streams notify when a weak value is deallocated: `transitions(of:)` stands for the block there.

/// A key path with a weak reference, and the reference's position.
enum WeakShape: String, CaseIterable, Sendable {
  case simple = "linkedMark"
  case last = "next.linkedMark"
  case intermediate = "linked.mark"

  var keyPath: KeyPath<Chain, Mark?> {
    switch self {
    case .simple: \.linkedMark
    case .last: \.next?.linkedMark
    case .intermediate: \.linked?.mark
    }
  }

  /// Sets the weak reference.
  ///
  /// - Returns: an object that is kept nowhere else.
  func set(on target: Chain) -> AnyObject {
    let mark = Mark()
    switch self {
    case .simple: target.linkedMark = mark
    case .last: target.next?.linkedMark = mark
    case .intermediate:
      let chain = Chain(mark: mark)
      target.linked = chain
      return chain
    }
    return mark
  }
}

@Suite("ReactiveObjC's scenarios of weak references on a path")
struct ReactiveObjCWrapperTests {
  private let target = Chain(next: Chain())
  private let listener = Listener()

  private func count(_ body: () -> Void) -> [Int] {
    listener.heard = []
    body()
    let priorCount = listener.heard.filter { $0.contains("prior") }.count
    return [priorCount, listener.heard.count - priorCount]
  }

  @Test("at first nothing or once, twice a change, none after it", arguments: WeakShape.allCases)
  func notifications(shape: WeakShape) {
    let path = shape.rawValue
    var kept: [AnyObject] = []
    let added = count { target.addObserver(listener, forKeyPath: path, options: [.prior]) }
    #expect(added == [0, 0])
    for _ in 0..<2 {
      let changed = count { kept.append(shape.set(on: target)) }
      #expect(changed == [1, 1])
    }
    target.removeObserver(listener, forKeyPath: path)
    let ended = count { kept.append(shape.set(on: target)) }
    #expect(ended == [0, 0])
    let initial = count {
      target.addObserver(listener, forKeyPath: path, options: [.prior, .initial])
    }
    #expect(initial == [0, 1])
    target.removeObserver(listener, forKeyPath: path)
    withExtendedLifetime(kept) {}
  }

  @Test("the old value before a change, and then the new one", arguments: WeakShape.allCases)
  func values(shape: WeakShape) {
    let first = shape.set(on: target)
    let old = target[keyPath: shape.keyPath]
    var seen: [Mark?] = []
    var areBefore: [Bool] = []
    let token = target.observe(keyPath: shape.rawValue, options: [.prior]) { target, change in
      areBefore.append(change.isPrior)
      seen.append(target[keyPath: shape.keyPath])
    }
    let second = shape.set(on: target)
    token.invalidate()
    #expect(areBefore == [true, false])
    let new = target[keyPath: shape.keyPath]
    #expect(seen.count == 2 && old !== new)
    #expect(seen.first.flatMap(\.self) === old)
    #expect(seen.last.flatMap(\.self) === new)
    withExtendedLifetime((first, second)) {}
  }

  /// What brought a change about, as text: the values themselves would be kept alive.
  private func next(
    _ changes: inout ObservedValues<ObservedTransition<Mark?>>.AsyncIterator
  ) async -> String? {
    guard let next = await changes.next() else { return nil }
    let cause = next.wasCausedByDeallocation ? "dealloc" : "set"
    return "\(cause) \(next.affectedOnlyLastPart ? "last" : "path")"
  }

  @Test(
    "a weak reference that is deallocated is reported once, as a deallocation",
    arguments: WeakShape.allCases
  )
  func deallocation(shape: WeakShape) async {
    var changes: ObservedValues<ObservedTransition<Mark?>>.AsyncIterator
    do {
      let target = Chain(next: Chain())
      changes = target.transitions(of: shape.keyPath, options: [.new]).makeAsyncIterator()
      for _ in 0..<2 {
        var kept: AnyObject? = shape.set(on: target)
        let cause = await next(&changes)
        #expect(cause == (shape == .intermediate ? "set path" : "set last"))
        withExtendedLifetime(kept) {}
        kept = nil
        let death = await next(&changes)
        #expect(death?.hasPrefix("dealloc") == true)
      }
      withExtendedLifetime(target) {}
    }
    let end = await next(&changes)
    #expect(end == nil)
  }

  @Test("the value that was there at first is reported when it is deallocated")
  func deallocationOfInitialValue() async {
    var mark: Mark? = Mark()
    target.linkedMark = mark
    var changes = target.transitions(of: \.linkedMark, options: []).makeAsyncIterator()
    withExtendedLifetime(mark) {}
    mark = nil
    let death = await next(&changes)
    #expect(death == "dealloc last")
  }
}
