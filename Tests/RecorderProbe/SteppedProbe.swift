import Glibc
import KVORecorder
import ProbeC
import Synchronization

/// Records between two signals that stop it, for a test that steps through the instructions between.
enum SteppedProbe {
  /// What it does between them.
  private enum Window: String {
    /// The log begins, and has its first event.
    case start
    /// Events with new names and stacks.
    case record
    /// The recording is kept, and goes on in a new file.
    case keep
  }

  /// - Parameters:
  ///   - window: what it does.
  ///   - path: a file of a page. Word 0 is the number of the last event that was recorded.
  static func run(_ window: String, acknowledging path: String) {
    let file = open(path, O_RDWR)
    guard let page = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      page != MAP_FAILED,
      let window = Window(rawValue: window)
    else { exit(2) }
    let words = page.assumingMemoryBound(to: UInt64.self)
    words[Int(PROBE_EXIT_WORD)] = probe_exit_function()
    func record(_ number: UInt64) {
      RecordedSequence.named(number, of: 0)
      // releasing: what the other process reads was recorded.
      atomicMemoryFence(ordering: .releasing)
      words[0] = number
    }
    if window != .start { for number in 1...3 as ClosedRange<UInt64> { record(number) } }
    raise(SIGSTOP)
    switch window {
    case .start: record(1)
    case .record: for number in 4...6 as ClosedRange<UInt64> { record(number) }
    case .keep:
      _ = Recorder.shared.keepLog(reason: "asked by a test")
      record(4)
    }
    raise(SIGSTOP)
  }

  /// Steps through a probe, and prints how many steps and stores there were, and the status of the probe.
  static func step(_ arguments: [String]) {
    let program = CommandLine.arguments[0]
    let command: [String] = [program, "stepped", arguments[0], arguments[2]]
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    words.append(nil)
    var steps = ProbeSteps()
    let end = ProbeEnd(UInt32(arguments[4]) ?? 0)
    let store = UInt64(arguments[5]) ?? 0
    guard probe_step(words, arguments[1], arguments[2], arguments[3], end, store, &steps) == 0
    else {
      print("it cannot be stepped")
      exit(1)
    }
    print("\(steps.stepCount) \(steps.storeCount) \(steps.status)")
  }
}
