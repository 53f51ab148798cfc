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

  /// `stepped WINDOW PAGE`, as words of C.
  private static func command(_ window: String, _ page: String) -> [UnsafeMutablePointer<CChar>?] {
    let words: [String] = [CommandLine.arguments[0], "stepped", window, page]
    return words.map { strdup($0) } + [nil]
  }

  /// Steps through a probe, lists its stores in a file, and prints how many steps and stores there were.
  ///
  /// - Parameter arguments: the window, the folder of the log, the page, the folder for copies or nothing, and the list.
  static func step(_ arguments: [String]) {
    var steps = ProbeSteps()
    let words = command(arguments[0], arguments[2])
    let status = probe_step(words, arguments[1], arguments[2], arguments[3], arguments[4], &steps)
    guard status == 0 else {
      print("it cannot be stepped")
      exit(1)
    }
    print("\(steps.stepCount) \(steps.storeCount)")
  }

  /// Ends a probe after an instruction, and prints its status.
  ///
  /// - Parameter arguments: the window, the page, the number of the end, the address, and how often it is executed.
  static func end(_ arguments: [String]) {
    var status: Int32 = 0
    let end = ProbeEnd(UInt32(arguments[2]) ?? 0)
    let (address, execution) = (UInt64(arguments[3]) ?? 0, UInt64(arguments[4]) ?? 0)
    let words = command(arguments[0], arguments[1])
    guard probe_end(words, arguments[1], end, address, execution, &status) == 0 else {
      print("it did not come there")
      exit(1)
    }
    print(status)
  }
}
