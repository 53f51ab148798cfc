import KVOImport
import KVORules
import Testing

/// What a finding of a text carries, beside its rule and its objects.
@Suite("Findings of texts") struct FindingTests {
  private static let report = """
    Process:             Gauges [1234]
    Version:             1.9 (12)
    Date/Time:           2017-11-02 08:01:22.123 +0100
    OS Version:          iPhone OS 10.3.3 (14G60)
    Exception Type:  EXC_CRASH (SIGABRT)

    Application Specific Information:
    *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <GaugeView 0x15fd2c3a0> for the key path "level" from <Meter 0x170a3b1c0> because it is not registered as an observer.'

    Last Exception Backtrace:
    0   CoreFoundation  0x18a8e11d8 __exceptionPreprocess + 124
    1   libobjc.A.dylib 0x18931855c objc_exception_throw + 56
    2   Foundation      0x18b2a21e4 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:] + 488
    3   Gauges          0x1000a2f3c -[GaugeView dealloc] + 172 (GaugeView.m:88)
    4   Gauges          0x1000a2000 main + 12

    Thread 0 Crashed:
    0   libsystem_kernel.dylib  0x1897f5014 __pthread_kill + 4
    1   libsystem_c.dylib       0x189769400 abort + 140
    """

  @Test("a deallocation that was only logged has no stack of a later crash in a notification")
  func logged() {
    let text = """
      Mar 23 14:06:16 phone Gauges[6174] <Warning>: An instance 0x2b0 of class Meter was deallocated while key value observers were still registered with it. Observation info was leaked, and may even become mistakenly attached to some other object. Set a breakpoint on NSKVODeallocateBreak to stop here in the debugger. Here's the current observation info:
      <NSKeyValueObservationInfo 0x3c0> (
      <NSKeyValueObservance 0x4d0: Observer: 0x1a0, Key path: level, Options: <New: YES, Old: YES, Prior: NO> Context: 0x0, Property: 0x5e0>
      )

      Thread 0 Crashed:
      0   libobjc.A.dylib  0x36214fc2 objc_msgSend + 22
      1   Foundation       0x3176d754 NSKeyValueWillChange + 408
      2   Foundation       0x31744858 -[NSObject(NSKeyValueObserverNotification) willChangeValueForKey:] + 176
      3   Gauges           0x000797e4 -[Dial turn:] + 20
      """
    #expect(Reading.summary(text) == ["KVO006 Meter.level < ?"])
    #expect(Reading.findings(text).first?.stacks.first?.frames.isEmpty == true)
    // Where the runtime deallocates the object, the stack is its own.
    let own = text.replacing("NSKeyValueWillChange", with: "NSKVODeallocate")
    #expect(Reading.findings(own).first?.stacks.first?.frames.count == 4)
  }

