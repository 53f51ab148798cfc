import Dispatch
import Foundation

@testable import RetentionProbe

/// Values of Foundation and Dispatch.
extension LivingValues {
  static func foundationValues() -> [Any] {
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

  static func foundationFormats() -> [Any] {
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

  static func foundationObjects() -> [Any] {
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

  static func foundationCollections() -> [Any] {
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

  static func foundationFiles() -> [Any] {
    [
      FileManager.default, FileHandle.standardOutput, FileHandle.nullDevice, Pipe(), Process(),
      InputStream(data: Data([1])), OutputStream.toMemory(),
    ]
  }

  static func coding() -> [Any] {
    let encoder = JSONEncoder()
    encoder.userInfo[CodingUserInfoKey(rawValue: "a").unsafelyUnwrapped] = "a"
    return [
      encoder, JSONDecoder(), PropertyListEncoder(), PropertyListDecoder(), JSONSerialization.self,
      CodingUserInfoKey(rawValue: "a") as Any, JSONEncoder.DateEncodingStrategy.custom { _, _ in },
    ]
  }

  static func dispatch() -> [Any] {
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
}
