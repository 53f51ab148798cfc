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

  private func stopped(_ function: String) -> String {
    """
    * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0x20)
      * frame #0: 0x000000018004c0a0 libobjc.A.dylib`objc_msgSend + 32
        frame #1: 0x0000000180eb94b0 Foundation`NSKeyValueNotifyObserver + 252
        frame #2: 0x0000000102d1c1b4 Gauges.debug.dylib`\(function) at Meter.swift:20:9
    """
  }

  @Test(
    "the arguments that a debugger prints with their values are not part of a name",
    arguments: [
      ("Meter.fill(by=3.5, self=0x0000600003a1c0d0)", "Meter.fill"),
      ("Meter.level.setter(value=4)", "Meter.level.setter"),
      ("Meter.fill(by=(x = 3, y = 4), self=<unavailable>)", "Meter.fill"),
      ("Meter.fill<Double>(by=Gauges.Step @ 0x000000016d0d1a40)", "Meter.fill<Double>"),
      ("closure #1 in Meter.fill(_0=0x0000600003a1c0d8)", "closure #1 in Meter.fill"),
      (
        "__14-[Meter fill:]_block_invoke(.block_descriptor=0x000060000025)",
        "__14-[Meter fill:]_block_invoke"
      ),
      ("-[Meter fill:](self=0x00006, _cmd=\"fill:\", by=2)", "-[Meter fill:]"),
      ("Meter.fill(by:)", "Meter.fill(by:)"), ("operator==(a=1, b=2)", "operator=="),
      ("(anonymous namespace)::fill(int)", "(anonymous namespace)::fill(int)"),
    ]
  )
  func arguments(function: (spelled: String, name: String)) {
    #expect(frames(stopped(function.spelled)).last?.symbol == function.name)
  }

  @Test("two runs of one function, with other arguments, have one signature")
  func signature() {
    let runs = ["(by=3, self=0x0000600003a1c0d0)", "(by=4, self=0x0000600003a1c0e8)"]
    let signatures = runs.map { run in
      Reading.findings(stopped("Meter.fill" + run)).map(\.signature)
    }
    #expect(signatures[0].count == 1)
    #expect(signatures[0] == signatures[1])
  }

  @Test(
    "what an optimizer appends to a name is not part of it, nor a module",
    arguments: [
      ("gauges_close.cold.1", "gauges_close"),
      ("gauges_close.llvm.11394337073705085640", "gauges_close"),
      ("gauges_close.part.0.cold.2", "gauges_close"),
      ("-[GaugeView close].cold.1", "-[GaugeView close]"),
      ("$s6Gauges5MeterC5closeyyF.cold.1", "Gauges.Meter.close() -> ()"),
      ("gauges.cold.close", "gauges.cold.close"), ("gauges_close.2", "gauges_close.2"),
    ]
  )
  func suffix(function: (spelled: String, name: String)) throws {
    let text = Self.raised + "2  Gauges  0x102d1c1b4 \(function.spelled) + 196\n"
    #expect(frames(text).last?.symbol == function.name)
    if function.name == "gauges_close" {
      let hint = try #require(Reading.findings(text).first).hint
      #expect(hint.contains("[meter removeObserver:"))
    }
  }

  @Test("a function of Swift that returns nothing keeps its type")
  func void() {
    let text = Self.raised + "2  Gauges  0x102d1c1b4 $s6Gauges5MeterC5closeyyF + 196\n"
    #expect(frames(text).last?.symbol == "Gauges.Meter.close() -> ()")
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

  @Test(
    "what is in place of an unknown function is not the first own one, also in exports",
    arguments: [
      "<redacted>", "(Missing)", "<unknown>", "<deduplicated_symbol>", "___lldb_unnamed_symbol12",
    ]
  )
  func placeholder(name: String) {
    let text =
      Self.raised + """
        2  Gauges  0x102d1c1b4 \(name) + 196
        3  Gauges  0x102d1c1b5 -[GaugeView stop] + 20
        """
    let json = #"""
      {"exceptions":[{"type":"NSRangeException","exception_message":"Cannot remove an observer <GaugeView 0x1a0> for the key path \"level\" from <Meter 0x2b0> because it is not registered as an observer.","frames":[{"symbol":"objc_exception_throw","address":"1","library":"libobjc.A.dylib"},{"symbol":"\#(name)","address":"2","library":"Gauges"},{"symbol":"-[GaugeView stop]","address":"3","library":"Gauges"}]}]}
      """#
    for text in [text, json] {
      #expect(Reading.summary(text) == ["KVO002 Meter.level < GaugeView"])
      #expect(frames(text).first(where: \.isFirstOwn)?.symbol == "-[GaugeView stop]")
    }
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

  @Test("a numbered frame in a log is one, also if its function is unknown")
  func logged() {
    let text =
      Self.raised + """
        2  Gauges  0x1b13ff430 <redacted> + 16
        3  Gauges  0x1b13ff431 -[GaugeView stop]
        """
    let front = "Mar  4 10:11:12 iPhone Gauges[12] <Error>: "
    let log = text.split(separator: "\n").map { "\(front)\($0)\n" }
    #expect(
      frames(log.joined()).map(\.symbol) == [
        "__exceptionPreprocess", "objc_exception_throw", nil, "-[GaugeView stop]",
      ]
    )
  }

  @Test("an offset in an image is not a function, and hides none below it")
  func offset() {
    let text =
      Self.raised + """
        2  Gauges  0x102d1c1b4 Gauges + 4021
        3  Gauges  0x102d1c2b4 -[GaugeView stop] + 20
        """
    let read = frames(text)
    #expect(read.map(\.symbol).suffix(2) == [nil, "-[GaugeView stop]"])
    #expect(read.first(where: \.isFirstOwn)?.symbol == "-[GaugeView stop]")
  }

  @Test("what a tool printed in place of a frame is one, in the image that it names")
  func namedAfterwards() {
    let text =
      Self.raised + """
        2  Foundation  0x185f58a24 <redacted> + 160
         -> -[GaugeView stop] (in Gauges) (GaugeView.m:30)
         -> __17-[GaugeView show]_block_invoke (in Gauges) (GaugeView.m:48)
        5  libdispatch.dylib  0x1843f29e0 <redacted> + 24
        """
    let read = frames(text)
    #expect(read.count == 6)
    let own = read.first(where: \.isFirstOwn)
    #expect(own?.symbol == "-[GaugeView stop]")
    #expect(own?.module == "Gauges")
    #expect(own?.line == 30)
  }

  @Test("a bad access that a sanitizer reports, and the frames that it prints")
  func sanitizer() {
    let text = """
      ==47==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000020 (pc 0x7fff2050f2b0 bp 0x7ffeefbff2b0 T0)
      ==47==The signal is caused by a READ memory access.
          #0 0x7fff2050f2b0 in objc_msgSend+0x16 (libobjc.A.dylib:x86_64+0x62b0)
          #1 0x7fff2058c1b0 in NSKeyValueNotifyObserver+0x15e (Foundation+0x1c1b0)
          #2 0x100003e1b in -[Meter fill] /Users/ada/Gauges/Meter.m:40:3
          #3 0x100003e2b in main main.m:14

      SUMMARY: AddressSanitizer: SEGV (libobjc.A.dylib:x86_64+0x62b0) in objc_msgSend+0x16
      """
    #expect(Reading.summary(text) == ["KVO008 ?.? < ?"])
    let read = frames(text)
    #expect(
      read.map(\.symbol) == ["objc_msgSend", "NSKeyValueNotifyObserver", "-[Meter fill]", "main"]
    )
    #expect(read.first?.module == "libobjc.A.dylib")
    #expect(read.dropFirst(2).first?.line == 40)
    // What was read was freed, in the program's own function: an observer need not be.
    let freed = text.replacing("SEGV on unknown address", with: "heap-use-after-free on address")
      .replacing(
        "objc_msgSend+0x16 (libobjc.A.dylib:x86_64+0x62b0)",
        with: "-[Meter rate] Meter.m:9"
      )
    #expect(Reading.summary(freed) == [])
  }

  /// As `SWIFT_BACKTRACE=enable=yes` prints it: whole, and in its friendly form.
  @Test(
    "the frames of Swift's runtime",
    arguments: [
      """
        0               0x000000018004c0a0 objc_msgSend + 32 in libobjc.A.dylib
        1 [ra]          0x0000000180eb94b0 NSKeyValueNotifyObserver + 252 in Foundation
        2 [inlined]     0x0000000102d1c1b4 Meter.fill(by:) in Gauges at /src/Meter.swift:20:9
        3 [ra]          0x0000000102d1c1b4 closure #1 in Meter.show() + 196 in Gauges at /src/Meter.swift:30:9
        4 [ra] [system] 0x0000000102d1c2b4 start + 6000 in dyld
      """,
      """
        0 objc_msgSend + 32 in libobjc.A.dylib
        1 NSKeyValueNotifyObserver + 252 in Foundation
        2 Meter.fill(by:) in Gauges at /src/Meter.swift:20:9
        3 closure #1 in Meter.show() + 196 in Gauges at /src/Meter.swift:30:9
        4 start + 6000 in dyld
      """,
    ]
  )
  func swift(lines: String) {
    let text = """
      *** Program crashed: Bad pointer dereference at 0x0000000000000020 ***

      Platform: arm64 macOS 14.5 (23F79)

      Thread 0 "com.apple.main-thread" crashed:

      \(lines)

      """
    #expect(Reading.summary(text) == ["KVO008 ?.? < ?"])
    let read = frames(text)
    #expect(
      read.map(\.symbol) == [
        "objc_msgSend", "NSKeyValueNotifyObserver", "Meter.fill(by:)",
        "closure #1 in Meter.show()", "start",
      ]
    )
    #expect(
      read.map(\.module) == ["libobjc.A.dylib", "Foundation", "Gauges", "Gauges", "dyld"]
    )
    let own = read.first(where: \.isFirstOwn)
    #expect(own?.symbol == "Meter.fill(by:)")
    #expect(own?.file == "/src/Meter.swift")
    #expect(own?.line == 20)
    // A program that crashed in its own code.
    let other = text.replacing("NSKeyValueNotifyObserver", with: "Meter.read()")
    #expect(Reading.summary(other) == [])
  }
}
