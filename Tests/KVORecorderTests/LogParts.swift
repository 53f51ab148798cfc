import Foundation
import KVOReplay
import KVORules
import KVOTrace
import KVOTraceBinary

/// The parts of a log on disk, the oldest first, and what they hold together.
struct LogParts {
  let parts: [LogReading]
  /// Their paths, in the same order.
  let paths: [String]

  init(_ path: String) throws {
    let all = (0..<8).map { $0 == 0 ? path : "\(path).\($0)" }
    paths = all.reversed().filter { FileManager.default.fileExists(atPath: $0) }
    parts = try paths.map(LogReading.init)
  }

  var numbers: [UInt32?] { parts.map(\.part) }
  var problems: [BinaryLogProblem] { parts.flatMap(\.problems) }

  /// What each thread wrote with ``LogReading/writes``, in its order, over all parts.
  var writes: [String: [UInt64]] {
    parts.reduce(into: [:]) { all, part in
      all.merge(part.writes) { $0 + $1 }
    }
  }

  /// The numbers of the registrations whose end was recorded, in order.
  var ends: [UInt64] { parts.flatMap(\.ends) }
}

extension LogReading {
  /// The numbers of the probe's named events by thread, in their order; 0 for one whose text, stack and
  /// number do not agree.
  var writes: [String: [UInt64]] {
    var found: [String: [UInt64]] = [:]
    for event in events {
      guard case .write(let subject, _, let fingerprint) = event.body else { continue }
      let number = subject.id.rawValue
      let isWhole = names[fingerprint] == "value \(number)" && names[event.stack].count > 3
      found[names[subject.className], default: []].append(isWhole ? number : 0)
    }
    return found
  }

  var ends: [UInt64] {
    events.compactMap { event in
      guard case .registerEnd(let id) = event.body else { return nil }
      return id.rawValue
    }
  }

  /// The sum of what the log says was lost.
  var droppedCount: UInt64 {
    events.reduce(0) { sum, event in
      guard case .dropped(let count, _) = event.body else { return sum }
      return sum + count
    }
  }

  /// The images in the log.
  var modules: [Module] {
    events.compactMap { event in
      guard case .module(let module) = event.body else { return nil }
      return module
    }
  }

  /// The number of frames that are in no image of the log.
  var orphanCount: Int {
    let modules = modules
    let addresses = Set(events.flatMap { names[$0.stack].map(\.address) })
    return addresses.count { address in !modules.contains { $0.contains(address) } }
  }

  /// The numbers of the registrations that the log says are live.
  var liveNumbers: [UInt64] {
    events.compactMap { event in
      guard case .live(let registration) = event.body else { return nil }
      return registration.id?.rawValue
    }
  }

  /// What the rules make of the events, and how many registrations are live for them in the end; of damaged
  /// logs the point is that they come to an end.
  func judge() -> (verdicts: [Verdict], liveCount: Int) {
    var verdicts: [Verdict] = []
    var replay = OrderedReplay()
    for (index, event) in events.enumerated() {
      replay.take(event, number: index + 1) { verdicts.append($0) }
    }
    replay.finish { verdicts.append($0) }
    return (verdicts, replay.engine.liveRegistrationCount)
  }
}
