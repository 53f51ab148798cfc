package import KVOFindings
import KVORules
package import KVOTrace

/// The one way from usage logs to a report: read, order, judge, symbolicate, fold.
///
/// The command line, the test assertions and all other users of findings go through here.
package struct Audit {
  /// Called with how many bytes of an input are read, and how many it has, if that is known.
  package typealias Progress = (_ label: String, _ readByteCount: Int, _ byteCount: Int?) -> Void

  private let options: AuditOptions
  private let resolver: (any FrameResolver)?
  private let importer: (any TextImporter)?
  private let workerCount: Int?

  /// Makes an audit.
  ///
  /// - Parameters:
  ///   - options: how to judge.
  ///   - resolver: names functions and lines; nil: addresses are not symbolicated. Called by one thread at a time.
  ///   - importer: reads inputs that are not usage logs as crash reports and console text; nil: such an input is
  ///     unreadable.
  ///   - workerCount: how many threads read and judge; nil: as many as there are processors. One input has two at the
  ///     most, one that reads it and one that judges it.
  package init(
    options: AuditOptions = AuditOptions(),
    resolver: (any FrameResolver)? = nil,
    importer: (any TextImporter)? = nil,
    workerCount: Int? = nil
  ) {
    self.options = options
    self.resolver = resolver
    self.importer = importer
    self.workerCount = workerCount
  }

  /// The same audit for the runtime of `profile`.
  func judging(as profile: Profile) -> Audit {
    var options = options
    options.profile = profile
    return Audit(
      options: options,
      resolver: resolver,
      importer: importer,
      workerCount: workerCount
    )
  }

  /// Audits `inputs`, each in one pass, several at a time.
  ///
  /// An input that cannot be read is a failure of the report and does not prevent the audit of the others. Findings
  /// with one signature are one, with the events and stacks of the first input that has it. The report is the same as
  /// if the inputs were read one after the other.
  ///
  /// - Parameters:
  ///   - inputs: the logs.
  ///   - progress: called while an input is read, on the thread that reads it, which is the calling thread if there is
  ///     one input. Never by two threads at a time, and not after this has returned.
  /// - Returns: the report.
  /// - Complexity: O(bytes) in time; memory as ``LogSource`` and the rules need, for as many inputs as
  ///   are read at a time, plus the distinct findings of all.
  package func report(on inputs: [AuditInput], progress: Progress? = nil) -> AuditReport {
    var report = AuditReport()
    var merger = ReportMerger()
    let batch = InputBatch(
      inputs,
      options: options,
      resolver: resolver,
      importer: importer,
      progress: progress
    )
    batch.replayAll(workerCount: workerCount) { input, result in
      switch result {
      case .success(let outcome):
        report.inputs.append(outcome.input)
        merger.add(outcome, label: input.label)
      case .failure(let failure): report.failures.append(failure)
      }
    }
    merger.fill(&report)
    return report
  }
}
