import KVORules
import Testing

/// The headings by which debuggers introduce the stack of a thread.
@Suite("Headings of threads") struct ThreadHeadingTests {
  /// Frames as Xcode copies them, without addresses that matter.
  private static func frames(_ names: String...) -> String {
    names.enumerated().map { "#\($0.offset)\t0x00000001a2b3c4d\($0.offset) in \($0.element) ()" }
      .joined(separator: "\n") + "\n"
  }

  private static let delivery = frames(
    "objc_msgSend",
    "NSKeyValueNotifyObserver",
    "NSKeyValueDidChange",
    "-[Meter setLevel:]"
  )
  private static let classPair = frames(
    "objc_registerClassPair",
    "_NSKVONotifyingCreateInfoWithOriginalClass",
    "-[NSKeyValueUnnestedProperty _isaForAutonotifying]"
  )
  private static let removal = frames(
    "__exceptionPreprocess",
    "objc_exception_throw",
    "-[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:]",
    "-[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:]",
    "-[GaugeView dealloc]"
  )
  private static let complaint = frames("NSKVODeallocateBreak", "NSKVODeallocate", "-[Meter stop]")

  @Test(
    "Xcode's heading says why the thread stopped",
    arguments: [
      ("Thread 1: EXC_BAD_ACCESS (code=1, address=0x18)\n" + delivery, "KVO008 ?.? < ?"),
      ("Thread 3, EXC_BAD_ACCESS (code=1)\n" + delivery, "KVO008 ?.? < ?"),
      ("Thread 1: Program received signal: \"EXC_BAD_ACCESS\".\n" + delivery, "KVO008 ?.? < ?"),
      ("Thread 1: EXC_BREAKPOINT (code=1, subcode=0x1)\n" + delivery, "KVO008 ?.? < ?"),
      ("Thread 1: signal SIGABRT\n" + removal, "KVO002 ?.? < ?"),
      ("Thread 1: breakpoint 1.1 (1)\n" + complaint, "KVO006 ?.? < ?"),
      ("Thread 1: breakpoint 2.1\n" + removal, "KVO002 ?.? < ?"),
    ]
  )
  func stopped(text: String, says: String) { #expect(Reading.summary(text) == [says]) }

  @Test(
    "Xcode's heading names the queue of the thread that it shows",
    arguments: [
      "Thread 1Queue : com.apple.main-thread (serial)",
      "Thread 1, Queue : com.apple.main-thread", "Thread 4 Queue : gauges (concurrent)",
    ]
  )
  func queue(heading: String) {
    let crash = "It crashes at launch.\n\n\(heading)\n"
    #expect(Reading.summary(crash + Self.classPair) == ["KVO030~ ?.? < ?"])
    #expect(Reading.summary(crash + Self.delivery) == ["KVO008~ ?.? < ?"])
    let access = "EXC_BAD_ACCESS (code=1, address=0x10)\n\(heading)\n"
    #expect(Reading.summary(access + Self.delivery) == ["KVO008 ?.? < ?"])
    // Nothing states a crash.
    #expect(Reading.summary("The callers of the setter:\n\(heading)\n" + Self.delivery) == [])
  }

  @Test("a thread of which no crash is stated, or whose own function is on top, is silent")
  func silent() {
    let own = Self.frames("-[GaugeView refresh]", "NSKeyValueNotifyObserver", "-[Meter setLevel:]")
    for heading in [
      "Thread 1: EXC_BAD_ACCESS (code=1, address=0x18)", "Thread 1: signal SIGABRT",
      "EXC_BAD_ACCESS\nThread 1Queue : com.apple.main-thread (serial)",
    ] {
      #expect(Reading.summary("\(heading)\n\(own)") == [])
    }
    // Other threads of a report and of a debugger's list.
    for heading in [
      "Thread 3:", "Thread 3:: Dispatch queue: gauges", "Thread 3:: Queue of gauges",
      "Thread 3: step over",
    ] {
      let text = "Thread 1: EXC_BAD_ACCESS (code=1)\n\(own)\n\(heading)\n\(Self.delivery)"
      #expect(Reading.summary(text) == [], "\(heading)")
    }
  }

  @Test("several threads are copied, and none is said to have crashed")
  func severalThreads() {
    func text(_ first: String, _ second: String) -> String {
      "EXC_BAD_ACCESS in the background\n\nThread 1Queue : com.apple.main-thread (serial)\n\(first)\n"
        + "Thread 5Queue : gauges (serial)\n\(second)\n"
    }
    let waits = Self.frames("mach_msg_trap", "CFRunLoopRunSpecific", "main")
    #expect(Reading.summary(text(waits, Self.delivery)) == [])
    #expect(Reading.summary(text(Self.delivery, waits)) == ["KVO008~ ?.? < ?"])
  }

  private static let debugger = """
    * thread #1: tid = 0x2a17c, 0x1a2b3c4d libobjc.A.dylib`objc_registerClassPair + 96, queue = \
    'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0x18)
        frame #0: 0x1a2b3c4d libobjc.A.dylib`objc_registerClassPair + 96
        frame #1: 0x2b00071a Foundation`_NSKVONotifyingCreateInfoWithOriginalClass + 80
        frame #2: 0x2b00070e Foundation`_NSKeyValueContainerClassGetNotifyingInfo + 52
    """

  /// `text` with its first line broken after `width` characters, or at the blank before.
  private static func broken(_ text: String, at width: Int, inWords: Bool) -> String {
    var lines = text.split(separator: "\n").map(String.init)
    var rest = Substring(lines.removeFirst())
    var parts: [Substring] = []
    while rest.count > width {
      let head = rest.prefix(width)
      let end = inWords ? head.endIndex : head.lastIndex(of: " ") ?? head.endIndex
      parts.append(rest[..<end])
      rest = rest[end...]
      if !inWords { rest = rest.drop { $0 == " " } }
    }
    parts.append(rest)
    return (parts.map(String.init) + lines).joined(separator: "\n")
  }

  @Test("the heading of a debugger's thread was wrapped", arguments: [72, 76, 80])
  func wrapped(width: Int) {
    for inWords in [true, false] {
      let text = Self.broken(Self.debugger, at: width, inWords: inWords)
      #expect(text != Self.debugger)
      #expect(Reading.summary(text) == ["KVO030 ?.? < ?"], "\(text)")
      let signal = Self.debugger.replacing(
        "EXC_BAD_ACCESS (code=1, address=0x18)",
        with: "signal SIGSEGV: an address was accessed that is not mapped"
      )
      #expect(
        Reading.summary(Self.broken(signal, at: width, inWords: inWords)) == ["KVO030 ?.? < ?"]
      )
      // At a breakpoint nothing crashed.
      let stopped = Self.debugger.replacing(
        "EXC_BAD_ACCESS (code=1, address=0x18)",
        with: "breakpoint 3.1, as in all the runs before"
      )
      #expect(Reading.summary(Self.broken(stopped, at: width, inWords: inWords)) == [])
    }
  }

  @Test("the words after the heading of another thread are not part of it")
  func otherThread() {
    let list = """
      * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1)
          frame #0: 0x1a2b3c4d Gauges`-[GaugeView refresh] + 96
        thread #2: tid = 0x2a17d, 0x1a2b3c4e libobjc.A.dylib`objc_msgSend + 16, queue = 'gauges'
          frame #0: 0x1a2b3c4e libobjc.A.dylib`objc_msgSend + 16
          frame #1: 0x1a2b3c4f Foundation`NSKeyValueNotifyObserver + 48
          frame #2: 0x1a2b3c50 Foundation`NSKeyValueDidChange + 52
      """
    #expect(Reading.summary(list) == [])
    #expect(Reading.summary(list.replacing("\n", with: "\n\n")) == [])
  }
}
