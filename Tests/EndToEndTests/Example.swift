import Foundation
import TestSupport
import Testing

/// An example program, and what an audit of its log must say.
struct Example: CustomTestStringConvertible, Sendable {
  let name: String
  /// The exit status of the audit.
  let status: Int32

  var testDescription: String { name }

  static let all = [
    Example(name: "DoubleRemove", status: 1), Example(name: "RemoveUnregistered", status: 1),
    Example(name: "ObservedDies", status: 1), Example(name: "ObserverDies", status: 1),
    Example(name: "UnhandledNotification", status: 1),
    Example(name: "UncompliantPath", status: 1), Example(name: "Correct", status: 0),
    Example(name: "Demo", status: 1),
  ]

  /// The log of one run, and what the program said.
  func record(in folder: ScratchFolder) throws -> (log: URL, run: ProgramRun) {
    let log = folder.url.appending(path: "\(name).kvolog")
    let run = try Built.run(name, in: folder.url, environment: ["KVO_SAFETY_LOG": log.path])
    return (log, run)
  }

  /// The log of one run for a sample: ``fixed(_:)``.
  func recordSample(in folder: ScratchFolder) throws -> (log: URL, run: ProgramRun) {
    let recorded = try record(in: folder)
    let name = recorded.log.lastPathComponent
    let lines = try Built.run("kvo-audit", ["convert", name], in: folder.url).output
    _ = try folder.file("lines.jsonl", Self.fixed(lines))
    let back = try Built.run(
      "kvo-audit",
      ["convert", "lines.jsonl", "--to", "kvolog", "-o", name],
      in: folder.url
    )
    #expect(back.status == 0 && back.complaint == "")
    return recorded
  }

  /// A log in which what differs from run to run and from machine to machine is fixed.
  ///
  /// Those are the clock, which is a millisecond for each event, the process, its start, and the libraries that a log
  /// begins with: only those that a stack leads through stay.
  static func fixed(_ log: String) -> String {
    let lines = log.split(separator: "\n")
    let addresses = lines.filter { !$0.hasPrefix(Self.moduleStart) }
      .flatMap { line in
        line.matches(of: #/"0x([0-9a-f]+)"/#).compactMap { UInt64($0.1, radix: 16) }
      }
    var sample = ""
    var milliseconds = 0
    for line in lines {
      if line.hasPrefix(moduleStart), let start = address("textStart", in: line),
        let end = address("textEnd", in: line), start < end
      {
        guard addresses.contains(where: (start..<end).contains) else { continue }
      }
      milliseconds += 1
      sample +=
        line.replacing(#/"t":\d+/#, with: "\"t\":\(milliseconds * 1_000_000)")
        .replacing(#/"pid":\d+/#, with: #""pid":4711"#)
        .replacing(#/"started":"[^"]*"/#, with: #""started":"2027-01-31T09:00:00Z""#) + "\n"
    }
    return sample
  }

  private static let moduleStart = #"{"event":"module","#

  private static func address(_ key: String, in line: Substring) -> UInt64? {
    guard let start = line.firstRange(of: "\"\(key)\":\"0x") else { return nil }
    return UInt64(line[start.upperBound...].prefix { $0.isHexDigit }, radix: 16)
  }

  /// A report without event numbers: they move with the number of images that a log begins with.
  static func withoutEventNumbers(_ report: String) -> String {
    report.replacing(#/· event \d+/#, with: "· event N")
      .replacing(#/· events \d+(?:, \d+)*/#) { match in
        let count = match.output.split(separator: ",").count
        return "· events " + Array(repeating: "N", count: count).joined(separator: ", ")
      }
      .replacing(#/in \d+ events/#, with: "in N events")
  }
}

extension String {
  /// The text without the folders of this machine, and addresses.
  var withoutMachine: String {
    replacing(#/"0x[0-9a-f]+"/#, with: #""0x…""#)
      .replacing(#/"(?:\/[^"\/]+)+\/([^"\/]+)"/#) { "\"\($0.output.1)\"" }
      .replacing(#/"file:\/\/(?:\/[^"\/]+)+\/([^"\/]+)"/#) { "\"\($0.output.1)\"" }
      .replacing(#/"file:\/\/\/[^"]*\/"/#, with: #""file:///…/""#)
      .replacing(#/"absoluteAddress": \d+/#, with: #""absoluteAddress": 0"#)
  }
}
