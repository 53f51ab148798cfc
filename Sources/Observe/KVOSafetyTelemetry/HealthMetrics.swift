#if Telemetry
public import CoreMetrics
internal import KVOSafety
internal import Synchronization

/// The numbers of ``KVOSafety/KVO/health`` as metrics of swift-metrics, whose backends pass them on to
/// OpenTelemetry, Prometheus or StatsD.
///
/// ```swift
/// let metrics = HealthMetrics()
/// try await metrics.run(every: .seconds(15))   // in a task of its own, until it is cancelled
/// ```
///
/// | metric | kind | unit |
/// |---|---|---|
/// | `kvo_safety.events`, `kvo_safety.events.lost` | counter | events |
/// | `kvo_safety.cpu` | floating-point counter; measured only within a budget | seconds |
/// | `kvo_safety.disk`, `kvo_safety.memory` | meter | bytes |
/// | `kvo_safety.recording` | meter | 1 while a log is written, otherwise 0 |
/// | `kvo_safety.objects.share` | meter | from 0 to 1 |
/// | `kvo_safety.registrations` | meter, the dimension `site` is a source line or `other` | live registrations |
///
/// Any thread may call each method.
public final class HealthMetrics: Sendable {
  private struct State {
    var recordingPath: String?
    var eventCount = 0
    var lostEventCount = 0
    var cpuTime = Duration.zero
    /// The meters of the source lines that had live registrations the last time.
    var sites: [String: Meter] = [:]
  }

  private let factory: any MetricsFactory
  private let siteLimit: Int
  private let events: Counter
  private let lostEvents: Counter
  private let cpu: FloatingPointCounter
  private let disk: Meter
  private let memory: Meter
  private let recording: Meter
  private let objectShare: Meter
  // State: `state`, under its own lock, which orders what `record()` compares with the last time. Its holder calls the handlers
  // of meters and counters, which call nothing of this library.
  private let state = Mutex(State())

  /// Metrics of this process; one value for a process.
  ///
  /// - Parameters:
  ///   - siteLimit: how many source lines have a meter of their own, those with the most live registrations; 0 or more. All others
  ///     are `other`.
  ///   - factory: makes the metrics.
  public init(siteLimit: Int = 20, factory: any MetricsFactory = MetricsSystem.factory) {
    self.factory = factory
    self.siteLimit = max(siteLimit, 0)
    events = Counter(label: "kvo_safety.events", factory: factory)
    lostEvents = Counter(label: "kvo_safety.events.lost", factory: factory)
    cpu = FloatingPointCounter(label: "kvo_safety.cpu", factory: factory)
    disk = Meter(label: "kvo_safety.disk", factory: factory)
    memory = Meter(label: "kvo_safety.memory", factory: factory)
    recording = Meter(label: "kvo_safety.recording", factory: factory)
    objectShare = Meter(label: "kvo_safety.objects.share", factory: factory)
  }

  /// Takes the numbers of this moment.
  ///
  /// Counters grow by what happened since the last time. A log that was started meanwhile counts from its beginning; what its
  /// predecessor recorded since the last time is not counted.
  ///
  /// - Complexity: O(objects + observations).
  public func record() { record(KVO.health) }

  /// Takes the numbers now, then whenever `interval` has passed, and once more at the end.
  ///
  /// - Parameter interval: the time between two readings.
  /// - Throws: `CancellationError` when the task is cancelled, which is its only end.
  public func run(every interval: Duration) async throws {
    defer { record() }
    while true {
      record()
      try await Task.sleep(for: interval)
    }
  }

  func record(_ health: RecordingHealth) {
    state.withLock { state in
      // Another log counts from its beginning.
      if let path = health.recordingPath, path != state.recordingPath {
        state.recordingPath = path
        (state.eventCount, state.lostEventCount, state.cpuTime) = (0, 0, .zero)
      }
      events.increment(by: growth(from: &state.eventCount, to: health.eventCount))
      lostEvents.increment(by: growth(from: &state.lostEventCount, to: health.lostEventCount))
      let cpuTime = health.cpuTime ?? .zero
      let spent = cpuTime < state.cpuTime ? cpuTime : cpuTime - state.cpuTime
      state.cpuTime = cpuTime
      cpu.increment(by: spent / .seconds(1))
      disk.set(health.diskByteCount)
      memory.set(health.memoryByteCount)
      recording.set(health.recordingPath == nil ? 0 : 1)
      objectShare.set(health.objectShare)
      record(health.liveSites, in: &state)
    }
  }

  private func growth(from last: inout Int, to count: Int) -> Int {
    defer { last = count }
    return count < last ? count : count - last
  }

  private func record(_ sites: [RecordingHealth.LiveSite], in state: inout State) {
    var counts: [String: Int] = [:]
    for (index, site) in sites.enumerated() {
      let isNamed = index < siteLimit && !site.site.isEmpty
      counts[isNamed ? site.site : "other", default: 0] += site.count
    }
    for (site, meter) in state.sites where counts[site] == nil {
      // Backends that keep the last value of a destroyed meter keep this one.
      meter.set(0)
      meter.destroy()
      state.sites[site] = nil
    }
    for (site, count) in counts {
      let meter = state.sites[site] ?? makeMeter(of: site)
      state.sites[site] = meter
      meter.set(count)
    }
  }

  private func makeMeter(of site: String) -> Meter {
    Meter(label: "kvo_safety.registrations", dimensions: [("site", site)], factory: factory)
  }
}
#endif
