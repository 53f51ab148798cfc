import Glibc

/// How a program ended.
package enum ProgramEnd: Hashable, Sendable {
  case exited(status: Int32)
  case killed(signal: Int32)

  /// Ends this process as the program ended: with its status, or by its signal.
  ///
  /// So a shell says "Segmentation fault", and a script that is interrupted stops.
  package func repeatInThisProcess() -> Never {
    switch self {
    case .exited(let status): exit(status)
    case .killed(let number):
      // The dump that counts is the program's. A limit of 1 byte is the one that programs which take
      // dumps through a pipe are not started for, either (core(5)).
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      limit.rlim_cur = min(1, limit.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      signal(number, SIG_DFL)
      var set = sigset_t()
      sigemptyset(&set)
      sigaddset(&set, number)
      sigprocmask(SIG_UNBLOCK, &set, nil)
      kill(getpid(), number)
      exit(128 + number)
    }
  }
}
