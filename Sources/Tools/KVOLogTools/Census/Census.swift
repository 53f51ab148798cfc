package import KVOAudit
import KVOReplay
import KVORules
package import KVOTrace
import KVOTraceJSON

/// Who observes what when a log ends, even if it ends because the process was killed.
package struct Census: Sendable {
  /// Registrations that look alike.
  package struct Row: Hashable, Sendable {
    /// The class of the observed objects.
    package var subject: String
    package var keyPath: String
    /// The class of the observers, or nil in the token form without one.
    package var observer: String?
    /// The source line of the call, or the first own frame of its stack, or nil.
    package var location: String?
    /// The image whose code registered, by its path; nil: it is not known, or was not asked for.
    package var image: String?
    package var count: Int
  }

  /// What the log is called.
  package let label: String
  /// The commonest first, then by class, key path, observer and call site.
  package let rows: [Row]
  /// Whether rows say their image.
  let saysImages: Bool
  /// How the log's last process ended.
  let ending: ProcessReplay.Ending
  /// The missing parts of the log, a sentence each; with them, registrations and removals may be missing.
  package let incompleteness: [String]

  package var registrationCount: Int { rows.reduce(0) { $0 + $1.count } }

  /// Replays `input` to its end and counts what is registered there.
  ///
  /// - Parameters:
  ///   - input: the log.
  ///   - appModules: the user's own modules; empty: all but the system's and this package's.
  ///   - resolver: names functions and lines; nil: addresses stay addresses.
  ///   - saysImages: whether rows are also distinguished by the image that registered.
  ///   - progress: called with how far the log is read.
  /// - Throws: ``InputFailure`` if the input is not a log.
  /// - Complexity: O(bytes), plus O(n log n) in the live registrations.
  package init(
    of input: AuditInput,
    appModules: [String] = [],
    resolver: (any FrameResolver)? = nil,
    saysImages: Bool = false,
    progress: LogSource.Progress? = nil
  ) throws(InputFailure) {
    var tally = CensusTally(appModules: appModules, resolver: resolver, saysImages: saysImages)
    let ends = try LogEnds(of: input, appModules: appModules, progress: progress) {
      process,
      names,
      _ in
      tally.add(process, names: names)
    }
    label = input.label
    rows = tally.rows
    self.saysImages = saysImages
    ending = ends.ending
    incompleteness = ends.incompleteness
  }
}

/// Counts the registrations that are live at the ends of processes.
struct CensusTally {
  private struct Key: Hashable {
    var subject: String
    var keyPath: String
    var observer: String?
    var location: String?
    var image: String?
  }

  let appModules: [String]
  let resolver: (any FrameResolver)?
  let saysImages: Bool
  private var counts: [Key: Int] = [:]

  init(appModules: [String], resolver: (any FrameResolver)?, saysImages: Bool) {
    self.appModules = appModules
    self.resolver = resolver
    self.saysImages = saysImages
  }

  mutating func add(_ process: ProcessReplay, names: TraceNames) {
    let builder = FindingBuilder(
      names: names,
      profile: process.engine.profile,
      modules: process.modules,
      resolver: resolver,
      appModules: appModules.isEmpty ? nil : appModules
    )
    for (registration, registered) in process.engine.liveRegistrations {
      let stack = builder.stack(registered)
      let key = Key(
        subject: names[registration.subject.className],
        keyPath: names[registration.keyPath],
        observer: registration.observer.map { names[$0.className] },
        location: names.site(registration.site)?.location ?? stack.location,
        image: saysImages ? stack.image : nil
      )
      counts[key, default: 0] += 1
    }
  }

  var rows: [Census.Row] {
    counts
      .map { key, count in
        Census.Row(
          subject: key.subject,
          keyPath: key.keyPath,
          observer: key.observer,
          location: key.location,
          image: key.image,
          count: count
        )
      }
      .sorted { left, right in
        if left.count != right.count { return left.count > right.count }
        return (
          left.subject, left.keyPath, left.observer ?? "", left.location ?? "", left.image ?? ""
        ) < (
          right.subject, right.keyPath, right.observer ?? "", right.location ?? "",
          right.image ?? ""
        )
      }
  }
}
