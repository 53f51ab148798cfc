extension FrameLine {
  /// As `signal.h` of Apple's systems and of Linux have them.
  private static let signals: Set<String> = [
    "SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCONT", "SIGEMT", "SIGFPE", "SIGHUP", "SIGILL",
    "SIGINFO", "SIGINT", "SIGIO", "SIGIOT", "SIGKILL", "SIGPIPE", "SIGPROF", "SIGPWR", "SIGQUIT",
    "SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP", "SIGTTIN",
    "SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ",
  ]

  /// Whether one of the words is an exception of the kernel (`EXC_BAD_ACCESS`) or a signal.
  ///
  /// Complexity: O(length).
  static func namesTermination(_ words: ArraySlice<UInt8>) -> Bool {
    words.split { !$0.isNamePart }.contains { word in
      if word.starts(with: "EXC_".utf8) { return word.count > 4 }
      guard word.starts(with: "SIG".utf8) else { return false }
      return signals.contains(String(decoding: word, as: UTF8.self))
    }
  }
}
