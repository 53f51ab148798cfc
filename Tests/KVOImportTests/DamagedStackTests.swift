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

  @Test(
    "a frame is wrapped onto several lines, or inside the name of its file",
    arguments: [
      """
      Last Exception Backtrace:
      0   CoreFoundation                      0x187ec8878
      __exceptionPreprocess + 220 (NSException.m:199)
      1   libobjc.A.dylib                     0x19c3cec50 objc_exception_throw
      + 60 (objc-exception.mm:565)
      2   Foundation                          0x1891ed7bc
      -[NSObject(NSKeyValueObserving)
      observeValueForKeyPath:ofObject:change:context:] + 264
      (NSKeyValueObserving.m:1510)
      3   Foundation                          0x1891ed8e0
      NSKeyValueNotifyObserver + 292 (NSKeyValueObserving.m:428)
      4   Gauges                              0x10223d540
      -[Meter setLevel:] + 24 (Meter.m:16)
      """,
      """
      Last Exception Backtrace:
      0   CoreFoundation                  0x187ec8878 __exceptionPreprocess + 220 (NSEx
      ception.m:199)
      1   libobjc.A.dylib                 0x19c3cec50 objc_exception_throw + 60 (objc-e
      xception.mm:565)
      2   Foundation                      0x1891ed7bc -[NSObject(NSKeyValueObserving) o
      bserveValueForKeyPath:ofObject:change:context:] + 264 (NSKeyValueObserving.m:151
      0)
      3   Foundation                      0x1891ed8e0 NSKeyValueNotifyObserver + 292 (N
      SKeyValueObserving.m:428)
      4   Gauges                          0x10223d540 -[Meter setLevel:] + 24 (Meter.m:
      16)
      """,
    ]
  )
  func severalLines(text: String) {
    #expect(Reading.summary(text) == ["KVO017 ?.? < ?"])
    #expect(Self.own(text) == "-[Meter setLevel:]")
  }

  private static func own(_ text: String) -> String? {
    Reading.findings(text).first?.stacks.first?.frames.first(where: \.isFirstOwn)?.symbol
  }

  private static func lines(_ text: String, _ change: (String) -> String) -> String {
    text.split(separator: "\n").map { change(String($0)) }.joined(separator: "\n")
  }

  @Test(
    "ends of lines and tabs are shown, as by cat -A",
    arguments: ["$", "^M$", "^M", "\r$", "^M\r"]
  )
  func shownEnds(end: String) {
    let text = Self.raised.replacing("   ", with: end.contains("$") ? "^I" : "   ")
    let shown = text.split(separator: "\n").map { $0 + end }.joined(separator: "\n") + "\n"
    #expect(Reading.summary(shown) == ["KVO017 ?.? < ?"])
    #expect(Self.own(shown) == "-[Meter setLevel:]")
    let frames = Reading.findings(shown).first?.stacks.first?.frames
    #expect(frames?.last?.file == "Meter.m" && frames?.last?.line == 16)
  }

  @Test(
    "each line has the prefix of a log",
    arguments: [
      "2021-03-04 10:11:12.345678+0100 Gauges[1234:56789] ",
      "2021-03-04 10:11:12.345 Gauge Kit[1234:303] [general] ",
      "2023-01-01T00:00:00.1234567Z ", "[10:11:12]: ▸ ", "[10:11:12.123] [ios] ",
      "Mar  4 10:11:12 iPhone Gauges(Foundation)[1234] <Error>: ",
      "03-04 10:11:12.345  1234  5678 E Gauges: ", "03-04 10:11:12.345 E/Gauges  ( 1234): ",
      "2021-03-04 10:11:12.345  1234  5678 I Gauge Kit: ",
      "build (macos)\tRun tests\t2023-01-01T00:00:00.1234567Z ",
      "build\tRun tests\t\u{feff}2023-01-01T00:00:00.1234567Z ",
    ]
  )
  func prefixes(prefix: String) {
    let bad = Self.lines(Self.bad) { prefix + $0 }
    #expect(Reading.summary(bad) == ["KVO008 ?.? < ?"])
    #expect(Self.own(bad) == "-[Meter setLevel:]")
    let raised = Self.lines(Self.raised) { prefix + $0 }
    #expect(Reading.summary(raised) == ["KVO017 ?.? < ?"])
    #expect(Self.own(raised) == "-[Meter setLevel:]")
    let own = bad.replacing("NSKeyValueNotifyObserver", with: "-[Meter read]")
    #expect(Reading.summary(own) == [])
    let notice =
      "KVO failed to allocate class pair for name NSKVONotifying_Meter, automatic key-value observing will "
      + "not work for this class"
    #expect(Reading.summary(prefix + notice) == ["KVO030 Meter.? < ?"])
    #expect(Reading.summary("\(prefix)It says “\(notice)”.") == [])
    let words = """
      \(prefix)Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from
      \(prefix)<Meter 0x2b0> because it is not registered as an observer.
      """
    #expect(Reading.summary(words) == ["KVO002 Meter.level < GaugeView"])
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

  @Test("two frames of one number, as of an inlined function, are both kept")
  func repeatedNumber() throws {
    let text = """
      *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer \
      <Screen 0x7fa1> for the key path "level" from <Meter 0x7fb2> because it is not registered as an observer.'
      First throw call stack:
      0   CoreFoundation   0x00007fff23c4f02e __exceptionPreprocess + 350
      1   libobjc.A.dylib  0x00007fff50b97b20 objc_exception_throw + 48
      2   Foundation       0x00007fff25704baf -[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:] + 74
      3   Gauges           0x000000010e4a7ce2 -[Screen stop] (Screen.m:7)
      3   Gauges           0x000000010e4a7ce2 -[Outer run] (Outer.m:30)
      4   UIKitCore        0x000000010e4a7d00 -[UIView layoutSubviews] + 42
      """
    func symbols(_ text: String) throws -> [String] {
      let finding = try #require(Reading.findings(text).first)
      return finding.stacks.first?.frames.compactMap(\.symbol) ?? []
    }
    let removal = [
      "__exceptionPreprocess", "objc_exception_throw",
      "-[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:]", "-[Screen stop]",
    ]
    #expect(try symbols(text) == removal + ["-[Outer run]", "-[UIView layoutSubviews]"])
    // At another address, another stack begins.
    let apart = text.replacing("ce2 -[Outer", with: "ce3 -[Outer")
    #expect(try symbols(apart) == removal)
  }

  @Test("the name of a debugger's thread does not say that it crashed")
  func threadName() {
    let crashed = """
      * thread #1: tid = 0x4, name = 'DESIGN', stop reason = EXC_BAD_ACCESS (code=1, address=0x1c)
          frame #0: 0x000000019721b9ac libobjc.A.dylib`objc_msgSend + 16
          frame #1: 0x00000001978bbaf8 Foundation`NSKeyValueNotifyObserver + 48
          frame #2: 0x00000001978b94ec Gauges`-[Meter setLevel:] at Meter.m:12
      """
    #expect(Reading.summary(crashed) == ["KVO008 ?.? < ?"])
    func summary(stoppedBy reason: String) -> [String] {
      Reading.summary(crashed.replacing("EXC_BAD_ACCESS (code=1, address=0x1c)", with: reason))
    }
    #expect(summary(stoppedBy: "signal SIGSEGV") == ["KVO008 ?.? < ?"])
    #expect(summary(stoppedBy: "breakpoint 1.1") == [])
  }

  /// MMPlayerView#98 in a terminal of 80 columns: no name of a function is longer.
  @Test("the runtime's longest name was wrapped in its middle", arguments: [72, 80])
  func wrappedName(width: Int) {
    let text = """
      * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS
          frame #0: 0x000000019721b9ac libobjc.A.dylib`object_isClass + 16
          frame #1: 0x00000001978bbaf8 Foundation`KVO_IS_RETAINING_ALL_OBSERVERS_OF_THIS_OBJECT_\
      IF_IT_CRASHES_AN_OBSERVER_WAS_OVERRELEASED_OR_SMASHED + 48
          frame #2: 0x00000001978b94ec Foundation`NSKeyValueWillChange + 276
      """
    let wrapped = Self.lines(text) { line in
      var parts: [Substring] = []
      var rest = Substring(line)
      while !rest.isEmpty {
        parts.append(rest.prefix(width))
        rest = rest.dropFirst(width)
      }
      return parts.joined(separator: "\n")
    }
    #expect(Reading.summary(wrapped) == ["KVO008 ?.? < ?"])
  }

  @Test("a method was wrapped at a column, inside its name", arguments: [72, 76, 80])
  func wrappedMethod(width: Int) {
    let wrapped = Self.lines(Self.raised) { line in
      guard line.contains("observeValue") else { return line }
      return "\(line.prefix(width))\n\(line.dropFirst(width))"
    }
    #expect(wrapped != Self.raised)
    #expect(Reading.summary(wrapped) == ["KVO017 ?.? < ?"])
    #expect(Self.own(wrapped) == "-[Meter setLevel:]")
  }

  /// NetNewsWire#1481 in 80 columns: an operation's own observer crashed.
  @Test("an offset was wrapped onto a line, and is no frame")
  func wrappedOffset() {
    let text = """
      Exception Type: EXC_BAD_ACCESS (SIGSEGV)
      Thread 5 Crashed:
      0   Foundation   0x00000001b742f9cc __NSOQSchedule +
       248 (NSOperation.m:283)
      1   Foundation   0x00000001b7415e78 NSKeyValueNotifyObserver +
       136 (NSKeyValueObserving.m:401)
      2   Foundation   0x00000001b7415740 NSKeyValueDidChange + 152
      """
    #expect(Reading.summary(text) == [])
    let observed = text.replacing("__NSOQSchedule", with: "objc_msgSend")
    #expect(Reading.summary(observed) == ["KVO008 ?.? < ?"])
    #expect(
      Reading.findings(observed).first?.stacks.first?.frames.map(\.symbol)
        == ["objc_msgSend", "NSKeyValueNotifyObserver", "NSKeyValueDidChange"]
    )
  }

  @Test("a function was wrapped at a column, inside its name")
  func wrappedFunction() {
    let wrapped = Self.bad.replacing("NSKeyValueNotifyObserver", with: "NSKeyValueNotif\nyObserver")
    #expect(Reading.summary(wrapped) == ["KVO008 ?.? < ?"])
    #expect(Self.own(wrapped) == "-[Meter setLevel:]")
    let debugger = """
      * thread #1, stop reason = EXC_BAD_ACCESS (code=1, address=0x1c)
          frame #0: 0x000000019721b9ac libobjc.A.dylib`objc_msgSend + 16
          frame #1: 0x00000001978bbaf8 Foundation`NSKeyValueNotif
      yObserver + 48
          frame #2: 0x00000001978b94ec Gauges`main at main.m:12
      """
    #expect(Reading.summary(debugger) == ["KVO008 ?.? < ?"])
    let numbered = debugger.replacing("Notif\ny", with: "Notify").split(separator: "\n")
      .enumerated()
      .map { "\($0.offset + 1): \($0.element)" }.joined(separator: "\n")
    #expect(Reading.summary(numbered) == ["KVO008 ?.? < ?"])
  }

  @Test("a function without an offset was wrapped at a column, inside its name")
  func wrappedNameWithoutOffset() {
    let text = """
      Exception Type: EXC_BREAKPOINT (SIGTRAP)
      Thread 3 Crashed:
      0   libobjc.A.dylib                 0x31c20a838         object_getClass
      1   Foundation                      0x329a60850         _NSKeyValueObservationInfoGetObservances
      2   Foundation                      0x329a605b0         NSKeyValueWillChange
      3   Gauges                          0x10223d540         -[Meter setLevel:]
      """
    #expect(Reading.summary(text) == ["KVO008 ?.? < ?"])
    for width in [72, 76, 80, 86] {
      let wrapped = Self.lines(text) { line in
        line.count > width ? "\(line.prefix(width))\n\(line.dropFirst(width))" : line
      }
      #expect(wrapped != text)
      #expect(Reading.summary(wrapped) == ["KVO008 ?.? < ?"], "\(width)")
      #expect(Self.own(wrapped) == "-[Meter setLevel:]")
    }
    // A word between frames, a file below a frame and the frame after a gap are not the end of a name.
    let half = "_NSKeyValueObservationInfoGetObs"
    for (word, next) in [("ervances", "5  "), ("Meter.m:12", "2  "), ("ervances of it", "2  ")] {
      let other = text.replacing(
        "_NSKeyValueObservationInfoGetObservances",
        with: "\(half)\n\(word)"
      )
      .replacing("\n2  ", with: "\n\(next)")
      let symbols = Reading.findings(other).first?.stacks.first?.frames.compactMap(\.symbol) ?? []
      #expect(!symbols.contains { $0.hasPrefix("\(half)\(word.prefix(3))") }, "\(symbols)")
    }
  }

  @Test("each line was added in a diff", arguments: ["+", "+ "])
  func added(sign: String) {
    let raised = Self.lines(Self.raised) { sign + $0 }
    #expect(Reading.summary(raised) == ["KVO017 ?.? < ?"])
    #expect(Self.own(raised) == "-[Meter setLevel:]")
    let bad = Self.lines(Self.bad) { sign + $0 }
    #expect(Reading.summary(bad) == ["KVO008 ?.? < ?"])
  }

  /// RFC 2045, 6.7: a line of 76 bytes at most ends in an equals sign if it goes on.
  @Test("mail broke the lines and encoded bytes, with its header or without")
  func mail() {
    let text = """
      *** Terminating app due to uncaught exception 'NSRangeException', reason: =
      'Cannot remove an observer <GaugeView 0x7fd1c0d07a20> for the key path =
      =22leve=
      l=22 from=20
      <Meter 0x6000021f4e10> because it is not registered as an observer.'=C2=A0
      """
    let says = ["KVO002 Meter.level < GaugeView"]
    let header = "Content-Transfer-Encoding: quoted-printable\n\n"
    #expect(Reading.summary(header + text) == says)
    #expect(Reading.summary((header + text).replacing("\n", with: "\r\n")) == says)
    let broken = String(repeating: "x", count: 75) + "=\nx\n"
    #expect(Reading.summary(broken + text) == says)
    // The sentence is in the line of the input that its broken line begins with.
    let finding = Reading.findings(broken + text).first
    #expect(finding?.events == [3])
  }

  @Test("a list of registrations was wrapped before the colon of a key path")
  func wrappedColon() {
    let text = """
      An instance 0x2b0 of class Meter was deallocated while key value observers were still registered with it. \
      Current observation info: <NSKeyValueObservationInfo 0x9> (
      <NSKeyValueObservance 0x8: Observer: 0x7f10, Key path
      : level, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x6>
      )
      """
    #expect(Reading.summary(text) == ["KVO006 Meter.level < ?"])
    let name = text.replacing("Meter was", with: "Met\ner was")
    #expect(Reading.summary(name) == ["KVO006 Meter.level < ?"])
    let blank = text.replacing("class Meter was", with: "class\nMeter\nwas")
    #expect(Reading.summary(blank) == ["KVO006 Meter.level < ?"])
  }

  @Test("the level of a log's next line is no type of a key path")
  func levelAfterKeyPath() {
    let time = "May  6 07:08:09 iPhone Gauges[4711] <Notice>: "
    let text = """
      \(time)Foundation/NSObject.swift:246: Fatal error: Could not extract a String from KeyPath \\GaugeView.level
      \(time)
      """
    #expect(Reading.summary(text) == ["KVO029 GaugeView.level < ?"])
  }
}
