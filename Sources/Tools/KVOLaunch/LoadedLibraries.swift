import Glibc

/// The libraries that a program loads, as its own loader names them.
///
/// The loader is asked (`ld.so --list`, as `ldd` does), not only the headers: the path of a library
/// depends on run paths, caches and the environment. Nothing of the program runs for it.
package struct LoadedLibraries: Sendable {
  private let lines: [Substring]

  /// Asks the loader of the program; nil if it has none, or does not answer.
  package init?(of plan: LaunchPlan, environment: ProcessEnvironment) {
    guard let loader = plan.loader else { return nil }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let start = Spawn(mask: SignalSet([]), defaults: SignalSet([SIGPIPE]), output: ends[1])
    let result = start.run(loader, [loader, "--list", plan.image], environment.list)
    close(ends[1])
    defer { close(ends[0]) }
    guard case .success(let id) = result else { return nil }
    let text = Self.readToEnd(ends[0])
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { return nil }
    lines = text.split(separator: "\n")
  }

  /// The Objective-C runtime among them, `libobjc.so.4`, or nil.
  package var objectiveC: String? {
    lines.lazy
      .compactMap { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).first }
      .map { $0.split(separator: "/").last ?? $0 }
      .first { $0.hasPrefix("libobjc.so") }.map(String.init)
  }

  private static func readToEnd(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
