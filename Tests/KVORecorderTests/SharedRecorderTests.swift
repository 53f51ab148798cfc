import Foundation
import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

@Suite("Two copies of the recorder in one process")
struct SharedRecorderTests {
  /// A library that has its own copy of the recorder's C, and a function that records with it.
  private func library(in folder: ScratchFolder) throws -> String {
    let sources = ProgramRun.package.appending(path: "Sources")
    let targets = ["Trace/CKVOChecksum", "Record/CKVORecorder", "Record/CKVOUnwind"]
      .map { sources.appending(path: $0).path }
    let files = try targets.flatMap { target in
      try FileManager.default.contentsOfDirectory(atPath: target)
        .filter { $0.hasSuffix(".c") }.map { "\(target)/\($0)" }
    }
    let own = try folder.file(
      "copy.c",
      """
      #include "CKVORecorder.h"
      void copy_record(uint64_t number) {
        uint64_t field = number << 2;
        uint32_t stack = kvos_capture_stack_id(true);
        kvos_record(6, KVOS_NO_ORDER, stack, 0, &field, 1);
      }
      """
    )
    let path = folder.path("copy.so")
    // Its own names are its own, but for the one that copies find each other by.
    try Tool.run(
      "/usr/bin/gcc",
      [
        "-shared", "-fPIC", "-O2", "-w", "-D_Nullable=", "-D_Nonnull=", "-fvisibility=hidden",
        "-Dcopy_record=__attribute__((visibility(\"default\"))) copy_record",
        "-o", path, own,
      ] + targets.map { "-I\($0)/include" } + files
    )
    return path
  }

  @Test(
    "write one log, each thread's events in the order of its calls",
    .enabled(if: Tool.hasCompiler && !Tool.isSanitized, "needs gcc, and no sanitizer")
  )
  func preloaded() throws {
    let folder = try ScratchFolder()
    let path = folder.path("log")
    let child = try Child(
      "RecorderProbe",
      ["copies", path],
      environment: ["LD_PRELOAD": try library(in: folder)]
    )
    #expect(try child.end() == Child.Outcome(output: "done\n"))
    #expect(try folder.names == ["copy.c", "copy.so", "log"])
    let log = try LogReading(path)
    #expect(log.problems == [])
    #expect(log.summary.isWhole)
    let numbers = log.ends
    #expect(numbers.filter { $0 < 1_000_000 } == Array(1...5_000))
    #expect(numbers.filter { $0 > 1_000_000 } == Array(1_000_001...1_005_000))
    // Both read one clock.
    var times: [ThreadID: [UInt64]] = [:]
    for event in log.events {
      guard case .registerEnd = event.body, let thread = event.thread else { continue }
      times[thread, default: []].append(try #require(event.time))
    }
    #expect(times.count == 2)
    for times in times.values {
      #expect(times == times.sorted())
      #expect((times.last ?? 0) - (times.first ?? 0) < 60_000_000_000)
    }
    #expect(log.orphanCount == 0)
  }
}
