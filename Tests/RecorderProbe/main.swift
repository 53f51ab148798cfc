// Does one thing that the recorder's tests ask for by name, and prints what came of it.
import Glibc

// The process that started this program may have signals blocked, as the threads of a dispatch queue do, and
// that is inherited.
var none = sigset_t()
sigemptyset(&none)
sigprocmask(SIG_SETMASK, &none, nil)
let arguments = CommandLine.arguments
// A program whose test has ended must not run forever.
if arguments.dropFirst().first != "soak" {
  var minute = rlimit(rlim_cur: 60, rlim_max: 60)
  setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &minute)
}
switch arguments.dropFirst().first {
case "driven": try DrivenProbe.run()
case "killed":
  KilledProbe.run(
    acknowledging: arguments[2],
    threadCount: Int(arguments[3]) ?? 1,
    delay: arguments.count > 4 ? UInt32(arguments[4]) : nil
  )
case "crashes":
  try CrashingProbe.run(
    path: arguments[2],
    limit: Int(arguments[3]) ?? 0,
    threadCount: Int(arguments[4]) ?? 1,
    eventCount: UInt64(arguments[5]) ?? 1,
    delay: UInt32(arguments[6]) ?? 0
  )
case "rotates":
  try RotatingProbe.run(
    path: arguments[2],
    limit: Int(arguments[3]) ?? 0,
    threadCount: Int(arguments[4]) ?? 1,
    forkCount: UInt64(arguments[5]) ?? 0
  )
case "signals":
  try SignalProbe.run(
    path: arguments[2],
    handlerCount: UInt64(arguments[3]) ?? 0,
    threadCount: UInt64(arguments[4]) ?? 0,
    limit: Int(arguments[5]) ?? 0
  )
case "fork": try ForkProbe.run(way: arguments[2], path: arguments[3])
case "after": ForkProbe.after()
case "copies": try CopyProbe.run(path: arguments[2])
case "live": try RecordingProbe.live(path: arguments[2])
case "busy": try BusyProbe.run(folder: arguments[2], logCount: Int(arguments[3]) ?? 1)
case "listed": try RecordingProbe.listed(path: arguments[2])
case "stack": try RecordingProbe.stack(path: arguments[2])
case "complaint": RecordingProbe.complaint()
case "threads": ThreadProbe.run()
case "stepped": SteppedProbe.run(arguments[2], acknowledging: arguments[3])
case "steps": SteppedProbe.step(Array(arguments.dropFirst(2)))
case "ends": SteppedProbe.end(Array(arguments.dropFirst(2)))
case "soak": SoakProbe.run(seconds: Int(arguments[2]) ?? 0)
case "controlled": ControlledProbe.run()
case "flight": FlightProbe.run(Array(arguments.dropFirst(2)))
case "lifetime": LifetimeProbe.run()
case "isolated": await IsolatedProbe.run()
case "isolated-observer": await IsolatedObserverProbe.run()
default:
  print("usage: RecorderProbe live|listed|stack|copies PATH")
  print("       RecorderProbe busy FOLDER COUNT")
  print("       RecorderProbe killed PAGE THREADS [MICROSECONDS]")
  print("       RecorderProbe crashes PATH BYTES THREADS EVENTS MICROSECONDS")
  print("       RecorderProbe rotates PATH BYTES THREADS FORKS")
  print("       RecorderProbe signals PATH COUNT COUNT BYTES")
  print("       RecorderProbe fork WAY PATH")
  print("       RecorderProbe flight STEP...")
  print("       RecorderProbe soak SECONDS")
  print("       RecorderProbe stepped WINDOW PAGE")
  print("       RecorderProbe steps WINDOW FOLDER PAGE OUTPUT STORES")
  print("       RecorderProbe ends WINDOW PAGE END ADDRESS EXECUTION")
  print("       RecorderProbe driven|controlled|after|complaint|threads|lifetime")
  print("       RecorderProbe isolated|isolated-observer")
  exit(64)
}
