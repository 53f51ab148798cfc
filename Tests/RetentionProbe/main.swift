import Glibc

let arguments = CommandLine.arguments
if arguments.count > 2, arguments[1] == "generated", let count = Int(arguments[2]) {
  var run = GeneratedRun()
  let first = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
  if arguments.count > 4, let count = Int(arguments[4]) { BusyThreads.start(count) }
  exit(await run.report(count: count, first: first) ? 0 : 1)
}
if arguments.count > 2, arguments[1] == "leaks", let count = Int(arguments[2]) {
  var run = LeakRun()
  let first = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
  exit(try await run.report(count: count, first: first) ? 0 : 1)
}
if arguments.count > 1, arguments[1] == "tasks" {
  var run = TaskRun()
  exit(await run.report() ? 0 : 1)
}
if arguments.count > 2, arguments[1] == "tasks-busy", let count = Int(arguments[2]) {
  exit(await BusyTasks().report(searchCount: count) ? 0 : 1)
}
if arguments.count > 2, arguments[1] == "heap" {
  exit(HeapScene.write(to: Array(arguments[2...])) ? 0 : 1)
}
if arguments.count > 1, arguments[1] == "scene-leaks" {
  try HeapScene.printLeaks()
  exit(0)
}
if arguments.count > 2, arguments[1] == "requests" {
  try RequestScene.run(arguments[2])
  exit(0)
}
exit(ProbeRun().report() ? 0 : 1)
