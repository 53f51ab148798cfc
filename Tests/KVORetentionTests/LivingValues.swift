import Foundation

@testable import RetentionProbe

/// Live values of types that other people wrote, in states that programs have them in.
///
/// A walk must come through all of them alive. The list stays as it is when it passes: types are added.
enum LivingValues {
  static let all: [(group: String, values: @Sendable () -> [Any])] =
    [
      ("numbers", numbers), ("texts", texts), ("collections", collections),
      ("lazy sequences", lazySequences), ("metatypes and paths", metatypes),
      ("optionals and errors", optionals), ("functions", functions),
      ("pointers", pointers), ("key paths", keyPaths), ("concurrency", concurrency),
      ("noncopyable", noncopyable), ("observation", observation), ("dispatch", dispatch),
      ("foundation values", foundationValues), ("foundation formats", foundationFormats),
      ("foundation objects", foundationObjects), ("foundation collections", foundationCollections),
      ("foundation files and processes", foundationFiles), ("coding", coding),
      ("regular expressions", expressions), ("simd", vectors), ("own", own),
      ("argument parser", argumentParser),
    ] + openCombineGroups

  private static func numbers() -> [Any] {
    [
      1, Int8(1), Int16(1), Int32(1), Int64(1), Int128(1), UInt(1), UInt8(1), UInt16(1), UInt32(1),
      UInt64(1), UInt128(1), 1.0, Float(1), Double.nan, true, 1..<2, 1...2, (...2), (2...), (..<2),
      stride(from: 0, to: 9, by: 2), stride(from: 0, through: 9, by: 2), Duration.seconds(1),
      ContinuousClock.now, SuspendingClock.now, ContinuousClock(), SuspendingClock(),
      SystemRandomNumberGenerator(), Hasher(), FloatingPointSign.minus,
      FloatingPointRoundingRule.up, FloatingPointClassification.quietNaN,
      ObjectIdentifier(Box.self),
      Never.self, (), (1, "two", 3.0), CollectionOfOne(1), EmptyCollection<Int>(),
    ]
  }

  private static func texts() -> [Any] {
    let long = String(repeating: "long enough for the heap ", count: 3)
    let scalar: Unicode.Scalar = "a"
    return [
      "", "short", long, long.dropFirst(3), long[...], Character("a"), Character("👨‍👩‍👧‍👦"), scalar,
      scalar.properties, long.utf8, long.utf16, long.unicodeScalars, long.startIndex, long.indices,
      long.makeIterator(), long.utf8.makeIterator(), Substring(long).utf8, StaticString("static"),
      DefaultStringInterpolation(literalCapacity: 1, interpolationCount: 1), Unicode.UTF8.self,
      Unicode.CanonicalCombiningClass.above, String.UnicodeScalarView(), long.split(separator: " "),
    ]
  }

  private static func collections() -> [Any] {
    let boxes = (0..<3).map { _ in Box(nil) }
    var removed = ["a": Box(nil), "b": Box(nil)]
    removed["a"] = nil
    var reserved: [Box] = []
    reserved.reserveCapacity(100)
    return [
      [Int](), [1, 2], ["a", "b"], boxes, [boxes], [Any](), [1, "a", boxes] as [Any],
      ContiguousArray(boxes), boxes[1...], ArraySlice<Int>(), reserved, [[[[1]]]],
      [Int: Int](), [1: 2], ["a": boxes], ["a": 1 as Any], removed, [1: [2: [3: boxes]]],
      ["a": boxes].keys, ["a": boxes].values, ["a": boxes].startIndex, ["a": boxes].makeIterator(),
      Set<Int>(), Set([1, 2]), Set(boxes), Set(boxes).makeIterator(), [boxes[0]: boxes],
      KeyValuePairs(dictionaryLiteral: ("a", boxes)), Repeated<Box>.self,
      repeatElement(boxes, count: 3),
      boxes.indices, boxes.makeIterator(), zip(boxes, [1, 2]), boxes.enumerated(), boxes.reversed(),
      [[1], [2]].joined(), [["a"], ["b"]].joined(separator: ["-"]),
      [1, 2, 3].difference(from: [1]), AnySequence(boxes), AnyCollection(boxes),
      AnyBidirectionalCollection(boxes), AnyRandomAccessCollection(boxes),
      AnyIterator(boxes.makeIterator()),
      AnyIndex.self, IndexingIterator<[Box]>.self, RangeSet(0..<2), boxes[0...1],
      [Optional(1), nil], [Optional(boxes[0]), nil], (0..<10).map { Int8($0) },
      [1.0, 2.0].prefix(1), Dictionary(grouping: boxes, by: { ObjectIdentifier($0) }),
    ]
  }

