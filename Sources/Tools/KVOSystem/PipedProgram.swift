import Glibc
import Synchronization

/// A program that this process writes to and reads from.
///
/// Its standard input ends when this is released, or by ``closeInput()``; its process is waited for when this is released, and
/// should end with its input. Not synchronized.
package final class PipedProgram {
  /// Why a program was not started.
  package struct Failure: Error, CustomStringConvertible {
    /// The `errno`.
    package let code: Int32
    package var description: String { String(cString: strerror(code)) }
  }

  /// Where this process writes, or -1 if it is closed.
  package private(set) var input: Int32
  private let output: Int32
  private let id: pid_t
  private var hasEnded = false

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - arguments: without its name.
  ///   - environment: its variables.
  ///   - losesErrors: whether what it writes to its standard error is lost; otherwise it goes where this process's does.
  /// - Throws: ``Failure`` if the system does not start it.
  package init(
    _ path: String,
    _ arguments: [String],
    environment: ProcessEnvironment = .own,
    losesErrors: Bool
  ) throws(Failure) {
    (id, input, output) = try Self.starting.withLock { _ throws(Failure) in
      try Self.start(path, arguments, environment, losesErrors: losesErrors)
    }
  }

  /// Held while a program is started: it inherits the pipes of another one that are not marked yet.
  private static let starting = Mutex<Void>(())

  private static func start(
    _ path: String,
    _ arguments: [String],
    _ environment: ProcessEnvironment,
    losesErrors: Bool
  ) throws(Failure) -> (id: pid_t, input: Int32, output: Int32) {
    let toProgram = try pipe()
    let fromProgram: (reading: Int32, writing: Int32)
    do throws(Failure) {
      fromProgram = try pipe()
    } catch {
      close(toProgram.reading)
      close(toProgram.writing)
      throw error
    }
    var start = Spawn(mask: SignalSet([]), defaults: SignalSet([SIGPIPE]))
    start.input = toProgram.reading
    start.output = fromProgram.writing
    start.losesErrors = losesErrors
    let result = start.run(path, [path] + arguments, environment)
    close(toProgram.reading)
    close(fromProgram.writing)
    switch result {
    case .success(let id): return (id, toProgram.writing, fromProgram.reading)
    case .failure(let failure):
      close(toProgram.writing)
      close(fromProgram.reading)
      throw Failure(code: failure.code)
    }
  }

  deinit {
    closeInput()
    close(output)
    end()
  }

  /// Waits until the program has ended.
  ///
  /// - Returns: its status as `waitpid` has it; nil if it had ended before.
  @discardableResult
  package func end() -> Int32? {
    guard !hasEnded else { return nil }
    hasEnded = true
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { return nil }
    }
    return status
  }

  /// Ends the standard input of the program.
  package func closeInput() {
    guard input >= 0 else { return }
    close(input)
    input = -1
  }

  /// What the program has written, once there is something; empty once it has closed its standard output.
  package func nextOutput() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(output, &bytes, bytes.count)
      if count >= 0 { return Array(bytes.prefix(count)) }
      guard errno == EINTR else { return [] }
    }
  }

  /// All that the program writes until it closes its standard output.
  package func outputToEnd() -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let part = nextOutput()
      if part.isEmpty { return all }
      all += part
    }
  }

  /// Whether the program has not ended.
  package var isRunning: Bool {
    if !hasEnded { hasEnded = waitpid(id, nil, WNOHANG) != 0 }
    return !hasEnded
  }

  /// A pipe that no program inherits which is started later.
  private static func pipe() throws(Failure) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw Failure(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
