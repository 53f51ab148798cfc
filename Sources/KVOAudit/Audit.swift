package import KVORules
import KVOTrace

/// The one way from usage logs to a report: read, put in order, judge, name, fold.
///
/// The command line, the test assertions and whatever else shows findings go through here.
package struct Audit {
  /// Is told how many bytes of an input are read, and how many it has, where that is known.
  package typealias Progress = (_ label: String, _ readByteCount: Int, _ byteCount: Int?) -> Void

  private let options: AuditOptions
  private let resolver: (any FrameResolver)?

  /// Makes an audit.
  ///
  /// - Parameters:
  ///   - options: how to judge.
  ///   - resolver: names functions and lines; nil: addresses stay addresses.
  package init(options: AuditOptions = AuditOptions(), resolver: (any FrameResolver)? = nil) {
    self.options = options
    self.resolver = resolver
  }

  /// Audits `inputs`, one after the other, each in one pass.
  ///
  /// An input that cannot be read is a failure of the report and keeps none of the others from being
  /// audited. Findings with one signature are one, with the events and stacks of the first input that
  /// has it.
  ///
  /// - Parameters:
  ///   - inputs: the logs.
  ///   - progress: called on this thread while an input is read.
  /// - Returns: the report.
  /// - Complexity: O(bytes) in time; memory as ``LogSource`` and the rules need, plus the findings.
  package func report(on inputs: [AuditInput], progress: Progress? = nil) -> AuditReport {
    var report = AuditReport()
    var merger = ReportMerger()
    for input in inputs {
      var replay = InputReplay(
        options: options,
        resolver: resolver,
        input: report.inputs.count
      )
      let source = LogSource(input) { progress?(input.label, $0, $1) }
      do throws(InputFailure) {
        let reading = try source.read { replay.take($0, names: $1) }
        replay.finish(names: reading.names)
        report.inputs.append(
          AuditReport.Input(
            path: input.label,
            kind: reading.kind,
            eventCount: reading.eventCount,
            damaged: reading.problems,
            damageCount: reading.problemCount
          )
        )
        merger.add(replay, label: input.label)
      } catch {
        report.failures.append(error)
      }
    }
    merger.fill(&report)
    return report
  }
}
