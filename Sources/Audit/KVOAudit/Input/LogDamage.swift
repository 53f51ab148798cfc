import KVOText
internal import KVOTrace
import KVOTraceBinary
package import KVOTraceJSON

/// A location in an input that cannot be read, and may hide events.
package struct LogDamage: Hashable, Sendable {
  /// Where it is.
  package enum Location: Hashable, Sendable {
    /// In text: both from 1, the column in bytes.
    case text(line: Int, column: Int)
    /// In bytes, from 0; `byteCount` of them are lost, 0 if that is not a matter of bytes.
    case bytes(offset: Int, byteCount: Int)
  }

  package var location: Location
  /// The file, if it is not the input itself but an older part of its log.
  package var path: String?
  /// The problem, without a full stop.
  package var message: String
  /// The number that an event here would have: that of the line, or the next one after the events so far.
  package var number: Int

  package init(location: Location, path: String? = nil, message: String, number: Int) {
    self.location = location
    self.path = path
    self.message = message
    self.number = number
  }

  package init(_ problem: LogProblem) {
    self.init(
      location: .text(line: problem.line, column: problem.column),
      message: problem.message,
      number: problem.line
    )
  }

  init(_ problem: BinaryLogProblem, path: String?, number: Int) {
    self.init(
      location: .bytes(offset: problem.offset, byteCount: problem.byteCount),
      path: path,
      message: problem.message + Self.extent(of: problem),
      number: number
    )
  }

  /// The place where the compressed bytes of an input are damaged or end too early, if they do.
  init?(_ source: ByteSource, number: Int) {
    guard let damage = source.damage else { return nil }
    self.init(
      location: .bytes(offset: damage.offset, byteCount: 0),
      message: damage.reason,
      number: number
    )
  }

  /// As compilers write it: `app.jsonl:3:14: …`, `app.kvolog: byte 8,192: …`.
  package func text(input: String) -> String {
    switch location {
    case .text(let line, let column): "\(path ?? input):\(line):\(column): \(message)"
    case .bytes(let offset, _):
      "\(path ?? input): byte \(Wording.grouped(offset)): \(message)"
    }
  }

  /// How many bytes are lost, and of which time, as far as that is known.
  private static func extent(of problem: BinaryLogProblem) -> String {
    var parts: [String] = []
    if problem.byteCount > 0 { parts.append(Wording.count(problem.byteCount, "byte")) }
    switch (problem.from, problem.to) {
    case (let from?, let to?): parts.append("\(seconds(from)) to \(seconds(to)) s")
    case (let from?, nil): parts.append("from \(seconds(from)) s on")
    case (nil, let to?): parts.append("up to \(seconds(to)) s")
    case (nil, nil): break
    }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }

  /// Milliseconds are enough to find a point in time, and are cut off, not rounded.
  private static func seconds(_ nanoseconds: UInt64) -> String {
    let milliseconds = String(nanoseconds / 1_000_000 % 1000 + 1000).dropFirst()
    return "\(nanoseconds / 1_000_000_000).\(milliseconds)"
  }
}
