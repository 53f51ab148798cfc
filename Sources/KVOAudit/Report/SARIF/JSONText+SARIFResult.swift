import KVORules

extension JSONText {
  /// Writes a finding as a result of SARIF.
  mutating func write(sarifResult finding: Finding, in report: AuditReport) {
    object { text in
      text.key("ruleId")
      text.value(finding.code.rawValue)
      text.key("ruleIndex")
      text.value(RuleCatalogue.entries.firstIndex { $0.code == finding.code })
      text.key("level")
      text.value(finding.severity.rawValue)
      text.key("message")
      text.write(sarifMessage: "\(finding.message). Fix: \(finding.hint)")
      text.key("locations")
      text.list([finding]) { $0.write(sarifLocationOf: $1, in: report) }
      text.key("relatedLocations")
      text.list(finding.relatedFrames) { text, related in
        text.write(sarifFrame: related.frame, message: related.role)
      }
      text.key("stacks")
      text.list(finding.stacks.filter { !$0.frames.isEmpty }) { $0.write(sarifStack: $1) }
      text.key("occurrenceCount")
      text.value(finding.count)
      if report.comparison != nil {
        text.key("baselineState")
        text.value(finding.sarifBaselineState)
      }
      text.key("partialFingerprints")
      text.object { text in
        if Signature.isCurrent(finding.signature) {
          text.key("kvoAuditSignature/v2")
          text.value(finding.signature)
        }
        // Services that know it by the former one go on knowing it.
        if let former = finding.version1Signatures.first {
          text.key("kvoAuditSignature/v1")
          text.value(former)
        }
      }
      text.key("suppressions")
      text.list(finding.suppressionReasons) { text, reason in
        text.object { text in
          text.key("kind")
          text.value("external")
          text.key("justification")
          text.value(reason)
        }
      }
      text.key("properties")
      text.object { text in
        text.key("profile")
        text.value(finding.profile.rawValue)
        text.key("consequence")
        text.value(finding.consequence.rawValue)
        text.key("confidence")
        text.value(finding.confidence.rawValue)
        text.key("events")
        text.numbers(finding.events)
      }
    }
  }

  /// Where a finding is shown: at its first own frame; where none has a file, at its log.
  private mutating func write(sarifLocationOf finding: Finding, in report: AuditReport) {
    if let frame = finding.stacks.lazy.compactMap(\.shownFrame).first {
      write(sarifFrame: frame, message: nil)
      return
    }
    let path =
      report.inputs.indices.contains(finding.input) ? report.inputs[finding.input].path : ""
    object { text in
      text.key("physicalLocation")
      text.write(sarifPath: path, line: 0)
    }
  }

  private mutating func write(sarifStack stack: Finding.Stack) {
    object { text in
      text.key("message")
      text.write(sarifMessage: stack.heading)
      text.key("frames")
      text.list(stack.frames) { text, frame in
        text.object { text in
          text.key("location")
          text.write(sarifFrame: frame, message: nil)
          if let module = frame.module {
            text.key("module")
            text.value(module)
          }
        }
      }
    }
  }

  private mutating func write(sarifFrame frame: Finding.StackFrame, message: String?) {
    object { text in
      if let file = frame.file {
        text.key("physicalLocation")
        text.write(sarifPath: file, line: frame.line)
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

  mutating func write(sarifPath path: String, line: Int) {
    object { text in
      text.key("artifactLocation")
      text.object { text in
        text.key("uri")
        text.value(Self.uri(of: path))
      }
      if line > 0 {
        text.key("region")
        text.object { text in
          text.key("startLine")
          text.value(line)
        }
      }
    }
  }

  /// A path as a URI: with a scheme where it is absolute, else relative.
  ///
  /// Source: RFC 3986, 2.3 and 4.2.
  private static func uri(of path: String) -> String {
    var uri = path.hasPrefix("/") ? "file://" : ""
    // A colon in the first part would be the end of a scheme.
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

extension Finding {
  /// Why the finding does not count, for those who show it all the same.
  fileprivate var suppressionReasons: [String] {
    (isExpected ? ["a test says that this is meant"] : [])
      + (isSuppressed ? [suppression?.reason ?? "suppressed by the project"] : [])
  }

  /// Absent: it is one of the former report's.
  fileprivate var sarifBaselineState: String {
    switch baseline {
    case .new: "new"
    case .unchanged: "unchanged"
    case .moved: "updated"
    case nil: "absent"
    }
  }

  /// The own frames of the stacks behind the first, as many as a result may have.
  fileprivate var relatedFrames: [(role: String, frame: StackFrame)] {
    let all = stacks.dropFirst().compactMap { stack in
      stack.shownFrame.map { (stack.heading, $0) }
    }
    return Array(all.prefix(ReportLimit.sarifLocationCount))
  }
}

extension Finding.Stack {
  /// The first own frame, where its file is known.
  fileprivate var shownFrame: Finding.StackFrame? {
    frames.first { $0.isFirstOwn && $0.file != nil }
  }
}
