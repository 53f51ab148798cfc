import Foundation
import TestSupport
import Testing

/// Programs in Objective-C, built by GCC against GNUstep, and the library that they are run with.
enum ObjectiveC {
  /// Whether this machine can build and run them.
  ///
  /// `Scripts/setup tests` sees to that.
  static let isAvailable = hasCompiler && output(of: ["gnustep-config", "--base-libs"]) != nil

  static let whyNot: Comment =
    "needs gobjc and libgnustep-base-dev, which Scripts/setup tests installs where it can"

  private static let package = ProgramRun.package

  static let reports = package.appending(path: "Tests/KVOPreloadTests/Reports")

  /// The folder of the programs' sources.
  static let sources = package.appending(path: "Tests/Programs/ObjectiveC")

  /// The folder for everything that is built, beside the tests themselves.
  private static let folder: URL = {
    let bundle = (try? ProgramRun.bundle) ?? URL(filePath: ".")
    return bundle.deletingLastPathComponent().appending(path: "objective-c")
  }()

  private static let emitter = package.appending(path: "Emitter/KVOSafetyEmitter.m")

  private static let lock = NSLock()
  // Guarded by the lock.
  nonisolated(unsafe) private static var built: [String: Result<URL, any Error>] = [:]

  /// A script of this package.
  static func script(_ name: String) -> URL { package.appending(path: "Scripts/\(name)") }

  /// A program of this name, from `name.m` and the model that all share.
  ///
  /// - Parameters:
  ///   - name: of the source, without its ending.
  ///   - others: sources beside them.
  ///   - isStripped: without symbols and debug information.
  ///   - runtime: what it is built for.
  /// - Returns: its path.
  /// - Throws: ``BuildFailure`` if it does not build.
  static func program(
    _ name: String,
    with others: [URL] = [],
    isStripped: Bool = false,
    on runtime: Runtime = .distributions
  ) throws -> URL {
    let kind = runtime.prefix == nil ? "" : "-\(runtime.kind)"
    let names = [name] + others.map { $0.deletingPathExtension().lastPathComponent }
    let own = [sources.appending(path: "\(name).m"), sources.appending(path: "Bank.m")]
    let objects = try (own + others).map { try object(of: $0, on: runtime).path }
    return try once(names.joined(separator: "-") + (isStripped ? "-stripped" : "") + kind) { file in
      let words = [runtime.compiler] + objects + ["-o", file.path] + (isStripped ? ["-s"] : [])
      try run(words + flags("--base-libs", of: runtime) + runtime.linking + ["-ldl"])
    }
  }

  /// A source, compiled once for all programs that have it.
  private static func object(of source: URL, on runtime: Runtime) throws -> URL {
    let kind = runtime.prefix == nil ? "" : "-\(runtime.kind)"
    let name = source.deletingPathExtension().lastPathComponent
    return try once("\(name)\(kind).o") { file in
      var words = [runtime.compiler, "-std=gnu11", "-D_GNU_SOURCE", "-O1"]
      words.append("-fno-optimize-sibling-calls")
      words += try flags("--objc-flags", of: runtime)
        .filter { $0 != "-MMD" && $0 != "-MP" && $0 != "-O2" }
      try run(words + ["-c", source.path, "-o", file.path])
    }
  }

  /// The program of the emitter's tests, with the emitter in it, which alone is built with ARC or without.
  static func emitting(on runtime: Runtime, withARC: Bool) throws -> URL {
    let kind = runtime.prefix == nil ? "" : "-\(runtime.kind)"
    return try once("Observing\(kind)\(withARC ? "-arc" : "")") { file in
      let object = file.appendingPathExtension("o")
      var words = [runtime.compiler, "-std=gnu11", "-Wall", "-Werror"]
      words += try flags("--objc-flags", of: runtime).filter { $0 != "-MMD" && $0 != "-MP" }
      let arc = withARC ? ["-fobjc-arc"] : []
      try run(words + arc + ["-c", emitter.path, "-o", object.path])
      let source = package.appending(path: "Tests/Programs/Observing/Observing.m").path
      let libraries = try flags("--base-libs", of: runtime) + runtime.linking
      try run(words + [source, object.path, "-o", file.path] + libraries)
    }
  }

  /// A program of this name with the emitter in it, which does nothing unless its variable is set.
  static func emitting(_ name: String, on runtime: Runtime) throws -> URL {
    if name == "Observing" { return try emitting(on: runtime, withARC: false) }
    return try program(name, with: [emitter], on: runtime)
  }

  /// A library of this name, for programs that load it late.
  ///
  /// - Parameters:
  ///   - name: of the source, without its ending.
  ///   - others: what else is compiled into it.
  /// - Returns: its path.
  /// - Throws: ``BuildFailure`` if it does not build.
  static func bundle(_ name: String, with others: [String] = []) throws -> URL {
    try once("\(name).so") { file in
      var words = ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-shared", "-O1"]
      words.append("-fno-optimize-sibling-calls")
      words += try flags("--objc-flags").filter { $0 != "-MMD" && $0 != "-MP" && $0 != "-O2" }
      words += ([name] + others).map { sources.appending(path: "\($0).m").path }
      words += ["-o", file.path]
      try run(words + flags("--base-libs"))
    }
  }

  /// A program in C alone.
  static func plainProgram(_ name: String) throws -> URL {
    try once(name) { file in
      let source = sources.appending(path: "\(name).c").path
      try run(["gcc", "-rdynamic", source, "-o", file.path, "-ldl"])
    }
  }

  /// A library in C alone, to be loaded before others.
  static func plainLibrary(_ name: String) throws -> URL {
    try once("\(name).so") { file in
      let source = sources.appending(path: "\(name).c").path
      try run(["gcc", "-D_GNU_SOURCE", "-shared", "-fPIC", source, "-o", file.path, "-ldl"])
    }
  }

  /// libKVOSafetyPreload.so, built by the script that users build it by.
  static func library() throws -> URL {
    try once("libKVOSafetyPreload.so") { file in
      try run([script("preload").path, file.deletingLastPathComponent().path])
    }
  }

  private static func once(_ name: String, _ build: (URL) throws -> Void) throws -> URL {
    lock.lock()
    defer { lock.unlock() }
    if let known = built[name] { return try known.get() }
    let result = Result<URL, any Error> {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appending(path: name)
      try build(file)
      return file
    }
    built[name] = result
    return try result.get()
  }

  private static var hasCompiler: Bool {
    output(of: ["gcc", "-print-prog-name=cc1obj"])?.hasPrefix("/") == true
  }

  private static func flags(
    _ option: String,
    of runtime: Runtime = .distributions
  ) throws -> [String] {
    let text = try #require(output(of: [runtime.configuration, option]))
    return text.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  private static func run(_ words: [String]) throws {
    let run = try ProgramRun(command: words)
    guard run.status != 0 else { return }
    throw BuildFailure(command: words.joined(separator: " "), output: run.output + run.complaint)
  }

  private static func output(of words: [String]) -> String? {
    guard let run = try? ProgramRun(command: words), run.status == 0 else { return nil }
    return run.output
  }
}

/// A program of the tests did not build.
struct BuildFailure: Error, CustomStringConvertible {
  let command: String
  let output: String
  var description: String { "\(command)\n\(output)" }
}
