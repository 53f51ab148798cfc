internal import KVORecorder
internal import KVOTrace

extension KVO {
  /// What the recorder does, and what it costs, at this moment.
  ///
  /// Any thread may ask. Other threads may record at the same time: the numbers are each right at some moment, and not all
  /// at the same one.
  ///
  /// - Complexity: O(objects + observations).
  public static var health: RecordingHealth {
    var counts: [StringID: Int] = [:]
    for registration in liveRegistrations { counts[registration.site, default: 0] += 1 }
    let names = Recorder.shared.names
    let sites = counts.map { site, count in
      RecordingHealth.LiveSite(site: names.site(site)?.location ?? "", count: count)
    }
    return RecordingHealth(
      recordingPath: recordingPath,
      measures: Recorder.shared.measures,
      liveSites: sites.sorted { ($1.count, $0.site) < ($0.count, $1.site) }
    )
  }
}

/// What the recorder does, and what it costs.
public struct RecordingHealth: Hashable, Sendable {
  /// Live registrations of one source line.
  public struct LiveSite: Hashable, Sendable {
    /// The line, `Screen.swift:12`; empty: not known.
    public let site: String
    /// How many of its registrations are live.
    public let count: Int
  }

  /// The file that the log is written to; nil: nothing is recorded.
  public let recordingPath: String?
  /// How many events the log has, those in files that are gone included.
  public let eventCount: Int
  /// How many events the log could not record.
  public let lostEventCount: Int
  /// How many bytes the files of the log have on disk, without recordings that were kept.
  public let diskByteCount: Int
  /// How many bytes of memory names and live registrations take.
  public let memoryByteCount: Int
  /// The time that threads spent recording; nil: it is measured only within a ``RecordingBudget``.
  public let cpuTime: Duration?
  /// The share of objects whose events are recorded, from 0 to 1.
  public let objectShare: Double
  /// The live registrations by source line, most first.
  public let liveSites: [LiveSite]

  /// How many registrations are live.
  public var liveRegistrationCount: Int { liveSites.reduce(0) { $0 + $1.count } }

  init(recordingPath: String?, measures: Recorder.Measures, liveSites: [LiveSite]) {
    self.recordingPath = recordingPath
    eventCount = measures.eventCount
    lostEventCount = measures.lostEventCount
    diskByteCount = measures.diskByteCount
    memoryByteCount = measures.memoryByteCount
    cpuTime = measures.cpuTime
    objectShare = measures.objectShare
    self.liveSites = liveSites
  }

  private var cpuText: String {
    guard let cpuTime else { return "not measured without a budget" }
    return "\(Int(cpuTime / .milliseconds(1))) ms"
  }

  /// One line for each number, as `kvo-audit control PID status` prints it.
  package var lines: [String] {
    var lines = [
      "recording: \(recordingPath ?? "no")",
      "events: \(eventCount)",
      "lost: \(lostEventCount)",
      "disk: \(diskByteCount) bytes",
      "memory: \(memoryByteCount) bytes",
      "cpu: \(cpuText)",
      "objects: \(Int(objectShare * 1_024)) of 1024",
      "live: \(liveRegistrationCount)",
    ]
    lines += liveSites.map { "  \($0.count) \($0.site.isEmpty ? "without a line" : $0.site)" }
    return lines
  }
}
