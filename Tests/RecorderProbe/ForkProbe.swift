import Glibc
import KVORecorder
import KVOTrace
import ProbeC

/// What a program does to its log by becoming two.
enum ForkProbe {
  /// Starts a log, records event 1, forks, and records event 2 in the parent.
  static func run(way: String, path: String) throws {
    try Recorder.shared.startLog(path: path, isComplete: true, live: { [] })
    RecordedSequence.register(1)
    RecordedSequence.named(1, of: 0)
    switch way {
    case "records": wait(for: fork { RecordedSequence.named(11, of: 0) })
    case "records-bare":
      wait(for: child(of: probe_bare_fork()) { RecordedSequence.named(11, of: 0) })
    case "ends": wait(for: fork(endingFirst))
    case "ends-bare": wait(for: child(of: probe_bare_fork(), endingFirst))
    case "exits": wait(for: fork { exit(0) })
    case "is-silent": wait(for: fork {})
    case "has-grandchild":
      wait(
        for: fork {
          RecordedSequence.named(11, of: 0)
          wait(for: fork { RecordedSequence.named(21, of: 0) })
          RecordedSequence.named(12, of: 0)
        }
      )
    case "outlives":
      // The parent ends first, as that of a daemon does.
      let parent = getpid()
      _ = fork {
        while getppid() == parent { usleep(1_000) }
        RecordedSequence.named(11, of: 0)
        say("child \(getpid())")
      }
    case "among-threads": amongThreads()
    case "runs": runProgram(path)
    case "becomes":
      setenv("KVO_SAFETY_LOG", path, 1)
      become(path)
    default: exit(64)
    }
    RecordedSequence.named(2, of: 0)
    say("parent \(getpid())")
  }

  /// What the program does that this one became, or that it started.
  static func after() { RecordedSequence.named(31, of: 0) }

  /// The first event is the end of the parent's registration.
  private static func endingFirst() {
    RecordedSequence.remove(1)
    RecordedSequence.named(11, of: 0)
  }

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  private static func fork(_ body: () -> Void) -> pid_t { child(of: probe_fork(), body) }

  private static func child(of id: pid_t, _ body: () -> Void) -> pid_t {
    guard id == 0 else { return id }
    body()
    _exit(0)
  }

  private static func wait(for child: pid_t) {
    var status: Int32 = 0
    waitpid(child, &status, 0)
    say("child \(child) \(status)")
  }

  /// Forks forty times while four threads record new names.
  private static func amongThreads() {
    let threads = (1...4).map { thread in
      ProbeThread {
        for number in 1...3_000 as ClosedRange<UInt64> {
          RecordedSequence.named(number, of: thread)
        }
      }
    }
    for number in 1...40 as ClosedRange<UInt64> {
      wait(
        for: fork {
          RecordedSequence.named(number + 1_000_000, of: 0)
        }
      )
    }
    for thread in threads { thread.join() }
  }

  private static func runProgram(_ path: String) {
    setenv("KVO_SAFETY_LOG", path, 1)
    withArguments { program, arguments in wait(for: probe_vfork(program, arguments)) }
  }

  private static func become(_ path: String) {
    withArguments { program, arguments in _ = execv(program, arguments) }
  }

  private static func withArguments(
    _ body: (String, UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Void
  ) {
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("RecorderProbe"), strdup("after"), nil]
    body("/proc/self/exe", &arguments)
  }
}
