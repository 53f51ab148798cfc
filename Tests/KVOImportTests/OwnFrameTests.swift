import KVORules
import Testing

/// Which frame of a report is the first of the user's code.
@Suite("The first own frame") struct OwnFrameTests {
  private static func own(_ text: String) -> String? {
    Reading.findings(text).first?.stacks.first?.frames.first(where: \.isFirstOwn)?.symbol
  }

  private static let head = """
    Process:             Gauges [812]
    OS Version:          iPhone OS 15.4 (19E241)

    Exception Type:  EXC_CRASH (SIGABRT)
    Triggered by Thread:  0


    """

  private static let reason = """
    Application Specific Information:
    *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not registered as an observer.'


    """

  /// nugu-developers/nugu-ios#763.
  @Test(
    "a handler of uncaught exceptions is not what raised, with and without names",
    arguments: [
      ("__handleUncaughtException + 728", "_objc_terminate() + 128", "std::terminate() + 44"),
      ("0x1b1077000 + 1228112", "0x1b0ec4000 + 25164", "0x1b0f61000 + 56068"),
    ]
  )
  func handler(names: (handler: String, runtime: String, cxx: String)) {
    let text =
      Self.head + Self.reason + """
        Thread 0 Crashed:
        0   libsystem_kernel.dylib  0x00000001b0f99ec4 __pthread_kill + 8
        1   libsystem_c.dylib       0x00000001b0e09844 abort + 124
        2   Gauges                  0x00000001049ca160 -[CrashKeeper end:] + 220
        3   Gauges                  0x00000001047da000 gauges_exception_handler + 60
        4   CoreFoundation          0x00000001b11a2d50 \(names.handler)
        5   libobjc.A.dylib         0x00000001b0eca24c \(names.runtime)
        6   libc++abi.dylib         0x00000001b0f6f304 \(names.cxx)
        7   libdispatch.dylib       0x00000001b0d0a010 _dispatch_client_callout + 40
        8   CoreFoundation          0x00000001b1100010 __CFRunLoopRun + 2332
        """
    #expect(Reading.summary(text) == ["KVO002 Meter.level < GaugeView"])
    #expect(Self.own(text) == nil)
    let called = text + "\n9   Gauges                  0x00000001047db000 -[Gauge close] + 60"
    #expect(Self.own(called) == "-[Gauge close]")
  }

}
