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

  /// What stays from machine to machine and from build to build: event numbers move with the number
  /// of images that the log begins with.
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
  /// A page without event numbers and times, which are others in every run.
  var withoutMoments: String {
    replacing(#/event [\d,]+/#, with: "event N")
      .replacing(#/[\d,]+ events/#, with: "N events")
      .replacing(#/ · [\d.]+ (?:ns|µs|ms|s|min)</#, with: " · T<")
      .replacing(#/<dt>Events<\/dt><dd>([^<]*)/#) { match in
        let count = match.output.1.split(separator: "·").count
        return "<dt>Events</dt><dd>" + Array(repeating: "N", count: count).joined(separator: " · ")
      }
  }

  /// The text without the folders of this machine, addresses and numbers that move with them.
  var withoutMachine: String {
    replacing(#/"0x[0-9a-f]+"/#, with: #""0x…""#)
      .replacing(#/"(?:\/[^"\/]+)+\/([^"\/]+)"/#) { "\"\($0.output.1)\"" }
      .replacing(#/"file:\/\/(?:\/[^"\/]+)+\/([^"\/]+)"/#) { "\"\($0.output.1)\"" }
      .replacing(#/"file:\/\/\/[^"]*\/"/#, with: #""file:///…/""#)
      .replacing(#/"absoluteAddress": \d+/#, with: #""absoluteAddress": 0"#)
      .replacing(#/"event": \d+/#, with: #""event": 0"#)
      .replacing(#/"events": \d+/#, with: #""events": 0"#)
      .replacing(#/"events": \[[^\]]*\]/#, with: #""events": []"#)
  }
}
