import ArgumentParser
import KVOReports

/// The repository of the source files, for forges.
struct Repository {
  /// The folder to which names of source files are relative; nil: the repository of the current folder.
  var sourceRoot: String?
  /// What distinguishes a SARIF report from others of the same commit.
  var category = "kvo-audit"

  /// The folder to which names of source files are relative.
  var root: SourceRoot? {
    guard let sourceRoot else { return SourceRoot.current }
    return SourceRoot(path: sourceRoot)
  }

  func validate() throws {
    if let sourceRoot, SourceRoot(path: sourceRoot) == nil {
      throw ValidationError(
        "--source-root: \"\(sourceRoot)\" is not a folder; name the root of the repository"
      )
    }
    if category.isEmpty { throw ValidationError("--category needs a name, such as linux-debug") }
  }
}
