/// How a finding compares with those of a previous report.
package enum BaselineState: Hashable, Sendable {
  case new
  case unchanged
  /// It occurs at another line; its signature was different.
  case moved(from: String)

  /// Its name in reports.
  package var name: String {
    switch self {
    case .new: "new"
    case .unchanged: "unchanged"
    case .moved: "moved"
    }
  }
}
