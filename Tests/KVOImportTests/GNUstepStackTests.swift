import KVOFindings
import KVORules
import Testing

/// Stacks of crashes in GNUstep's functions for observing.
@Suite("Stacks of GNUstep") struct GNUstepStackTests {
  private static func gdb(_ functions: [String]) -> String {
    "Program received signal SIGSEGV, Segmentation fault.\n(gdb) bt\n"
      + functions.enumerated().map { index, name in
        "#\(index)  0x00007ffff7a1b2\(index)0 in \(name) (self=0x55555578) at File.m:1193\n"
      }.joined()
  }

  @Test(
    "a bad access in a delivery of GNUstep's is one to a deallocated observer",
    arguments: [
      ["objc_msg_lookup", "-[GSKVOPathInfo notifyForKey:ofInstance:prior:]"],
      ["-[GSKVOPathInfo notifyForKey:ofInstance:prior:]"],
      ["objc_msg_lookup", "-[GSKVOInfo notifyForKey:ofChange:]"],
      [
        "get_implementation", "objc_msg_lookup", "_i_GSKVOPathInfo__notifyForKey_ofInstance_prior_",
      ],
      ["objc_msgSend", "_dispatchDidChange"],
    ]
  )
  func gnustep(top: [String]) {
    let text = Self.gdb(top + ["-[Meter setLevel:]", "main"])
    let findings = Reading.findings(text)
    #expect(findings.map(Reading.summary) == ["KVO008 ?.? < ?"])
    let isModern = top.last == "_dispatchDidChange"
    #expect(findings.first?.profile == (isModern ? .gnustepModern : .gnustep128))
    #expect(findings.first?.consequence == .crash)
    #expect(findings.first?.crashFacts?.exception == nil)
    let own = Self.gdb(["-[Dial observeValueForKeyPath:ofObject:change:context:]"] + top)
    #expect(Reading.summary(own) == [])
    #expect(Reading.imported(Array(own.utf8)).isCrash)
  }
}
