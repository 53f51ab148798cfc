import Foundation
import TestSupport

/// A program of this folder's tests that gcc builds against GNUstep.
struct ObjectiveCProgram {
  /// Whether gcc knows Objective-C and GNUstep's headers are there; `Scripts/setup tests` sees to both.
  static let isAvailable =
    FileManager.default.fileExists(atPath: "/usr/include/GNUstep/Foundation/Foundation.h")
    && shell("test -x \"$(gcc -print-prog-name=cc1obj)\" && gnustep-config --objc-flags").status
      == 0

  /// The comment of a test that is skipped because they are missing.
  static let need = "needs gobjc and libgnustep-base-dev"

  let path: String

  /// Builds a program of `sources`, paths inside the package, in `folder`.
  ///
  /// - Throws: ``Failure`` if gcc reports a warning or an error.
  init(_ name: String, of sources: [String], in folder: ScratchFolder) throws {
    path = folder.path(name)
    let files = sources.map { "'\(Built.package.appending(path: $0).path)'" }
    let run = Self.shell(
      """
      cd '\(folder.path)' && gcc $(gnustep-config --objc-flags) -std=gnu11 -Wall -Werror -O0 \
        \(files.joined(separator: " ")) -o '\(path)' $(gnustep-config --base-libs) 2>&1
      """
    )
    guard run.status == 0 else { throw Failure(message: run.output) }
  }

  /// What gcc said.
  struct Failure: Error {
    var message: String
  }

  /// Runs the program in `folder`, through a shell.
  ///
  /// - Parameters:
  ///   - settings: environment variables, before its name.
  ///   - before: a command.
  ///   - arguments: as a shell takes them.
  ///   - folder: the working directory.
  /// - Returns: its status, and all that it printed.
  func run(
    settings: String,
    before: String,
    arguments: String,
    in folder: ScratchFolder
  ) -> (status: Int32, output: String) {
    Self.shell(
      "cd '\(folder.path)'; ulimit -c 0; \(before)\n\(settings) '\(path)' \(arguments) 2>&1"
    )
  }

  /// Runs a script of bash, and gives its status and what it printed.
  private static func shell(_ script: String) -> (status: Int32, output: String) {
    guard let run = try? ProgramRun(shell: script) else { return (-1, "") }
    return (run.status, run.output)
  }
}
