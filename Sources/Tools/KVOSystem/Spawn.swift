package import Glibc

/// How a process is started: `posix_spawn` with what it needs of it.
package struct Spawn {
  package struct Failure: Error {
    package var code: Int32
  }

  /// The signals that are blocked in the new process.
  package var mask: SignalSet
  /// The signals that are not ignored in it, whatever this process does.
  package var defaults: SignalSet
  /// The descriptors for its standard input and output; nil: that of this process.
  package var input: Int32?
  package var output: Int32?
  /// Whether its standard error is lost.
  package var losesErrors = false

  /// A start in which the program has the descriptors of this process.
  package init(mask: SignalSet, defaults: SignalSet) {
    self.mask = mask
    self.defaults = defaults
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - arguments: its name first.
  ///   - environment: its variables.
  /// - Returns: its process id.
  package func run(
    _ path: String,
    _ arguments: [String],
    _ environment: ProcessEnvironment
  ) -> Result<pid_t, Failure> {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = mask.set
    var defaults = defaults.set
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
    if losesErrors {
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    }
    var id: pid_t = 0
    let code = Self.withCStrings(arguments.map { Array($0.utf8CString) }) { arguments in
      Self.withCStrings(environment.entries) { environment in
        posix_spawn(&id, path, &actions, &attributes, arguments, environment)
      }
    }
    return code == 0 ? .success(id) : .failure(Failure(code: code))
  }

  /// Calls `body` with a list of texts, which end in zero, as `execve` takes them; they live for the call.
  private static func withCStrings<Value>(
    _ texts: [[CChar]],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
  ) -> Value {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}
