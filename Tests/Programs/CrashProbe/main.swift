// Records, and crashes in the way that the test asks for: `CrashProbe WAY [LOG]`. Without a log it is
// the same program with nothing of the recorder's at work.
import CKVORecorder
import CrashingC
import Glibc

let arguments = CommandLine.arguments
guard arguments.count >= 2, let crash = Crash(rawValue: arguments[1]) else {
  print("usage: CrashProbe \(Crash.allCases.map(\.rawValue).joined(separator: "|")) [LOG]")
  exit(64)
}
// The process that started this program may block signals, which is inherited, and may want core files.
var noSignals = sigset_t()
sigemptyset(&noSignals)
pthread_sigmask(SIG_SETMASK, &noSignals, nil)
var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)

crash.installHandlers()
if arguments.count > 2 { ProbeLog.start(path: arguments[2]) }
crash.run()
say("survived")
