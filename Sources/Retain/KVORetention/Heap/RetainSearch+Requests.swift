internal import CKVORetention
internal import Glibc

extension RetainSearch {
  /// Lets `kvo-audit heap --pid`, and a signal, take snapshots of this process while it runs.
  ///
  /// ```swift
  /// try RetainSearch().allowSnapshots(on: SIGUSR2, to: "/var/tmp")
  /// // kvo-audit heap --pid 4711 --leaks
  /// // kill -USR2 4711       writes /var/tmp/server-4711-1.kvoheap
  /// ```
  ///
  /// Starts a thread that waits for requests. For each of them it makes a copy of the process by
  /// `fork`, in which the search runs: the program is stopped only while the copy is made, and a
  /// crash or a hang of the copy does not affect it. Handlers of `pthread_atfork` run, and the
  /// program receives a SIGCHLD for the copy. If another thread was in the middle of a change, the
  /// snapshot may show that object as it was at that moment, half changed.
  ///
  /// Only processes of the same user and of root may ask for a snapshot. If a signal is given, the
  /// thread writes `NAME-PID-NUMBER.kvoheap` into the folder, with the next number from 1 on that
  /// no file there has, and its path, or the reason why there is none, to standard error. The
  /// signal's handler only wakes the thread; a handler that the program installed before is called
  /// as well. A signal that all threads block has no effect.
  ///
  /// A later call in the same process only adds its signal: the first one determines the folder and
  /// the time limit. A child process must call this method itself. Can be called on any thread, but
  /// not in a signal handler.
  ///
  /// - Parameters:
  ///   - signal: a signal that requests a snapshot, such as `SIGUSR2`; not one of a fault, such as
  ///     `SIGSEGV`.
  ///   - folder: where snapshots requested by the signal are written; it must exist by then.
  /// - Throws: ``RetainSnapshotError`` if the system refuses the socket, the thread or the signal.
  public func allowSnapshots(
    on signal: Int32? = nil,
    to folder: String = "."
  ) throws(RetainSnapshotError) {
    try HeapRequests.begin(self, folder: folder)
    guard let signal, kvos_request_on_signal(signal) != 0 else { return }
    throw RetainSnapshotError("signal \(signal) cannot request snapshots", errno: errno)
  }

  /// Reads `KVO_SAFETY_HEAP`, the folder for snapshots, and `KVO_SAFETY_HEAP_SIGNAL`; errors are
  /// printed.
  static func allowSnapshotsOfEnvironment() {
    guard let folder = value(of: "KVO_SAFETY_HEAP") else { return }
    do throws(RetainSnapshotError) {
      try RetainSearch().allowSnapshots(
        on: value(of: "KVO_SAFETY_HEAP_SIGNAL").map { name throws(RetainSnapshotError) in
          guard let number = SignalName.number(of: name) else {
            throw RetainSnapshotError(
              code: .system,
              message: "KVO_SAFETY_HEAP_SIGNAL is \"\(name)\", and must be USR1, USR2 or a number"
            )
          }
          return number
        },
        to: folder
      )
    } catch {
      HeapRequests.say("no heap snapshots are taken: \(error.message)")
    }
  }

  private static func value(of name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}

/// The names of signals that programs may use for themselves.
private enum SignalName {
  static func number(of name: String) -> Int32? {
    switch name.hasPrefix("SIG") ? String(name.dropFirst(3)) : name {
    case "USR1": SIGUSR1
    case "USR2": SIGUSR2
    default: Int32(name)
    }
  }
}
