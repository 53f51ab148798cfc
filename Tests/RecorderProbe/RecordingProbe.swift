import BankModel
import Glibc
import KVORecorder
import KVOSafety
import KVOTrace

enum RecordingProbe {
  /// Lets a signal do what it does: whoever started this program may ignore it, or have it blocked
  /// as dispatch's threads do, which is inherited.
  private static func restore(signal number: Int32) {
    signal(number, SIG_DFL)
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  /// Writes to standard error, and says on standard output that it lives.
  static func complaint() {
    for number in [SIGPIPE, SIGXFSZ] { restore(signal: number) }
    StandardError.write("nobody reads this\n")
    StandardError.write("nor this\n")
    print("alive")
  }

  private final class Listener: KeyValueObserver {
    func observeValue(
      forKeyPath keyPath: String,
      of object: any KeyValueObservable,
      change: ObservedChange<Any>,
      context: ObservationContext?
    ) -> NotificationHandling {
      .handled
    }
  }

  /// Starts a log while two things are observed, one of three having ended.
  static func live(path: String) throws {
    let account = Account(owner: Person(name: "Ada"))
    let listener = Listener()
    account.addObserver(listener, forKeyPath: "owner")
    account.addObserver(listener, forKeyPath: "balance")
    account.removeObserver(listener, forKeyPath: "owner")
    let token = account.observe(\.balance) { _, _ in }
    try KVO.startRecording(to: path)
    account.balance = 1
    account.removeObserver(listener, forKeyPath: "balance")
    token.invalidate()
    KVO.stopRecording()
    account.balance = 2
  }

  /// Starts a log while one of the two registrations that it lists ends, and crashes.
  static func listed(path: String) throws {
    let account = ObjectRef(id: ObjectID(12), className: Recorder.id(of: "Account"))
    let registrations = (1...2).map { number in
      Registration(
        id: RegistrationID(number),
        subject: account,
        observer: nil,
        keyPath: Recorder.id(of: "balance")
      )
    }
    var isListed = false
    try Recorder.shared.startLog(path: path, isComplete: false) {
      defer { isListed = true }
      if isListed { return [registrations[1]] }
      // As another thread would, before the line of what it ends.
      Recorder.shared.record(.cancel(RegistrationID(1), by: .user))
      return registrations
    }
    abort()
  }

  /// Records an event with a stack, and says what took it.
  static func stack(path: String) throws {
    print(Recorder.hasUnwinder ? "libunwind" : "frame pointers")
    try Recorder.shared.startLog(path: path, isComplete: true, live: { [] })
    Recorder.shared.record(.registerEnd(RegistrationID(1)), stack: Recorder.shared.captureStack())
  }
}
