import Dispatch
import Foundation
import Observation
import Synchronization

@testable import RetentionProbe

/// Live values of types that other people wrote, in states that programs have them in.
///
/// A walk must come through all of them alive. The list stays as it is when it passes: types are added.
enum LivingValues {
  static let all: [(group: String, values: @Sendable () -> [Any])] = [
    ("numbers", numbers), ("texts", texts), ("collections", collections),
    ("lazy sequences", lazySequences), ("metatypes and paths", metatypes),
    ("optionals and errors", optionals), ("functions", functions),
    ("pointers", pointers), ("key paths", keyPaths), ("concurrency", concurrency),
    ("noncopyable", noncopyable), ("observation", observation), ("dispatch", dispatch),
    ("foundation values", foundationValues), ("foundation formats", foundationFormats),
    ("foundation objects", foundationObjects), ("foundation collections", foundationCollections),
    ("foundation files and processes", foundationFiles), ("coding", coding),
    ("regular expressions", expressions), ("simd", vectors), ("own", own),
  ]

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

  private static func functions() -> [Any] {
    let box = Box(nil)
    let function: @convention(c) () -> Void = {}
    let asynchronous: @Sendable () async throws -> Int = { 1 }
    let typed: (Int) throws(Failure) -> Box = { _ in box }
    let inside: (inout [Box], Box) -> Void = { use(($0, $1)) }
    return [
      { use(box) } as () -> Void, HasBlock(box), function, asynchronous, typed, inside,
      box.hash(into:) as Any, Holder.init as () -> Holder,
      Int.init(_:radix:) as (String, Int) -> Int?,
      max as (Int, Int) -> Int, (+) as (Int, Int) -> Int, [{ use(box) }, {}] as [() -> Void],
      ["a": { use(box) }] as [String: () -> Void], ({ use(box) }, 1) as (() -> Void, Int),
      generic(box, box), associated(Holding(item: Holder()), []), pack(1, box),
      reabstracted { (_: Int) in box },
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

  private static func noncopyable() -> [Any] {
    let guarded = Guarded()
    guarded.state.withLock { $0 = Box(nil) }
    return [
      Guarded(), guarded, Counter(), HasNoncopyable(), HasNoncopyable(1), HasAtomics(),
      GenericNoncopyable<Box>(Box(nil)), GenericNoncopyable<Int>(1),
    ]
  }

  private static func observation() -> [Any] {
    let model = Observed()
    withObservationTracking {
      _ = model.name
    } onChange: { [weak model] in
      use(model)
    }
    return [model, Observed(), ObservationRegistrar()]
  }

  private static func dispatch() -> [Any] {
    let box = Box(nil)
    let source = DispatchSource.makeTimerSource()
    source.setEventHandler { use(box) }
    source.activate()
    source.cancel()
    let item = DispatchWorkItem { use(box) }
    return [
      DispatchQueue.main, DispatchQueue.global(), DispatchQueue(label: "a"),
      DispatchQueue(label: "b", attributes: .concurrent), DispatchGroup(),
      DispatchSemaphore(value: 0),
      item, source, DispatchTime.now(), DispatchWallTime.now(), DispatchTimeInterval.seconds(1),
      DispatchQoS.background, DispatchSpecificKey<Box>(), DispatchData.empty,
      DispatchQueue.Attributes(),
      DispatchWorkItemFlags(), DispatchTimeoutResult.success, DispatchPredicate.onQueue(.main),
    ]
  }

  private static func foundationValues() -> [Any] {
    let long = Data(repeating: 1, count: 1000)
    return [
      Data(), Data([1, 2]), long, long[10...], long.makeIterator(), Date(), Date.distantPast,
      UUID(),
      URL(filePath: "/tmp/a"), URL(string: "https://a.b/c?d#e") as Any,
      URLComponents(string: "a://b") as Any,
      URLQueryItem(name: "a", value: nil), Decimal(1.5),
      DateComponents(year: 2026), DateInterval(start: .distantPast, duration: 1), Calendar.current,
      Calendar(identifier: .hebrew), Locale.current, Locale(identifier: "de_CH"), TimeZone.current,
      TimeZone(secondsFromGMT: 60) as Any, IndexSet([1, 3]), IndexPath(indexes: [1, 2]),
      CharacterSet.letters,
      CharacterSet(charactersIn: "abc").inverted, NSRange(location: 1, length: 2),
      Notification(name: .init("a")),
      AffineTransform(), CGPoint(), CGSize(), CGRect(), PersonNameComponents(),
      AttributedString("a"),
      AttributeContainer(), Measurement(value: 1, unit: UnitLength.meters), UnitLength.meters,
      Locale.Language(identifier: "de"), Locale.Currency("CHF"), Predicate<Int>.self,
      Calendar.RecurrenceRule.self,
      AttributedString("b").characters, DateComponents(calendar: .current, day: 3),
      ProcessInfo.processInfo.environment,
    ]
  }

  private static func foundationFormats() -> [Any] {
    [
      DateFormatter(), NumberFormatter(), ByteCountFormatter(), DateIntervalFormatter(),
      ISO8601DateFormatter(),
      LengthFormatter(), MassFormatter(), EnergyFormatter(), Date.ISO8601FormatStyle(),
      IntegerFormatStyle<Int>(), FloatingPointFormatStyle<Double>(), Date.FormatStyle(),
      ListFormatStyle<Date.FormatStyle, [Date]>.self,
      Decimal.FormatStyle(), ByteCountFormatStyle(), Duration.UnitsFormatStyle.units(),
      Duration.TimeFormatStyle(pattern: .hourMinute),
    ]
  }

  private static func foundationObjects() -> [Any] {
    let box = Box(nil)
    let center = NotificationCenter()
    let observer = center.addObserver(forName: .init("a"), object: nil, queue: nil) { _ in use(box)
    }
    let operation = BlockOperation { use(box) }
    operation.completionBlock = { use(box) }
    let queue = OperationQueue()
    queue.isSuspended = true
    queue.addOperation(operation)
    queue.addOperation { use(box) }
    let progress = Progress(totalUnitCount: 3)
    progress.cancellationHandler = { use(box) }
    let thread = Thread { use(box) }
    return [
      NSObject(), NSNull(), NSLock(), NSRecursiveLock(), NSCondition(),
      NSConditionLock(condition: 1),
      center, observer, NotificationCenter.default, operation, queue, OperationQueue.main, progress,
      thread,
      Thread.current, RunLoop.current, Timer(timeInterval: 1, repeats: false) { _ in use(box) },
      NSCache<NSString, Box>(), NSNumber(value: 1), NSNumber(value: true), NSString("a"),
      NSMutableString("a"), NSAttributedString(string: "a"), NSMutableAttributedString(string: "a"),
      NSURL(string: "a:b") as Any, NSData(data: Data([1])), NSMutableData(), NSDate(), NSUUID(),
      NSValue(range: NSRange(location: 1, length: 1)), NSCalendar.current, NSLocale.current,
      NSTimeZone.default,
      NSCharacterSet.letters, NSIndexSet(index: 1), NSIndexPath(index: 1), UserDefaults.standard,
      Bundle.main,
      ProcessInfo.processInfo, Host.self,
      NSSortDescriptor(keyPath: \NSString.length, ascending: true),
      NSPredicate { _, _ in true },
      NSKeyedArchiver(requiringSecureCoding: false), Scanner(string: "a"),
      NSDecimalNumber(value: 1), NSRegularExpression.self, Dimension.self,
    ]
  }

  private static func foundationCollections() -> [Any] {
    let box = Box(nil)
    let counted = NSCountedSet()
    counted.add("a")
    let table = NSMutableDictionary()
    table["a"] = box
    return [
      NSArray(array: [box]), NSMutableArray(array: [box, "a"]), NSArray(),
      NSDictionary(dictionary: ["a": box]),
      table, NSSet(array: ["a"]), NSMutableSet(array: ["a"]), counted, NSOrderedSet(array: ["a"]),
      NSMutableOrderedSet(array: ["a"]), NSArray(array: [1, 2]).objectEnumerator(),
      table.keyEnumerator(),
    ]
  }

  private static func foundationFiles() -> [Any] {
    [
      FileManager.default, FileHandle.standardOutput, FileHandle.nullDevice, Pipe(), Process(),
      InputStream(data: Data([1])), OutputStream.toMemory(),
    ]
  }

  private static func coding() -> [Any] {
    let encoder = JSONEncoder()
    encoder.userInfo[CodingUserInfoKey(rawValue: "a").unsafelyUnwrapped] = "a"
    return [
      encoder, JSONDecoder(), PropertyListEncoder(), PropertyListDecoder(), JSONSerialization.self,
      CodingUserInfoKey(rawValue: "a") as Any, JSONEncoder.DateEncodingStrategy.custom { _, _ in },
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

  private static func own() -> [Any] {
    let holder = Holder()
    holder.tree = .node(.leaf, Holder(), .node(.leaf, nil, .leaf))
    holder.nested = .content(.existential(Big(owner: holder)))
    holder.object = holder
    return [
      holder, Tree.leaf, Content.none, Content.text("a"), Either.left(holder), Nested.nothing,
      OneCase.only(holder),
      Variadic(1, "a", holder), Variadic<Int>(1), GenericNode(holder), GenericList<Int>(nil),
      Swapped<Int, Box>(nil),
      opaqueOwner(holder), Everything.allCases, LargeEnum.text("a"),
      LargeEnum.wide(1, 2, 3, holder), EmptyStruct(),
      NoPayload.only, ExistentialHolder(), ViewModel(), Token {},
    ]
  }
}

// Nobody can have a block as a value of a generic type: the runtime itself ends the program there.
private final class HasBlock {
  let block: @convention(block) () -> Void
  var optional: (@convention(block) (Int) -> Int)?
  init(_ box: Box) {
    block = { use(box) }
    optional = { $0 + (box.value == nil ? 1 : 2) }
  }
}

private struct EmptyStruct {}
private enum NoPayload { case only }
private enum Everything: CaseIterable { case first, second, third }
private enum LargeEnum {
  case text(String), wide(Int, Int, Int, Holder), empty, any(Any), closure(() -> Void)
  case pair((Int8, Holder)), optional(Holder?), nested(NoPayload)
}
private struct ExistentialHolder {
  var any: Any = Small(owner: nil)
  var error: (any Error)? = CancellationError()
  var hashable: any Hashable = 1
  var sequence: any Sequence<Int> = [1, 2]
  var collection: any Collection<Box> & Sendable = Boxes()
  var type: any Any.Type = Int.self
  var object: any Drawable = Box(nil)
}
private struct Boxes: Collection, Sendable {
  var startIndex: Int { 0 }
  var endIndex: Int { 1 }
  func index(after index: Int) -> Int { index + 1 }
  subscript(position: Int) -> Box { Box(nil) }
}

private struct File: ~Copyable {
  var descriptor: Int32
  var box: Box?
  deinit { use(descriptor) }
}
private enum Handle: ~Copyable {
  case file(File)
  case none
}
private final class HasNoncopyable {
  var file: File?
  var handle: Handle = .none
  var number = 1
  init() {}
  init(_ descriptor: Int32) {
    file = File(descriptor: descriptor, box: Box(nil))
    handle = .file(File(descriptor: descriptor, box: Box(nil)))
  }
}
private final class HasAtomics {
  let number = Atomic<Int>(1)
  let flag = Atomic<Bool>(true)
  let pointer = Atomic<UnsafeRawPointer?>(nil)
  let lazily = AtomicLazyReference<Box>()
  let words = Atomic<WordPair>(WordPair(first: 1, second: 2))
  init() { _ = lazily.storeIfNil(Box(nil)) }
}
private struct Wrapper<Value>: ~Copyable { var value: Value }
private final class GenericNoncopyable<Value> {
  var wrapper: Wrapper<Value>
  init(_ value: Value) { wrapper = Wrapper(value: value) }
}

@Observable
private final class Observed: @unchecked Sendable {
  // Sendable: one test uses it.
  var name = "a"
  var box = Box(nil)
  @ObservationIgnored var ignored: Observed?
}
