import KVOAudit
import KVORules
import KVOText
import KVOTrace

extension JSONText {
  /// Where a finding is shown: at its first own frame; if none has a file, at its log.
  mutating func write(
    sarifLocationOf finding: Finding,
    in report: AuditReport,
    _ sources: SourceFiles
  ) {
    if let frame = finding.stacks.lazy.compactMap(\.shownFrame).first {
      write(sarifFrame: frame, sources)
      return
    }
    let path =
      report.inputs.indices.contains(finding.input) ? report.inputs[finding.input].path : ""
    object { text in
      text.key("physicalLocation")
      text.write(sarifPath: path, line: 0, sources)
    }
  }

  mutating func write(sarifStack stack: Finding.Stack, _ sources: SourceFiles) {
    object { text in
      text.key("message")
      text.write(sarifMessage: stack.heading)
      text.key("frames")
      text.list(stack.frames) { text, frame in
        text.object { text in
          text.key("location")
          text.write(sarifFrame: frame, sources)
          if let module = frame.module {
            text.key("module")
            text.value(module)
          }
        }
      }
    }
  }

  /// Writes a frame as a location.
  ///
  /// - Parameters:
  ///   - frame: the frame.
  ///   - id: its 1-based id for references in messages; nil: nothing does.
  ///   - message: the description of the location.
  ///   - sources: the files that are available.
  mutating func write(
    sarifFrame frame: Finding.StackFrame,
    id: Int? = nil,
    message: String? = nil,
    _ sources: SourceFiles
  ) {
    object { text in
      if let id {
        text.key("id")
        text.value(id)
      }
      if let file = frame.file {
        text.key("physicalLocation")
        text.write(sarifPath: file, line: frame.line, sources)
      } else if let address = frame.address, address <= UInt64(Int64.max) {
        text.key("physicalLocation")
        text.object { text in
          text.key("address")
          text.object { text in
            text.key("absoluteAddress")
            text.value(address)
          }
        }
      }
      if let symbol = frame.symbol {
        text.key("logicalLocations")
        text.list([symbol]) { text, symbol in
          text.object { text in
            text.key("fullyQualifiedName")
            text.value(symbol)
            text.key("kind")
            text.value("function")
          }
        }
      }
      if let message {
        text.key("message")
        text.write(sarifMessage: message)
      }
    }
  }

  mutating func write(sarifPath path: String, line: Int, _ sources: SourceFiles) {
    let file = sources[path]
    object { text in
      text.key("artifactLocation")
      text.object { text in
        text.key("uri")
        text.value(Self.uri(of: file.path))
        if file.isBelowRoot {
          text.key("uriBaseId")
          text.value(SARIFReportRenderer.rootID)
        }
      }
      guard line > 0 else { return }
      text.key("region")
      text.object { text in
        text.key("startLine")
        text.value(line)
        guard let all = file.lines?.columns, all.indices.contains(line - 1),
          let columns = all[line - 1]
        else { return }
        text.key("startColumn")
        text.value(columns.lowerBound)
        text.key("endLine")
        text.value(line)
        text.key("endColumn")
        text.value(columns.upperBound)
      }
    }
  }

  /// A path as a URI: with a scheme if it is absolute, else relative.
  ///
  /// Source: RFC 3986, 2.3 and 4.2.
  static func uri(of path: String) -> String {
    var uri = path.hasPrefix("/") ? "file://" : ""
    // A colon in the first part would end a scheme.
    if uri.isEmpty, path.prefix(while: { $0 != "/" }).contains(":") { uri = "./" }
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: ":"),
        UInt8(ascii: "+"), UInt8(ascii: "@"):
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        uri += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return uri
  }
}

extension Finding.Stack {
  /// The first own frame, if its file is known; otherwise the line that the compiler gave.
  var shownFrame: Finding.StackFrame? {
    frames.first { $0.isFirstOwn && $0.file != nil } ?? call
  }

  /// The line that the compiler gave, as a frame.
  private var call: Finding.StackFrame? {
    guard let site = site.map({ SourceSite($0) }), let line = site.line
    else { return nil }
    return Finding.StackFrame(
      symbol: function,
      file: String(site.file),
      line: line,
      isFirstOwn: true
    )
  }
}
