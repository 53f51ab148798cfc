import KVORules
import Testing

/// Stacks whose lines were prefixed, quoted, wrapped or put into a table.
@Suite("Damaged stacks") struct DamagedStackTests {
  private static let bad = """
    Exception Type: EXC_BAD_ACCESS (SIGSEGV)
    Thread 0 Crashed:
    0   libobjc.A.dylib   0x00000001b290e4ac objc_msgSend + 16
    1   Foundation        0x00000001b2faa5f8 NSKeyValueNotifyObserver + 292
    2   Foundation        0x00000001b2fa8120 NSKeyValueDidChange + 328
    3   Gauges            0x00000001022361cc -[Meter setLevel:] + 44
    """

  private static let raised = """
    Last Exception Backtrace:
    0   CoreFoundation   0x187ec8878 __exceptionPreprocess + 220 (NSException.m:199)
    1   libobjc.A.dylib  0x19c3cec50 objc_exception_throw + 60 (objc-exception.mm:565)
    2   Foundation       0x1891ed7bc -[NSObject(NSKeyValueObserving) observeValueForKeyPath:ofObject:change:context:] + 264
    3   Foundation       0x1891ed8e0 NSKeyValueNotifyObserver + 292
    4   Gauges           0x10223d540 -[Meter setLevel:] + 24 (Meter.m:16)
    """

  private static func own(_ text: String) -> String? {
    Reading.findings(text).first?.stacks.first?.frames.first(where: \.isFirstOwn)?.symbol
  }

  private static func lines(_ text: String, _ change: (String) -> String) -> String {
    text.split(separator: "\n").map { change(String($0)) }.joined(separator: "\n")
  }

  @Test(
    "each line has the prefix of a log",
    arguments: [
      "2021-03-04 10:11:12.345678+0100 Gauges[1234:56789] ",
      "2021-03-04 10:11:12.345 Gauge Kit[1234:303] [general] ",
      "2023-01-01T00:00:00.1234567Z ", "[10:11:12]: ▸ ", "[10:11:12.123] [ios] ",
      "Mar  4 10:11:12 iPhone Gauges(Foundation)[1234] <Error>: ",
    ]
  )
  func prefixes(prefix: String) {
    let bad = Self.lines(Self.bad) { prefix + $0 }
    #expect(Reading.summary(bad) == ["KVO008 ?.? < ?"])
    #expect(Self.own(bad) == "-[Meter setLevel:]")
    let raised = Self.lines(Self.raised) { prefix + $0 }
    #expect(Reading.summary(raised) == ["KVO017 ?.? < ?"])
    #expect(Self.own(raised) == "-[Meter setLevel:]")
  }

  @Test("names of functions that a program logs are no stack")
  func loggedNames() {
    let time = "2021-03-04 10:11:12.345 Gauges[1:2] "
    let text = """
      \(time)An instance 0x2b0 of class Meter was deallocated while key value observers were still \
      registered with it. Current observation info: <NSKeyValueObservationInfo 0x9> (
      <NSKeyValueObservance 0x8: Observer: 0x7f10, Key path: level, Options: <New: YES, Old: NO, \
      Prior: NO> Context: 0x0, Property: 0x6>
      )
      \(time)-[MeterView viewDidLoad]
      \(time)-[MeterView viewWillAppear:]
      """
    #expect(Reading.summary(text) == ["KVO006 Meter.level < ?"])
    #expect(Self.own(text) == nil)
  }

  @Test("several crashes are in one text, without the heads of their reports")
  func several() {
    let own = Self.bad.replacing("NSKeyValueNotifyObserver", with: "-[Meter read]")
    let killed = """
      Exception Type:  EXC_CRASH (SIGKILL)
      Termination Reason: Namespace SPRINGBOARD, Code 0x8badf00d
      Thread 0 Crashed:
      0   libsystem_kernel.dylib   0x00000001b8e24b50 __ulock_wait + 8
      1   Gauges                   0x0000000185f08d98 -[Meter wait] + 56
      """
    for other in [own, killed] {
      #expect(Reading.summary(other) == [])
      #expect(Reading.summary("\(other)\n\nAnother one:\n\n\(Self.bad)") == ["KVO008 ?.? < ?"])
      #expect(Reading.summary("\(Self.bad)\n\nAnother one:\n\n\(other)") == ["KVO008 ?.? < ?"])
    }
    let service = "Crashed: com.apple.main-thread\n"
    let stacks = [own, Self.bad].map {
      $0.replacing("Thread 0 Crashed:\n", with: service).split(separator: "\n").dropFirst()
        .joined(separator: "\n")
    }
    #expect(
      Reading.summary("EXC_BAD_ACCESS\n" + stacks.joined(separator: "\n\n")) == ["KVO008 ?.? < ?"]
    )
  }

  @Test(
    "a quotation was made HTML, once or twice",
    arguments: ["&gt; ", "&amp;gt; ", "&gt; &gt; "]
  )
  func quotation(mark: String) {
    let bad = Self.lines(Self.bad) { mark + $0 }
    #expect(Reading.summary(bad) == ["KVO008 ?.? < ?"])
    #expect(Self.own(bad) == "-[Meter setLevel:]")
  }

  @Test("each line is a row of a table")
  func table() {
    let text = Self.lines(Self.raised) { "| \($0) |" }
    #expect(Reading.summary(text) == ["KVO017 ?.? < ?"])
    #expect(Self.own(text) == "-[Meter setLevel:]")
  }

  @Test("a line was wrapped between the words of a method")
  func wrapped() {
    let raised = Self.raised.replacing("(NSKeyValueObserving) ", with: "(NSKeyValueObserving)\n")
    #expect(Reading.summary(raised) == ["KVO017 ?.? < ?"])
    let bad = Self.bad.replacing(
      "NSKeyValueNotifyObserver + 292",
      with:
        "-[NSObject(NSKeyValueObservingPrivate)\n_changeValueForKeys:count:maybeOldValuesDict:usingBlock:] + 668"
    )
    #expect(Reading.summary(bad) == ["KVO008 ?.? < ?"])
    #expect(Self.own(bad) == "-[Meter setLevel:]")
  }
}