  private static func lazySequences() -> [Any] {
    let boxes = [Box(nil)]
    return [
      boxes.lazy, boxes.lazy.map { $0.value }, boxes.lazy.filter { $0.value == nil },
      boxes.lazy.compactMap { $0.value }, boxes.lazy.drop { $0.value == nil },
      boxes.lazy.prefix { $0.value == nil }, boxes.lazy.reversed(), boxes.lazy.enumerated(),
      boxes.lazy.flatMap { [$0] }, sequence(first: 1) { $0 < 9 ? $0 + 1 : nil },
      sequence(state: boxes) { $0.popLast() }, boxes.lazy.makeIterator(),
    ]
  }

  private static func metatypes() -> [Any] {
    [
      Int.self, Box.self, Holder.self, (any Owning).self, Any.self, AnyObject.self, [Int].self,
      (Int, Box).self, ((Int) -> Box).self, (any Owning).Type.self, type(of: Box(nil)) as Any.Type,
      MemoryLayout<Box>.self, Mirror(reflecting: Holder()), Mirror(reflecting: [1: "a"]),
      Box.self as AnyClass, Optional<Box>.self, ManagedBuffer<Int, Box>.self,
    ]
  }

  private static func optionals() -> [Any] {
    let nothing: Box? = nil
    let twice: Box?? = .some(nil)
    let error: any Error = Failure(owner: nil)
    return [
      nothing as Any, twice as Any, Optional(Box(nil)) as Any, Optional("a") as Any,
      Optional(Optional(1)) as Any, Optional<() -> Void>.none as Any,
      Optional<() -> Void>.some({}) as Any, error, Result<Int, any Error>.success(1),
      Result<Int, any Error>.failure(error), Result<Box, Never>.success(Box(nil)),
      CancellationError(),
      DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a")),
      EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "a")),
      AnyHashable(1), AnyHashable("a"), AnyHashable(Box(nil)), AnyHashable([1: "a"]),
      CocoaError(.fileNoSuchFile), POSIXError(.EPERM),
      NSError(domain: "a", code: 1, userInfo: ["box": Box(nil)]),
    ]
  }

  private static func pointers() -> [Any] {
    let numbers = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    numbers.initialize(to: 1)
    let boxes = UnsafeMutableBufferPointer<Box>.allocate(capacity: 1)
    boxes.initialize(repeating: Box(nil))
    let raw = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    return [
      numbers, UnsafePointer(numbers), boxes, UnsafeBufferPointer(boxes), raw,
      UnsafeRawPointer(raw), UnsafeMutableRawBufferPointer(start: raw, count: 8),
      UnsafeRawBufferPointer(start: raw, count: 8), OpaquePointer(raw),
      Unmanaged.passRetained(Box(nil)),
      UnsafeMutablePointer<Box>(bitPattern: 8) as Any, OpaquePointer(bitPattern: 1) as Any,
      UnsafeRawPointer(bitPattern: UInt.max) as Any, Buffer.create(minimumCapacity: 3) { _ in 1 },
      NumberBuffer.create(minimumCapacity: 3) { _ in 1 }, UnsafeMutablePointer<CInt>.self,
      CVaListPointer.self,
    ]
  }

  private static func keyPaths() -> [Any] {
    let path: AnyKeyPath = \Holder.object
    return [
      \Holder.count, \Holder.plainPair.owner, \Holder.models[3], \Holder.byName["a"]?.count,
      \[Box: Int].[Box(nil)], \Holder.wrapped, \String.count, \Holder.pair?.number, path,
      \Holder.tuple.1, \Holder.self, (\Holder.object).appending(path: \.self),
      \GenericNode<Box>.value,
    ]
  }

  private static func concurrency() -> [Any] {
    let (stream, continuation) = AsyncStream.makeStream(of: Box.self)
    continuation.yield(Box(nil))
    let (throwing, throwingContinuation) = AsyncThrowingStream.makeStream(of: Box.self)
    continuation.onTermination = { _ in }
    return [
      stream, continuation, throwing, throwingContinuation, stream.makeAsyncIterator(),
      AsyncStream<Int> { nil }, stream.map { $0 }, stream.filter { _ in true }, Task { 1 },
      Task.detached { Box(nil).hashValue }, Task<Void, any Error> { throw CancellationError() },
      TaskPriority.high, Worker(), MainActor.shared, MainActor.self, TaskLocal(wrappedValue: 1),
      Task { try? await Task.sleep(nanoseconds: 1 << 50) },
      UnsafeContinuation<Void, Never>.self, stream.prefix(1), stream.dropFirst(),
    ]
  }

  private static func expressions() -> [Any] {
    let regex = /a(b*)c/
    let match = "abbc".firstMatch(of: regex)
    return [
      regex, match as Any, "abc".ranges(of: regex),
      (try? NSRegularExpression(pattern: "a+")) as Any,
      "abbc".matches(of: regex), (try? Regex("b")) as Any,
    ]
  }

  private static func vectors() -> [Any] {
    [
      SIMD2<Int>(1, 2), SIMD3<Float>(1, 2, 3), SIMD4<Double>(), SIMD8<UInt8>(), SIMD16<Int8>(),
      SIMD32<UInt8>(),
      SIMD64<UInt8>(), SIMDMask<SIMD4<Int32>>(), [SIMD4<Float>()],
    ]
  }
}
