/// What a finding is beside those of a former report.
package enum BaselineState: Hashable, Sendable {
  case new
  case unchanged
  /// It is there in another line; its signature was another one.
  case moved(from: String)

  /// As reports name it.
  package var name: String {
    switch self {
    case .new: "new"
    case .unchanged: "unchanged"
    case .moved: "moved"
    }
  }
}
