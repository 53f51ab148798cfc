package import KVOAudit
import KVOFindings
import KVOReportFile
import KVORules
import KVOText

extension ProfileMatrix {
  /// The matrix as JSON, as UTF-8, with a newline at its end.
  ///
  /// Every fault has every runtime as a key; null stands for one that does not have the fault.
  package var json: [UInt8] {
    var text = JSONText()
    text.object { text in
      text.key("schema")
      text.value(ReportFile.schema)
      text.key("inputs")
      text.list(inputs) { $0.write($1) }
      text.key("faults")
      text.list(rows) { $0.write($1) }
      text.key("notJudged")
      text.object { text in
        for profile in Profile.allCases {
          text.key(profile.rawValue)
          text.list(notJudged[profile, default: []].sorted()) { $0.value($1.rawValue) }
        }
      }
      text.key("unreadable")
      text.list(failures) { $0.write($1) }
      text.key("crashes")
      text.list(crashes) { $0.write($1) }
      text.key("suppressions")
      text.list(suppressions) { $0.write($1) }
    }
    text.end()
    return text.bytes
  }
}

extension JSONText {
  fileprivate mutating func write(_ row: ProfileMatrix.Row) {
    object { text in
      text.key("code")
      text.value(row.code.rawValue)
      text.key("slug")
      text.value(row.code.slug)
      text.key("signature")
      text.value(row.signature)
      text.key("message")
      text.value(row.message)
      text.key("profiles")
      text.object { text in
        for profile in Profile.allCases {
          text.key(profile.rawValue)
          text.write(row.cells[profile])
        }
      }
    }
  }

  private mutating func write(_ cell: ProfileMatrix.Cell?) {
    guard let cell else { return null() }
    object { text in
      text.key("severity")
      text.value(cell.severity.rawValue)
      text.key("consequence")
      text.value(cell.consequence.rawValue)
      text.key("count")
      text.value(cell.count)
      if cell.isExpected {
        text.key("expected")
        text.value(true)
      }
      if cell.isSuppressed {
        text.key("suppressed")
        text.value(true)
      }
    }
  }
}
