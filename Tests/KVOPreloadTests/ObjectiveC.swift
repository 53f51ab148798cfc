import Foundation
import Testing

/// Programs in Objective-C, built by GCC against GNUstep, and the library that they are run with.
enum ObjectiveC {
  /// Whether this machine can build and run them.
  ///
  /// `Scripts/setup tests` sees to that.
  static let isAvailable = hasCompiler && output(of: ["gnustep-config", "--base-libs"]) != nil

  static let whyNot: Comment =
    "needs gobjc and libgnustep-base-dev, which Scripts/setup tests installs where it can"

  private static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static let reports = package.appending(path: "Tests/KVOPreloadTests/Reports")

  /// Where the programs' sources are.
  static let sources = package.appending(path: "Tests/Programs/ObjectiveC")

  /// Where all that is built goes, beside the tests themselves.
  private static let folder: URL = {
    let bundle = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: bundle ?? ".").deletingLastPathComponent().appending(path: "objective-c")
  }()

  private static let lock = NSLock()
  // Guarded by the lock.
  nonisolated(unsafe) private static var built: [String: Result<URL, any Error>] = [:]

  /// A program of this name, from `name.m` and the model that all share.
  ///
  /// - Parameters:
  ///   - name: of the source, without its ending.
  ///   - isStripped: without symbols and debug information.
  ///   - runtime: what it is built for.
  /// - Returns: where it is.
  /// - Throws: ``BuildFailure`` where it does not build.
  static func program(
    _ name: String,
    isStripped: Bool = false,
    on runtime: Runtime = .distributions
  ) throws -> URL {
    let kind = runtime.prefix == nil ? "" : "-\(runtime.kind)"
    return try once(name + (isStripped ? "-stripped" : "") + kind) { file in
      var words = [runtime.compiler, "-std=gnu11", "-D_GNU_SOURCE", "-O1"]
      words.append("-fno-optimize-sibling-calls")
      words += try flags("--objc-flags", of: runtime)
        .filter { $0 != "-MMD" && $0 != "-MP" && $0 != "-O2" }
      words += [sources.appending(path: "\(name).m").path, sources.appending(path: "Bank.m").path]
      words += ["-o", file.path] + (isStripped ? ["-s"] : [])
      try run(words + flags("--base-libs", of: runtime) + runtime.linking + ["-ldl"])
    }
  }

  /// A library of this name, for programs that load it late.
  ///
  /// - Parameters:
  ///   - name: of the source, without its ending.
  ///   - others: what else is compiled into it.
  /// - Returns: where it is.
  /// - Throws: ``BuildFailure`` where it does not build.
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

  /// libKVOSafetyPreload.so, built by the script that users build it by.
  static func library() throws -> URL {
    try once("libKVOSafetyPreload.so") { file in
      let script = package.appending(path: "Scripts/preload").path
      try run([script, file.deletingLastPathComponent().path])
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
    let (status, text) = try execute(words)
    if status != 0 { throw BuildFailure(command: words.joined(separator: " "), output: text) }
  }

  private static func output(of words: [String]) -> String? {
    guard let (status, text) = try? execute(words), status == 0 else { return nil }
    return text
  }

  private static func execute(_ words: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}

/// A program of the tests did not build.
struct BuildFailure: Error, CustomStringConvertible {
  let command: String
  let output: String
  var description: String { "\(command)\n\(output)" }
}
