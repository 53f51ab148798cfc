internal import KVOTrace
import KVOTraceJSON

/// Writes events of the Trace Event Format, a line each.
///
/// Source: "Trace Event Format", Google, <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>;
/// Perfetto reads it as "JSON trace format".
struct TraceEventWriter {
  /// The kinds of events that are written, as the format names them.
  enum Phase: String {
    case begin = "b"
    case end = "e"
    case complete = "X"
    case instant = "i"
    case metadata = "M"
    case flowStart = "s"
    case flowEnd = "f"
  }

  /// A value of `args`.
  enum Argument {
    case text(String)
    case number(Int)
  }

  /// An event.
  struct Event {
    var phase: Phase
    var name: String
    /// What it is of, by which viewers filter.
    var category = ""
    /// In nanoseconds; nil for metadata.
    var time: UInt64?
    /// In nanoseconds, of complete events.
    var duration: UInt64?
    var process: Int
    var thread: Int
    /// What ties the two ends of an observation, or of a flow, together.
    var id: String?
    var arguments: [(name: String, value: Argument)] = []
  }

  private(set) var bytes: [UInt8] = []
  private var hasEvents = false

  init() { bytes.append(contentsOf: #"{"displayTimeUnit":"ns","traceEvents":["#.utf8) }

  /// Gives what was written and begins again.
  mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  mutating func append(_ event: Event) {
    bytes.append(contentsOf: (hasEvents ? ",\n" : "\n").utf8)
    hasEvents = true
    bytes.append(contentsOf: #"{"ph":""#.utf8)
    bytes.append(contentsOf: event.phase.rawValue.utf8)
    bytes.append(contentsOf: #"","name":"#.utf8)
    bytes.append(jsonString: event.name)
    if !event.category.isEmpty {
      bytes.append(contentsOf: #","cat":"#.utf8)
      bytes.append(jsonString: event.category)
    }
    if let time = event.time { append("ts", microseconds: time) }
    if let duration = event.duration { append("dur", microseconds: duration) }
    append("pid", event.process)
    append("tid", event.thread)
    if let id = event.id {
      bytes.append(contentsOf: #","id":"#.utf8)
      bytes.append(jsonString: id)
    }
    // An instant is drawn in its thread; the end of a flow is tied to the slice around it.
    if event.phase == .instant { bytes.append(contentsOf: #","s":"t""#.utf8) }
    if event.phase == .flowEnd { bytes.append(contentsOf: #","bp":"e""#.utf8) }
    if !event.arguments.isEmpty { append(event.arguments) }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Ends the document.
  mutating func finish() { bytes.append(contentsOf: "\n]}\n".utf8) }

  private mutating func append(_ arguments: [(name: String, value: Argument)]) {
    bytes.append(contentsOf: #","args":{"#.utf8)
    for (index, argument) in arguments.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(jsonString: argument.name)
      bytes.append(UInt8(ascii: ":"))
      switch argument.value {
      case .text(let text): bytes.append(jsonString: text)
      case .number(let number): bytes.append(decimal: number)
      }
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func append(_ key: String, _ number: Int) {
    bytes.append(contentsOf: ",\"\(key)\":".utf8)
    bytes.append(decimal: number)
  }

  /// Nanoseconds as microseconds with three decimals.
  private mutating func append(_ key: String, microseconds nanoseconds: UInt64) {
    bytes.append(contentsOf: ",\"\(key)\":".utf8)
    bytes.append(decimal: nanoseconds / 1_000)
    let rest = nanoseconds % 1_000
    if rest > 0 {
      bytes.append(UInt8(ascii: "."))
      bytes.append(contentsOf: String(1_000 + rest).dropFirst().utf8)
    }
  }
}
