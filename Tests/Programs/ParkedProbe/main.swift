// Loops that wait: `ParkedProbe leave` exits while some do, and `ParkedProbe churn COUNT` ends all that it begins. With
// KVO_SAFETY_LOG, a log has their lives.

import Glibc

switch CommandLine.arguments.dropFirst().first {
case "leave": await LeftLoops.leave()
case "churn":
  let count = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1000
  await ChurnedLoops.run(count)
default:
  print("usage: ParkedProbe leave|churn [COUNT]")
  exit(64)
}
