import ArgumentParser
import KVOReports

/// The repository of the source files, for forges.
struct RepositoryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Name source files relative to this folder in sarif, gitlab and github, as forges do; without it, to the \
      repository that the current folder is in, or to that folder.
      """,
      valueName: "folder"
    ),
    completion: .directory
  )
  var sourceRoot: String?

  @Option(
    help: ArgumentHelp(
      "What tells this report from others of one commit in sarif, such as the platform of the tests.",
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
