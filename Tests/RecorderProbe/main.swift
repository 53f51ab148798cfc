// Does one thing that the recorder's tests ask for by name, and prints what came of it.
import Glibc

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "limited": RecordingProbe.limited(path: arguments[2])
case "live": try RecordingProbe.live(path: arguments[2])
case "stack": try RecordingProbe.stack(path: arguments[2])
case "threads": ThreadProbe.run()
case "lifetime": LifetimeProbe.run()
case "isolated": await IsolatedProbe.run()
case "isolated-observer": await IsolatedObserverProbe.run()
default:
  print("usage: RecorderProbe limited|live|stack PATH")
  print("       RecorderProbe threads|lifetime|isolated|isolated-observer")
  exit(64)
}
