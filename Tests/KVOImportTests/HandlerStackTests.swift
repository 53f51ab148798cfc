import KVOFindings
import KVORules
import Testing

/// Stacks as handlers of crashes print them that are no part of Apple's systems.
@Suite("Stacks of other handlers") struct HandlerStackTests {
  private static let head = """
    =================================================================
    Got a SIGSEGV while executing native code. This usually indicates
    a fatal error in the mono runtime or one of the native libraries
    used by your application.
    =================================================================
    \tNative stacktrace:
    =================================================================

    """

  private static func mono(_ functions: [String], prefix: String = "") -> String {
    let frames = functions.enumerated().map { index, name in
      "\t0x10419f0\(index)0 - /Users/me/Gauges.app/lib\(index).dylib : \(name)\n"
    }
    return (head + frames.joined()).split(separator: "\n", omittingEmptySubsequences: false)
      .map { prefix + $0 + "\n" }.joined()
  }

  private static let handler = ["mono_handle_native_crash", "_sigtramp"]

  @Test(
    "the stack of Mono's handler is read",
    arguments: ["", "2024-03-01 10:11:12.123 Gauges[4711:1a] "]
  )
  func mono(prefix: String) {
    let functions = Self.handler + ["NSKeyValueNotifyObserver", "NSKeyValueDidChange", "main"]
    let imported = Reading.imported(Array(Self.mono(functions, prefix: prefix).utf8))
    #expect(imported.isCrash)
    #expect(imported.findings.map(Reading.summary) == ["KVO008 ?.? < ?"])
    let frames = imported.findings.first?.stacks.first?.frames ?? []
    #expect(frames.map(\.symbol) == functions)
  }

  private static func aborted(_ function: String) -> String {
    """
    Exception Type:  EXC_CRASH (SIGABRT)
    Thread 0 Crashed:
    0   libsystem_kernel.dylib    0x1b0f99ec4 __pthread_kill + 8
    1   libsystem_c.dylib         0x1b0e09844 abort + 124
    2   Gauges                    0x1049ca160 endGauges(int, __siginfo*, void*) + 36
    3   libsystem_platform.dylib  0x1b11a2d50 _sigtramp + 40
    4   libobjc.A.dylib           0x1b0eca24c \(function) + 16
    5   Foundation                0x1b0f6f304 NSKeyValueNotifyObserver + 44
    6   Gauges                    0x1b1100010 -[Meter setLevel:] + 32
    """
  }

  @Test("a handler that aborts handled a bad access if the runtime read an object")
  func abort() {
    #expect(Reading.summary(Self.aborted("objc_msgSend")) == ["KVO008 ?.? < ?"])
    #expect(Reading.summary(Self.aborted("__pthread_kill")) == [])
    #expect(Reading.summary(Self.aborted("objc_exception_rethrow")) == [])
  }

  @Test("a stack of Mono's handler without a function for observing is a crash without a fault")
  func other() {
    let text = Self.mono(Self.handler + ["free_small", "NSKeyValueDidChange"])
    let imported = Reading.imported(Array(text.utf8))
    #expect(imported.isCrash && imported.findings.isEmpty)
    let prose = "# Got a SIGSEGV while executing native code on my phone\n\nWith observers.\n"
    #expect(!Reading.imported(Array(prose.utf8)).isCrash)
  }

  private static func breakpad(_ top: String, reason: String = "EXC_BAD_ACCESS") -> String {
    let registers = """
          rax = 0x00000000000007a5   rdx = 0x0000000000000001
          rcx = 0x00007fc69d800348   rbx = 0x00000000000007a5
          rip = 0x00007fff5b83659d   rsp = 0x00007ffeeb7b2fe8
           r8 = 0x0000000000000001    r9 = 0x0000000000000001
          Found by: previous frame's frame pointer

      """
    return "Crash reason:  \(reason) / KERN_INVALID_ADDRESS\nCrash address: 0x7fc69c449d0\n\n"
      + "Thread 0 (crashed)\n 0  libobjc.A.dylib!objc_msgSend + 0x1d\n" + registers
      + " 1  \(top)\n" + registers + " 2  AppKit + 0x263bc\n" + registers
      + " 3  Gauge Works!-[Gauge setLevel:] [Gauge.mm : 51 + 0x22]\n" + registers
      + "\nThread 1\n 0  libsystem_kernel.dylib!mach_msg_trap + 0xa\n"
  }

  @Test("the stack that Breakpad's tools print is read, with its registers between the frames")
  func breakpad() {
    let text = Self.breakpad("Foundation!NSKeyValueNotifyObserver + 0x16c")
    let imported = Reading.imported(Array(text.utf8))
    #expect(imported.isCrash)
    #expect(imported.findings.map(Reading.summary) == ["KVO008 ?.? < ?"])
    let frames = imported.findings.first?.stacks.first?.frames ?? []
    #expect(
      frames.map(\.symbol)
        == ["objc_msgSend", "NSKeyValueNotifyObserver", nil, "-[Gauge setLevel:]"]
    )
    #expect(frames.last?.file == "Gauge.mm")
    #expect(frames.last?.line == 51)
    let other = Reading.imported(Array(Self.breakpad("AppKit!-[NSView draw] + 0x1").utf8))
    #expect(other.isCrash && other.findings.isEmpty)
  }
}