  @Test("process, version, system, date and exception come from the report")
  func facts() throws {
    let finding = try #require(Reading.findings(Self.report).first)
    #expect(
      finding.crashFacts
        == CrashFacts(
          exception: "NSRangeException",
          process: "Gauges",
          version: "1.9 (12)",
          system: "iOS 10.3.3",
          date: "2017-11-02 08:01:22"
        )
    )
    #expect(finding.profile == .appleLegacy)
    #expect(finding.consequence == .crash)
    #expect(finding.severity == .error)
    #expect(finding.events == [8])
  }

  @Test("the exception's stack stands, with the first own frame marked")
  func stack() throws {
    let finding = try #require(Reading.findings(Self.report).first)
    let frames = try #require(finding.stacks.first?.frames)
    #expect(frames.count == 5)
    #expect(frames.firstIndex(where: \.isFirstOwn) == 3)
    #expect(frames[3].symbol == "-[GaugeView dealloc]")
    #expect(frames[3].file == "GaugeView.m")
    #expect(frames[3].line == 88)
    #expect(frames[3].module == "Gauges")
  }

  @Test(
    "names of C++ are read, with Apple's underscore or without",
    arguments: [
      ("_ZN11objc_object17sidetable_releaseEb", "objc_object::sidetable_release(bool)"),
      ("__ZN4View4drawEv", "View::draw()"),
      ("_ZN4View", "_ZN4View"),
      ("_Zebra", "_Zebra"),
    ]
  )
  func namesOfC(mangled: String, name: String) throws {
    let text = Self.report.replacing("-[GaugeView dealloc]", with: mangled)
    let finding = try #require(Reading.findings(text).first)
    #expect(finding.stacks.first?.frames[3].symbol == name)
  }

  @Test("observers of one key path are one finding, and deallocated ones among them another")
  func severalObservers() {
    func entry(_ observer: String, _ path: String) -> String {
      "<NSKeyValueObservance 0x1: Observer: \(observer), Key path: \(path), Options: "
        + "<New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x2>\n"
    }
    let text =
      "An instance 0x5 of class Meter was deallocated while key value observers were still registered "
      + "with it. Current observation info: <NSKeyValueObservationInfo 0x9> (\n"
      + entry("0x7", "level") + entry("0x0", "level") + entry("0x5", "level") + entry("0x0", "name")
      + entry("0x0", "name") + ")\n"
    let findings = Reading.findings(text)
    #expect(
      findings.map { "\($0.code.rawValue) \($0.message)" } == [
        #"KVO006 Meter#1 was deallocated while Meter#1 and 2 others observed its "level""#,
        #"KVO007 An observer was deallocated while it observed "level" of Meter#1, which was deallocated later"#,
        #"KVO006 Meter#1 was deallocated while 2 observers observed its "name""#,
        #"KVO007 2 observers were deallocated while they observed "name" of Meter#1, which was deallocated later"#,
      ]
    )
    // No runtime since iOS 11 says this.
    #expect(findings.allSatisfy { $0.profile == .appleLegacy && $0.consequence == .crash })
  }

  @Test("objects have generation numbers, and the same object the same number")
  func generations() throws {
    let text =
      #"Cannot remove an observer <Meter 0x1> for the key path "a" from <Meter 0x1> because it is not registered as an observer."#
    let same = try #require(Reading.findings(text).first)
    #expect(same.subject == same.observer)
    let other = try #require(
      Reading.findings(text.replacing("<Meter 0x1> because", with: "<Meter 0x2> because")).first
    )
    #expect(other.observer?.id == "1" || other.subject?.id == "1")
    #expect(other.subject != other.observer)
    #expect(other.message.contains("0x") == false)
  }

  @Test("two reports that differ in addresses, process ids and dates have one signature")
  func signature() throws {
    let first = try #require(Reading.findings(Self.report).first)
    let changed = Self.report.replacing("0x15fd2c3a0", with: "0x999").replacing(
      "[1234]",
      with: "[77]"
    )
    .replacing("2017-11-02", with: "2018-01-01").replacing("0x1000a2f3c", with: "0x20004000")
    let second = try #require(Reading.findings(changed).first)
    #expect(first.signature == second.signature)
    let elsewhere = Self.report.replacing("GaugeView.m:88", with: "GaugeView.m:90")
    let moved = try #require(Reading.findings(elsewhere).first)
    #expect(moved.signature == first.signature && moved.lines != first.lines)
  }

  @Test("a list of registrations gives a finding for each key path, with its options and context")
  func observances() {
    let text = """
      An instance 0x10 of class Meter was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x1> (
      <NSKeyValueObservance 0x2: Observer: 0x3, Key path: level, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x4>
      <NSKeyValueObservance 0x5: Observer: 0x6, Key path: level, Options: <New: NO, Old: NO, Prior: NO> Context: 0x0, Property: 0x4>
      <NSKeyValueObservance 0x7: Observer: 0x3, Key path: unit, Options: <New: YES, Old: YES, Prior: NO> Context: 0xabc, Property: 0x8>
      )
      """
    let findings = Reading.findings(text)
    #expect(findings.map(\.keyPath) == ["level", "unit"])
    #expect(findings.map(\.context) == ["NULL", "0xabc"])
    #expect(
      findings.map { $0.crashFacts?.options } == [
        "New: YES, Old: NO, Prior: NO", "New: YES, Old: YES, Prior: NO",
      ]
    )
    #expect(findings.first?.crashFacts?.observances.count == 3)
  }

  @Test("a removal with another context than that of the registration is the wrong context")
  func wrongContext() {
    let text = """
      Cannot remove an observer <GaugeView 0x3> for the key path "level" from <Meter 0x10> because it is not registered as an observer.
      (lldb) po [meter observationInfo]
      An instance 0x10 of class Meter was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x1> (
      <NSKeyValueObservance 0x2: Observer: 0x3, Key path: level, Options: <New: YES, Old: NO, Prior: NO> Context: 0xabc, Property: 0x4>
      )
      """
    #expect(
      Reading.findings(text).map(\.code) == [.removeWrongContext, .observedDeinitWhileObserved]
    )
  }

  @Test(
    "the profile is that of the system",
    arguments: [
      ("iOS 10.3", Profile.appleLegacy), ("iOS 11.0", .appleModern),
      ("macOS 10.12.6", .appleLegacy),
      ("macOS 10.13", .appleModern), ("macOS 14.1", .appleModern),
      ("Mac OS X 10.9.5", .appleLegacy),
    ]
  )
  func profile(system: String, profile: Profile) throws {
    let text = Self.report.replacing("iPhone OS 10.3.3 (14G60)", with: "\(system) (1A1)")
    #expect(try #require(Reading.findings(text).first).profile == profile)
  }
}
