// Does one thing that the recorder's tests ask for by name, and prints what came of it.
import Glibc

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "limited": RecordingProbe.limited(path: arguments[2], stops: false)
case "stopped": RecordingProbe.limited(path: arguments[2], stops: true)
case "live": try RecordingProbe.live(path: arguments[2])
case "stack": try RecordingProbe.stack(path: arguments[2])
case "complaint": RecordingProbe.complaint()
case "threads": ThreadProbe.run()
case "lifetime": LifetimeProbe.run()
case "isolated": await IsolatedProbe.run()
case "isolated-observer": await IsolatedObserverProbe.run()
default:
  print("usage: RecorderProbe limited|stopped|live|stack PATH")
  print("       RecorderProbe complaint|threads|lifetime|isolated|isolated-observer")
  exit(64)
}
