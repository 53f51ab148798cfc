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
    ]
  )
  func unknown(words: String) { #expect(system(words) == nil) }
}
