import Glibc
package import KVOSystem

/// A program that was started, and to which this process passes its signals on.
///
/// It runs in the process group and on the terminal of this process, and has its open files. What a
/// terminal sends (Ctrl-C, Ctrl-\, Ctrl-Z) reaches it directly, and only keeps this process
/// waiting; a signal that is sent only to this process is sent on:
///
///     terminal  ── SIGINT ──▶ program, and this process, which goes on waiting
///     kill -INT ── SIGINT ──▶ this process ── SIGINT ──▶ program
///     Ctrl-Z    ── SIGTSTP ─▶ program stops ── SIGCHLD ──▶ this process stops
///     fg        ── SIGCONT ─▶ both go on
///     kill -STOP program    ▶ program stops, and this process goes on waiting
///
/// This process stops with the program only if it got a SIGTSTP, too. If the program alone was stopped, by itself, a
/// debugger or a supervisor, that one continues it, and would not continue this process.
///
/// No handler is installed: the signals are blocked, and one thread takes them one after the other. So a
/// process must have no other thread that could get them.
package struct RunningProgram: ~Copyable {
  private let id: pid_t
  private let watched: SignalSet
  private let previousMask: SignalSet

  /// The signals that are sent on.
  ///
  /// A signal that was ignored when this process began, as under `nohup`, is ignored by both.
  private static let passedOn = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT,
  ]

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - plan: what to run.
  ///   - environment: its variables.
  ///   - ignoresBrokenPipes: whether this process was started with SIGPIPE ignored, which the program
  ///     then inherits.
  /// - Throws: ``LaunchRefusal`` if the system does not start it.
  package init(
    _ plan: LaunchPlan,
    environment: ProcessEnvironment,
    ignoresBrokenPipes: Bool
  ) throws(LaunchRefusal) {
    watched = SignalSet(Self.passedOn.filter { !Self.isIgnored($0) } + [SIGCHLD])
    // A parent may have left it ignored, and then the end is not reported.
    signal(SIGCHLD, SIG_DFL)
    previousMask = watched.block()
    let start = Spawn(
      mask: previousMask,
      defaults: SignalSet(ignoresBrokenPipes ? [] : [SIGPIPE])
    )
    switch start.run(plan.executable, plan.arguments, environment) {
    case .success(let id): self.id = id
    case .failure(let failure):
      previousMask.restore()
      throw .unusable(
        "\"\(plan.executable)\" cannot be run: \(String(cString: strerror(failure.code)))"
      )
    }
  }

  /// Waits for the end of the program, and passes signals on until then.
  ///
  /// - Returns: how it ended. From then on this process gets its signals as before; those of the time of
  ///   waiting are forgotten.
  package consuming func end() -> ProgramEnd {
    var isProgramStopped = false
    var isStopRequested = false
    while true {
      var information = siginfo_t()
      var set = watched.set
      switch sigwaitinfo(&set, &information) {
      case SIGCHLD:
        if let end = look(&isProgramStopped) {
          watched.forgetPending()
          previousMask.restore()
          return end
        }
      case let number where number > 0:
        if number == SIGTSTP { isStopRequested = true }
        if number == SIGCONT { isStopRequested = false }
        // One of the terminal, or of the kernel otherwise, has reached the program.
        if information.si_code <= 0 { kill(id, number) }
      default: break
      }
      // The program may have stopped before its signal arrives here.
      if isProgramStopped, isStopRequested || SignalSet.isPending(SIGTSTP) {
        isStopRequested = false
        if stop() { isProgramStopped = false }
      }
    }
  }

  /// Asks what became of the program; nil if it has not ended.
  private func look(_ isStopped: inout Bool) -> ProgramEnd? {
    while true {
      var information = siginfo_t()
      let options = WEXITED | WSTOPPED | WCONTINUED | WNOHANG
      let result = waitid(P_PID, id_t(id), &information, options)
      if result != 0, errno == EINTR { continue }
      guard result == 0, information._sifields._sigchld.si_pid == id else { return nil }
      let status = information._sifields._sigchld.si_status
      switch Int(information.si_code) {
      case CLD_EXITED: return .exited(status: status)
      case CLD_KILLED, CLD_DUMPED: return .killed(signal: status)
      case CLD_STOPPED: isStopped = true
      case CLD_CONTINUED: isStopped = false
      default: return nil
      }
    }
  }

  /// Stops this process as the program is stopped, so that a shell sees the job stopped.
  ///
  /// A group that no shell watches cannot be stopped by SIGTSTP: then this process goes on waiting.
  ///
  /// - Returns: whether this process was continued, and continued the program.
  private func stop() -> Bool {
    let stopping = SignalSet([SIGTSTP])
    kill(getpid(), SIGTSTP)
    stopping.unblock()
    // Stopped, until a SIGCONT arrives.
    _ = stopping.block()
    guard SignalSet.isPending(SIGCONT) else { return false }
    kill(id, SIGCONT)
    return true
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
