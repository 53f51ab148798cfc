import KVOFindings
import KVORules
import Testing

/// The system that a text names beside a crash.
@Suite("Stated systems") struct StatedSystemTests {
  private static let removal =
    #"Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not registered as an observer."#

  private func system(_ words: String) -> String? {
    Reading.findings("\(words)\n\(Self.removal)\n").first?.crashFacts?.systems.keys.first
  }

  @Test(
    "the system of the crash is taken",
    arguments: [
      ("It crashes on iOS 10.3.3.", "iOS 10.3.3"), ("macOS 10.12", "macOS 10.12"),
      ("OS Version: iOS 9.3", "iOS 9.3"),
      ("### SDK version 5.66.0 ### OS version  iOS 26.5", "iOS 26.5"),
      ("Since iOS 11 it crashed. Seen on iOS 11.2", "iOS 11.2"),
      ("iOS 10 crashes, exactly iOS 10.3.3", "iOS 10.3.3"), ("iOS: 12.1, iPhone 8", "iOS 12.1"),
      ("Deployment target: iOS 9.0\nDevice: iPhone 8, iOS 12.1", "iOS 12.1"),
      ("It happens on visionOS 2.1", "visionOS 2.1"), ("watchOS 9.4", "watchOS 9.4"),
    ]
  )
  func stated(words: String, name: String) { #expect(system(words) == name) }

  @Test("the tools and the system that an editor lists are not those of the crash")
  func tools() throws {
    let text = """
      \(Self.removal)

      It crashes on iOS 10.2.

      === Gauge Studio ===

      Version 6.2 (build 1809)

      === Gauge Kit ===

      Version: 10.4.0.114 (Professional)

      === Operating System ===

      Mac OS X 10.11.6
      """
    let facts = try #require(Reading.findings(text).first?.crashFacts)
    #expect(facts.versions.isEmpty)
    #expect(facts.systems.keys.sorted() == ["iOS 10.2"])
  }

  @Test(
    "a target, a kit, a negation, a range and a list name no system",
    arguments: [
      "Deployment target: iOS 12.0", "Minimum iOS version: iOS 9.0",
      "It does not happen on iOS 10.",
      "iOS 11 and later are fine", "Built with the iOS 12.1 SDK", "on iOS 10, 9 or 8 (at least)",
      "iOS: 8, 9 y 10", "It crashes on iOS 10.3 and on iOS 11.2", "requires macOS 10.12",
      "Gauge Kit for iOS 0.9",
    ]
  )
  func unknown(words: String) { #expect(system(words) == nil) }

  private static let death =
    "*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'An instance 0x2b0 of class Meter was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x3c0> (\n<NSKeyValueObservance 0x3d0: Observer: 0x1a0, Key path: level, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x3e0>\n)'"

  private static let simulator =
    "CoreSimulator 494.33 - Device: iPhone 5s - Runtime: iOS 10.3 (14E8301) - DeviceType: iPhone 5s"

  /// The frameworks are those of the simulated system, not of the computer.
  @Test("a process in a simulator ran on the simulated system")
  func simulated() throws {
    let text = """
      Process:             Gauges [4137]
      OS Version:          Mac OS X 10.13.5 (17F77)
      Exception Type:      EXC_CRASH (SIGABRT)

      Application Specific Information:
      \(Self.simulator)
      \(Self.death)

      Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
      0   libsystem_kernel.dylib  0x0000000109a9cd42 __pthread_kill + 10
      """
    let reason = Self.death.replacing("\n", with: "\\n")
    let json = """
      {"app_name":"Gauges","bug_type":"309","os_version":"macOS 12.3 (21E230)","name":"Gauges"}
      {"procName":"Gauges","osVersion":{"train":"macOS 12.3"},"exception":{"type":"EXC_CRASH","signal":"SIGABRT"},"asi":{"CoreFoundation":["\(reason)"],"CoreSimulator":["\(Self.simulator)"]},"faultingThread":0,"threads":[{"triggered":true,"frames":[{"symbol":"__pthread_kill","imageIndex":0}]}],"usedImages":[{"name":"libsystem_kernel.dylib"}]}
      """
    for report in [text, json] {
      let finding = try #require(Reading.findings(report).first)
      #expect(finding.crashFacts?.systems.keys.sorted() == ["iOS 10.3"])
      #expect(finding.profile == .appleLegacy)
    }
    let current = text.replacing("Runtime: iOS 10.3", with: "Runtime: iOS 12.0")
    #expect(Reading.findings(current).first?.profile == .appleModern)
  }

  @Test("every visionOS has the newer runtime", arguments: ["visionOS 1.2 (21O589)", "xrOS 1.0"])
  func vision(system: String) {
    let text = "Process: Gauges [4137]\nOS Version: \(system)\n\n\(Self.death)\n"
    #expect(Reading.findings(text).first?.profile == .appleModern)
  }
}
