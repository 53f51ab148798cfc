import KVORules
import Testing

/// Logs of several processes, of which the system killed one, and another accessed unmapped memory.
@Suite("Killed processes") struct KilledProcessTests {
  private static let stop = """
    * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0x10)
      * frame #0: 0x00000001b0f99ec4 libobjc.A.dylib`objc_msgSend + 8
        frame #1: 0x0000000180f98604 Foundation`NSKeyValueNotifyObserver + 252
        frame #2: 0x0000000100f98604 Gauges`-[Meter setLevel:] at Meter.m:88

    """

  @Test("a process that was killed before or after says nothing of a bad access")
  func other() {
    let killed = "runner: sent SIGKILL to process 4711\n"
    #expect(Reading.summary(killed + Self.stop) == ["KVO008 ?.? < ?"])
    #expect(Reading.summary(Self.stop + killed) == ["KVO008 ?.? < ?"])
  }

  @Test(
    "a stack below the statement of a kill is none of a bad access",
    arguments: [
      ("EXC_BAD_ACCESS (code=1, address=0x10)", "signal SIGKILL"),
      ("EXC_BAD_ACCESS (code=1, address=0x10)", "EXC_BAD_ACCESS (SIGKILL)"),
    ]
  )
  func killed(reason: (old: String, new: String)) {
    let text = Self.stop.replacing(reason.old, with: reason.new)
    #expect(Reading.summary(text) == [])
    #expect(Reading.summary("It is EXC_BAD_ACCESS sometimes, and then:\n" + text) == [])
  }
}
