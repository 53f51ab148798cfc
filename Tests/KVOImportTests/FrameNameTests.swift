import KVOFindings
import KVORules
import Testing

/// The names of functions in frames, and what is in their place or after them.
@Suite("Names in frames") struct FrameNameTests {
  private static let raised = """
    Fatal Exception: NSRangeException
    Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not registered as an observer.
    0  CoreFoundation   0x1b0a5927c __exceptionPreprocess
    1  libobjc.A.dylib  0x1afc339f8 objc_exception_throw

    """

  private func frames(_ text: String) -> [Finding.StackFrame] {
    Reading.findings(text).first?.stacks.first?.frames ?? []
  }

  @Test(
    "a frame that says that its function is unknown does not continue in the next line",
    arguments: ["(Missing)", "<redacted> + 532", "<redacted>", "??? + 12", ""],
    [
      "Crashed: com.apple.main-thread", ")", "Please help me with this.",
      "libc++abi.dylib: terminating with uncaught exception of type NSException",
    ]
  )
  func missing(name: String, following: String) {
    let text = Self.raised + "2  Gauges  0x1b13ff430 -[GaugeView stop]\n"
    let last = frames(text + "3  UIKit  0x1b13ff431 \(name)\n\(following)\n")
    #expect(last.map(\.symbol).suffix(2) == ["-[GaugeView stop]", nil])
    #expect(last.last?.address == 0x1_b13f_f431)
  }

  @Test("a heading after such a frame begins another stack")
  func heading() {
    let text =
      Self.raised + """
        2  Gauges  0x1b13ff430 -[GaugeView stop]
        3  UIKit   0x1b13ff431 (Missing)
        Crashed: com.apple.main-thread
        0  libsystem_kernel.dylib  0x1b13ff432 __pthread_kill
        """
    #expect(frames(text).count == 4)
  }
}
