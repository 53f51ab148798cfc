package import KVOAudit
internal import KVOTrace
import KVOTraceBinary
import KVOTraceJSON

/// One form of a log made of another.
///
/// Every event comes over as it is, in the order in which it is read. If a part of the input cannot
/// be read, a `dropped` event stands for what is lost, so that an audit of the copy concludes no more
/// than from the original.
package struct LogConversion {
  /// What a log may be made into.
  package enum Form: String, Sendable, CaseIterable {
    case jsonLines = "jsonl"
    case binary = "kvolog"

    /// The form that `kind` is not.
    package init(otherThan kind: InputKind) {
      self = kind == .binary ? .jsonLines : .binary
    }
  }

  /// What a `dropped` event says that stands for a part which cannot be read.
  static let lossReason = "what stood here cannot be read"

  /// Takes the next bytes of the copy, on the thread that reads; false: no more are wanted.
  package typealias Output = (_ bytes: [UInt8], _ form: Form) -> Bool

  /// What was read.
  package private(set) var reading: LogReading?
  /// What is written; known when something is.
  package private(set) var form: Form?
  package private(set) var writtenByteCount = 0

  private let input: AuditInput
  private let keepsForm: Bool
  /// What makes other events of those that are read; nil: they stay.
  private(set) var rewriter: (any EventRewriting)?
  private var bytes: [UInt8] = []
  private var writer = BinaryLogWriter(session: UInt64.random(in: .min ... .max))
  private var isWanted = true

  private static let chunkByteCount = 256 << 10

  /// Makes a conversion.
  ///
  /// - Parameters:
  ///   - input: what to read.
  ///   - form: what to make of it; nil: the form that it is not.
  package init(of input: AuditInput, to form: Form?) {
    self.input = input
    self.form = form
    keepsForm = false
    rewriter = nil
  }

  /// Makes a conversion to the same form, of what `rewriter` makes of the events.
  init(of input: AuditInput, rewriting rewriter: any EventRewriting) {
    self.input = input
    self.rewriter = rewriter
    keepsForm = true
  }

  /// Reads the input to its end and gives the bytes of its copy to `output`.
  ///
  /// - Parameters:
  ///   - progress: called with how far it is.
  ///   - output: takes the copy.
  /// - Throws: ``InputFailure`` if the input is not a log. Some of it may have been written.
  /// - Complexity: O(bytes).
  package mutating func run(
    progress: LogSource.Progress? = nil,
    _ output: Output
  ) throws(InputFailure) {
    var names = TraceNames()
    let why = names.id(of: Self.lossReason)
    var kind = InputKind.jsonLines
    let source = LogSource(input, names: names, progress: progress)
    reading = try source.read(begin: { kind = $0 }) { content, names in
      decideForm(kind)
      switch content {
      case .events(let events, _):
        let names = names()
        for event in events { append(event, names, output) }
      case .damage: append(Event(.dropped(count: 1, why: why)), names(), output)
      case .classes: break
      }
    }
    decideForm(kind)
    if form == .binary { writer.finish(to: &bytes) }
    flush(output)
  }

  private mutating func decideForm(_ kind: InputKind) {
    if form != nil { return }
    let other = Form(otherThan: kind)
    form = keepsForm ? (other == .binary ? .jsonLines : .binary) : other
  }

  private mutating func append(_ event: Event, _ names: TraceNames, _ output: Output) {
    guard isWanted else { return }
    if let event = rewriter?.rewritten(event, from: names), let names = rewriter?.names {
      return write(event, names, output)
    }
    write(event, names, output)
  }

  private mutating func write(_ event: Event, _ names: TraceNames, _ output: Output) {
    if form == .binary {
      writer.append(event, names: names, to: &bytes)
    } else {
      JSONLinesWriter.append(event, names: names, to: &bytes)
    }
    if bytes.count >= Self.chunkByteCount { flush(output) }
  }

  private mutating func flush(_ output: Output) {
    guard isWanted, let form, !bytes.isEmpty else { return }
    isWanted = output(bytes, form)
    writtenByteCount += bytes.count
    bytes.removeAll(keepingCapacity: true)
  }
}
