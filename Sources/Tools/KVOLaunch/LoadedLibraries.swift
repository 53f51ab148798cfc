package import KVOSystem

/// The libraries that a program loads, as its own loader names them.
///
/// The loader is asked (`ld.so --list`, as `ldd` does), not only the headers: the path of a library
/// depends on run paths, caches and the environment. Nothing of the program runs for it.
package struct LoadedLibraries: Sendable {
  private let lines: [Substring]

  /// Asks the loader of the program; nil if it has none, or does not answer.
  package init?(of plan: LaunchPlan, environment: ProcessEnvironment) {
    guard let loader = plan.loader else { return nil }
    guard
      let program = try? PipedProgram(
        loader,
        ["--list", plan.image],
        environment: environment,
        losesErrors: true
      )
    else { return nil }
    program.closeInput()
    let text = String(decoding: program.outputToEnd(), as: UTF8.self)
    guard program.end() == 0 else { return nil }
    lines = text.split(separator: "\n")
  }

  /// The Objective-C runtime among them, `libobjc.so.4`, or nil.
  package var objectiveC: String? {
    lines.lazy
      .compactMap { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).first }
      .map { $0.split(separator: "/").last ?? $0 }
      .first { $0.hasPrefix("libobjc.so") }.map(String.init)
  }
}
