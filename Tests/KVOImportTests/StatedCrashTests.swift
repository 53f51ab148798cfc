import KVOFindings
import Testing

/// Texts that state a crash in which no fault of observing is recognized.
@Suite("Stated crashes") struct StatedCrashTests {
  @Test(
    "a crash is stated after words, in a fence, by a debugger or a runtime",
    arguments: [
      "Exception Type: EXC_BAD_ACCESS (SIGBUS)\nThread 0 Crashed:\n0   libobjc.A.dylib  0x371a0694  objc_retain\n",
      "### Stack\n```\nCrashed: com.apple.main-thread\n0  libsystem_kernel.dylib  0xb1dc __pthread_kill + 8\n"
        + "1  Gauges  0x7b40 -[GaugeView show] + 268\n```\n",
      "Program received signal SIGSEGV, Segmentation fault.\n",
      "Terminating app due to uncaught exception 'NSUnknownKeyException', reason: '[<Meter 0x1a0> "
        + "valueForUndefinedKey:]: this class is not key value coding-compliant for the key level.'\n",
      "2018-08-11 20:07:34.183578+0530 Gauges[3249:92447] *** Terminating app due to uncaught exception "
        + "‘NSUnknownKeyException’, reason: ‘no such key’\n",
      "thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_INSTRUCTION (code=EXC_I386_INVOP)\n"
        + "   frame #0: 0x00000001108f1e0b CoreFoundation`___forwarding___ + 1243\n"
        + "   frame #1: 0x0000000106c2b450 Gauges`-[GaugeView show] at GaugeView.m:148\n",
      "Exception Type:  00000020\nException Codes: 0x8badf00d\n",
    ]
  )
  func stated(text: String) {
    for words in ["Hello\n\n", "It happens with observers:\n\n", "## Results\n\n```\n"] {
      let imported = Reading.imported(Array((words + text).utf8))
      #expect(imported.isCrash && imported.findings.isEmpty, "\(words)")
    }
  }

  @Test(
    "prose, comments and code that only have the words state no crash",
    arguments: [
      "Exception Type: EXC_BAD_ACCESS means that memory was not mapped\n",
      "Exception Type: ValueError\n",
      "the field Exception Type: EXC_BAD_ACCESS (SIGBUS) names the signal\n",
      "Crashed: see the log\n",
      "If it says Terminating app due to uncaught exception 'NSRangeException', look for the removal\n",
      "Terminating app due to uncaught exception 'NSRangeException' is what a runtime prints\n",
      "- (void)stop {\n  // Terminating app due to uncaught exception 'NSRangeException', reason: 'x'\n  [self end];\n}\n",
      "Program received signal SIGSEGV when it ended, says the manual\n",
      "Program received signal strength\n", "thread #1, stop reason = breakpoint 1.1\n",
    ]
  )
  func silent(text: String) {
    for words in ["Hello\n\n", "About NSKeyValueObserving:\n\n"] {
      #expect(!Reading.imported(Array((words + text).utf8)).isCrash, "\(words)")
    }
  }
}
