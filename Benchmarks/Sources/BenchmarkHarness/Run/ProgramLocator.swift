package import Foundation

/// Builds programs and finds them.
package struct ProgramLocator: Sendable {
  /// The root package.
  private let root: URL
  /// The folder of this package.
  private let benchmarks: URL
  /// The folder for compiled C programs.
  private let binaries: URL
  private var paths: [Program: String] = [:]

  /// A locator that has built nothing.
  ///
  /// - Parameters:
  ///   - root: the folder of the root package, which contains `Benchmarks/`.
  ///   - binaries: the folder for compiled C programs.
  package init(root: URL, binaries: URL) {
    self.root = root
    self.binaries = binaries
    benchmarks = root.appending(path: "Benchmarks")
  }

  /// The path of `program`.
  ///
  /// - Throws: ``BenchmarkFailure`` if it was not built.
  package func path(of program: Program) throws -> String {
    guard let path = paths[program] else {
      throw BenchmarkFailure("\"\(program.name)\" was not built")
    }
    return path
  }

  /// Builds the programs of `suite` whose requirements this machine has.
  ///
  /// - Throws: ``BenchmarkFailure`` if one does not build.
  package mutating func build(for suite: Suite, progress: (String) -> Void) throws {
    for row in suite.rows where Requirement.missingPackages(of: row.requirements).isEmpty {
      try build(row.workload.program, progress: progress)
    }
  }

  /// Builds `program`, once.
  package mutating func build(_ program: Program, progress: (String) -> Void) throws {
    guard paths[program] == nil else { return }
    switch program {
    case .tool(let name):
      guard let path = Tool.path(of: name) else {
        throw BenchmarkFailure("PATH has no \"\(name)\"")
      }
      paths[program] = path
    case .c(let source, let flags):
      progress("compiling \(source).c")
      paths[program] = try compile(source, flags)
    case .objectiveC(let source):
      progress("compiling \(source).m")
      paths[program] = try compileObjectiveC(source)
    case .product(let name, let build):
      progress("building \(name) (\(build.rawValue))")
      paths[program] = try swiftBuild(name, in: root, build)
    case .bench(let name):
      progress("building \(name)")
      paths[program] = try swiftBuild(name, in: benchmarks, .release)
    }
  }

  private func compile(_ source: String, _ flags: [String]) throws -> String {
    try FileManager.default.createDirectory(at: binaries, withIntermediateDirectories: true)
    let file = benchmarks.appending(path: "\(source).c")
    let output = binaries.appending(path: file.deletingPathExtension().lastPathComponent).path
    let include = [benchmarks.appending(path: "Driver"), file.deletingLastPathComponent()]
    try run(
      "cc",
      ["-O3", "-Wall", "-Wextra"] + include.map { "-I\($0.path)" } + [file.path, "-o", output]
        + flags
    )
    return output
  }

  private func compileObjectiveC(_ source: String) throws -> String {
    try FileManager.default.createDirectory(at: binaries, withIntermediateDirectories: true)
    let file = benchmarks.appending(path: "\(source).m")
    let output = binaries.appending(path: file.deletingPathExtension().lastPathComponent).path
    func flags(_ option: String) throws -> [String] {
      try run("gnustep-config", [option]).split(whereSeparator: \.isWhitespace).map(String.init)
        .filter { $0 != "-MMD" && $0 != "-MP" }
    }
    try run(
      "gcc",
      flags("--objc-flags") + ["-std=gnu11", "-I\(benchmarks.appending(path: "Driver").path)"]
        + [file.path, "-o", output] + flags("--base-libs")
    )
    return output
  }

  private func swiftBuild(
    _ product: String,
    in package: URL,
    _ build: Program.Build
  ) throws -> String {
    var options = ["--package-path", package.path]
    if package == root {
      // Without the macro, which no program here needs, because swift-syntax takes minutes to
      // build. In a separate folder, because builds with other traits undo each other's work.
      let folder = build == .standalone ? "standalone" : "benchmarks"
      options += ["--disable-default-traits"]
      options += ["--scratch-path", root.appending(path: ".build/\(folder)").path]
    }
    switch build {
    case .debug: options += ["-c", "debug"]
    case .release: options += ["-c", "release"]
    case .standalone: options += ["-c", "release", "--static-swift-stdlib"]
    }
    try run("swift", ["build", "--quiet"] + options + ["--product", product])
    let folder = try run("swift", ["build"] + options + ["--show-bin-path"])
    return folder.trimmingCharacters(in: .whitespacesAndNewlines) + "/\(product)"
  }

  @discardableResult
  private func run(_ name: String, _ arguments: [String]) throws -> String {
    guard let path = Tool.path(of: name) else { throw BenchmarkFailure("PATH has no \"\(name)\"") }
    let result = try ChildProcess.run(path, arguments)
    guard result.status == 0 else {
      throw BenchmarkFailure("\(name) \(arguments.joined(separator: " ")):\n\(result.output)")
    }
    return result.output
  }
}
