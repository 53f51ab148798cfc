package import KVOAudit
import KVORules
internal import KVOTrace
import KVOTraceJSON

/// The call sites that register as flame graphs: what called what, and how many registrations resulted.
package struct CallSiteStacks: Sendable {
  /// What is counted.
  package enum Measure: String, Sendable, CaseIterable {
    /// Registrations that were made.
    case made
    /// Registrations that are live at the end.
    case live

    func count(_ count: CallSiteCount) -> Int {
      switch self {
      case .made: count.madeCount
      case .live: count.liveCount
      }
    }
  }

  let counts: [CallSiteCount]

  /// Makes the stacks of what an audit gathered (``AuditReport/callSites``).
  package init(_ counts: [CallSiteCount]) { self.counts = counts }

  /// A line for each stack: the functions, outermost first, parted by semicolons, and the count.
  ///
  /// What is observed is the last of them. UTF-8; empty if nothing was counted. Complexity:
  /// O(frames).
  ///
  /// Source: B. Gregg, FlameGraph, `stackcollapse.pl`.
  package func collapsed(_ measure: Measure) -> [UInt8] {
    var lines: [String: Int] = [:]
    for count in counts where measure.count(count) > 0 {
      let frames = count.site.graphFrames.map {
        ShownText.escaped($0.name).replacing(";", with: ":")
      }
      lines[frames.joined(separator: ";"), default: 0] += measure.count(count)
    }
    return Array(lines.keys.sorted().map { "\($0) \(lines[$0] ?? 0)\n" }.joined().utf8)
  }

  /// A document that speedscope shows, with a profile for each measure; UTF-8.
  ///
  /// Complexity: O(frames).
  ///
  /// Source: <https://www.speedscope.app/file-format-schema.json>.
  package func speedscope(name: String) -> [UInt8] {
    var frames: [GraphFrame] = []
    var indices: [GraphFrame: Int] = [:]
    let samples = counts.map { count in
      count.site.graphFrames.map { frame in
        if let index = indices[frame] { return index }
        indices[frame] = frames.count
        frames.append(frame)
        return frames.count - 1
      }
    }
    var text: [UInt8] = []
    text.append(
      contentsOf: #"{"$schema":"https://www.speedscope.app/file-format-schema.json","#.utf8
    )
    text.append(contentsOf: #""name":"#.utf8)
    text.append(jsonString: name)
    text.append(
      contentsOf: #","exporter":"kvo-audit \#(AuditVersion.current)","activeProfileIndex":0,"#.utf8
    )
    text.append(contentsOf: #""shared":{"frames":["#.utf8)
    for (index, frame) in frames.enumerated() {
      text.append(contentsOf: (index > 0 ? ",\n" : "\n").utf8)
      frame.write(to: &text)
    }
    text.append(contentsOf: "\n]},\n\"profiles\":[".utf8)
    for (index, measure) in Measure.allCases.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      append(measure, samples, to: &text)
    }
    text.append(contentsOf: "]}\n".utf8)
    return text
  }

  private func append(_ measure: Measure, _ samples: [[Int]], to text: inout [UInt8]) {
    let weighed = zip(counts, samples).map { (measure.count($0), $1) }.filter { $0.0 > 0 }
    let total = weighed.reduce(0) { $0 + $1.0 }
    text.append(contentsOf: "\n{\"type\":\"sampled\",\"name\":\"registrations \(measure)\",".utf8)
    text.append(contentsOf: "\"unit\":\"none\",\"startValue\":0,\"endValue\":\(total),".utf8)
    let stacks = weighed.map { "[\($0.1.map(String.init).joined(separator: ","))]" }
    text.append(contentsOf: "\n\"samples\":[\(stacks.joined(separator: ","))],".utf8)
    let weights = weighed.map { String($0.0) }.joined(separator: ",")
    text.append(contentsOf: "\n\"weights\":[\(weights)]}".utf8)
  }
}

/// A box of a flame graph.
struct GraphFrame: Hashable {
  var name: String
  var file: String?
  var line = 0

  func write(to text: inout [UInt8]) {
    text.append(contentsOf: #"{"name":"#.utf8)
    text.append(jsonString: name)
    if let file {
      text.append(contentsOf: #","file":"#.utf8)
      text.append(jsonString: file)
    }
    if line > 0 {
      text.append(contentsOf: #","line":"#.utf8)
      text.append(decimal: line)
    }
    text.append(UInt8(ascii: "}"))
  }
}

extension CallSite {
  /// The frames, outermost first, and what is observed.
  var graphFrames: [GraphFrame] {
    var frames = stack.frames.reversed().map { frame in
      GraphFrame(
        name: frame.name ?? "?",
        file: frame.file,
        line: frame.line
      )
    }
    if frames.isEmpty { frames = [GraphFrame(name: location ?? "(not recorded)")] }
    // A function may register in several lines.
    let line = stack.frames.isEmpty ? "" : location.map { " (\($0))" } ?? ""
    return frames + [GraphFrame(name: "\(subject).\(keyPath)\(line)")]
  }
}
