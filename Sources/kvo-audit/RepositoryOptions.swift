import ArgumentParser
import KVOReports

/// The repository of the source files, for forges.
struct RepositoryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Write paths of source files in sarif, gitlab and github relative to this folder; by default, relative to \
      the repository of the current folder, or to that folder.
      """,
      valueName: "folder"
    ),
    completion: .directory
  )
  var sourceRoot: String?

  @Option(
    help: ArgumentHelp(
      "The category that distinguishes this sarif report from others of the same commit, such as a platform.",
      valueName: "name"
    )
  )
  var category = "kvo-audit"

  /// The folder to which names of source files are relative.
  var root: SourceRoot? {
    get {
      guard let sourceRoot else { return SourceRoot.current }
      return SourceRoot(path: sourceRoot)
    }
  }

  func validate() throws {
    if let sourceRoot, SourceRoot(path: sourceRoot) == nil {
      throw ValidationError(
        "--source-root: \"\(sourceRoot)\" is no folder; name the root of the repository"
      )
    }
    if category.isEmpty { throw ValidationError("--category needs a name, such as linux-debug") }
  }
}
