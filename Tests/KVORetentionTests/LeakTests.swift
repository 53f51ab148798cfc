import CKVORetention
import Foundation
import KVORetention
import TestSupport
import Testing

/// Leaks of a program of its own: what other tests lose would be found, too.
@Suite("Leaks of a process", .enabled(if: kvos_is_glibc_heap() != 0), .serialized)
struct LeakTests {
  /// What leaks is decided by weak references, after all other owners released it.
  @Test("no shape is a leak that somebody holds, or that is deallocated", arguments: [0, 40])
  func generated(first: Int) throws {
    let run = try ProgramRun(
      try ProgramRun.built("RetentionProbe"),
      ["leaks", "\(Rounds.count(40))", "\(first)"]
    )
    #expect(run.status == 0, "\(run.output)\(run.complaint)")
    let sums = try #require(run.output.split(separator: "\n").last?.split(separator: "\t"))
    let numbers = sums.dropFirst().compactMap { Int($0) }
    // Tried, leaks, found, missed, wrong.
    try #require(sums.first == "leaks" && numbers.count == 5, "\(run.output)")
    #expect(numbers[1] > 0 && numbers[2] > 0 && numbers[4] == 0, "\(run.output)")
  }

  @Test("all that the scene lost is found, and nothing of what it holds")
  func scene() throws {
    let run = try ProgramRun(try ProgramRun.built("RetentionProbe"), ["scene-leaks"])
    #expect(run.status == 0, "\(run.complaint)")
    let lines = run.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines.contains("20 × HeapRing.pair.1 → HeapRing.pair.1 → HeapRing"), "\(run.output)")
    #expect(lines.contains("20 × HeapScreen.action → closure.capture 1 → HeapScreen"))
    #expect(lines.contains("RetentionProbe.HeapRing: 40 of 40 leaked"))
    #expect(lines.contains("RetentionProbe.HeapScreen: 20 of 20 leaked"))
    for name in ["HeapCache", "HeapPage", "HeapHidden", "HeapNotOwner"] {
      #expect(!run.output.contains("RetentionProbe.\(name):"), "\(run.output)")
    }
  }
}
