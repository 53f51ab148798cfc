import CKVORecorder
import CrashingC
import Glibc
import Synchronization

/// How many events the other thread has recorded.
private let recordedCount = Atomic<UInt64>(0)

/// The ways to go down, and some to go on.
enum Crash: String, CaseIterable {
  case nullWrite, nullCall, division, trap, abort, wildMessage, raised, heap, smashed
  case fatalError, bounds
  case overflow, overflowOnThread
  /// Another thread records at full speed at the same time.
  case busy
  /// Two threads at once.
  case both
  /// A thread that never recorded.
  case untrackedThread
  /// Such a thread is sent the signal.
  case untrackedThreadRaised
  /// More registrations than a segment holds.
  case manyLive
  /// libunwind cannot go on.
  case halted
  /// The program's handler jumps out, three times, and the program records in between; then it fails.
  case recovered
  /// The same on a thread that records only afterwards.
  case recoveredUnrecordedThread
  /// The program's handler mends what was wrong.
  case repaired
  /// The program's handler returns, each time, or only once.
  case returned, returnedOnce
  /// The program ignores the signal.
  case ignored
  /// Another process truncates the log, and the program continues.
  case cut
  /// A fork's child that has not recorded, and one that has.
  case child

  /// What the program does before it knows of a log.
  func installHandlers() {
    switch self {
    case .recovered, .recoveredUnrecordedThread: crashing_install_jump()
    case .repaired: crashing_install_repair()
    case .returned: crashing_install_return(0)
    case .returnedOnce: crashing_install_return(Int32(bitPattern: UInt32(SA_RESETHAND)))
    case .ignored: signal(SIGTRAP, SIG_IGN)
    default: break
    }
  }

  func run() {
    for number in 1...3 as ClosedRange<UInt64> { ProbeLog.record(number) }
    ProbeLog.register(1)
    ProbeLog.register(2)
    ProbeLog.cancel(1)
    switch self {
    case .nullWrite: fail(CRASHING_NULL_WRITE)
    case .nullCall: fail(CRASHING_NULL_CALL)
    case .division: fail(CRASHING_DIVISION)
    case .trap: fail(CRASHING_TRAP)
    case .abort: fail(CRASHING_ABORT)
    case .wildMessage: fail(CRASHING_WILD_MESSAGE)
    case .raised: fail(CRASHING_RAISE, signal: SIGTRAP)
    case .heap: fail(CRASHING_HEAP)
    case .smashed: fail(CRASHING_SMASHED)
    case .fatalError:
      fail(CRASHING_BODY) { Swift.fatalError("enough", file: "File.swift", line: 7) }
    case .bounds: fail(CRASHING_BODY) { print([1, 2, 3][CommandLine.arguments.count + 5]) }
    case .overflow: fail(CRASHING_RECURSION)
    case .overflowOnThread: overflowOnThread()
    case .busy: failWhileBusy()
    case .both: failOnBoth()
    case .untrackedThread: onThread { Crash.untrackedThread.fail(CRASHING_NULL_WRITE) }
    case .untrackedThreadRaised:
      onThread { Crash.untrackedThreadRaised.fail(CRASHING_RAISE, signal: SIGSEGV) }
    case .manyLive:
      for number in 3...4000 as ClosedRange<UInt64> { ProbeLog.register(number) }
      fail(CRASHING_NULL_WRITE)
    case .halted:
      crashing_hold_images()
      fail(CRASHING_NULL_WRITE)
    case .recovered:
      recover()
      fail(CRASHING_ABORT)
    case .recoveredUnrecordedThread: onThread { Crash.recoveredUnrecordedThread.recover() }
    case .repaired: repair()
    case .returned, .returnedOnce, .ignored: raiseAndGoOn()
    case .cut: cut()
    case .child: crashInChild()
    }
  }

  // MARK: - Failing

  /// Prints the address of the code that fails.
  private func tell(_ way: CrashingWay) {
    var start: UInt64 = 0
    var end: UInt64 = 0
    crashing_code(way, &start, &end)
    say("code \(start) \(end)")
  }

  private func fail(
    _ way: CrashingWay,
    signal: Int32 = 0,
    body: (@convention(c) () -> Void)? = nil
  ) {
    tell(way)
    crashing_fail(way, body, signal)
  }

  private func overflowOnThread() {
    tell(CRASHING_RECURSION)
    crashing_overflow_thread { ProbeLog.record(4) }
  }

  private func start(
    _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  ) -> pthread_t {
    var thread = pthread_t()
    pthread_create(&thread, nil, body, nil)
    return thread
  }

  /// Runs a closure without a context on a thread of its own, to its end.
  private func onThread(_ body: @convention(c) () -> Void) {
    var thread = pthread_t()
    pthread_create(
      &thread,
      nil,
      { body in
        unsafeBitCast(body, to: (@convention(c) () -> Void).self)()
        return nil
      },
      unsafeBitCast(body, to: UnsafeMutableRawPointer.self)
    )
    pthread_join(thread, nil)
  }

  private func failWhileBusy() {
    _ = start { _ in
      for number in 1... as PartialRangeFrom<UInt64> {
        ProbeLog.record(number)
        recordedCount.store(number, ordering: .relaxed)
      }
      return nil
    }
    while recordedCount.load(ordering: .relaxed) <= 1000 { usleep(500) }
    fail(CRASHING_NULL_WRITE)
  }

  private func failOnBoth() {
    _ = start { _ in
      crashing_fail(CRASHING_NULL_WRITE, nil, 0)
      return nil
    }
    fail(CRASHING_NULL_WRITE)
  }

  // MARK: - Going on

  private func recover() {
    for number in 10...12 as ClosedRange<UInt64> {
      say("recovered: \(crashing_recover())")
      ProbeLog.record(number)
    }
  }

  private func repair() {
    fail(CRASHING_NULL_WRITE)
    ProbeLog.record(10)
    say("returned: \(crashing_return_count())")
  }

  private func raiseAndGoOn() {
    raise(SIGTRAP)
    ProbeLog.record(10)
    say("returned: \(crashing_return_count())")
    raise(SIGTRAP)
    ProbeLog.record(11)
    say("returned: \(crashing_return_count())")
  }

  private func cut() {
    guard CommandLine.arguments.count > 2 else { return }
    for number in 1...40_000 as ClosedRange<UInt64> {
      if number == 20_000 { truncate(CommandLine.arguments[2], 4096) }
      ProbeLog.record(number)
    }
    say("lost \(kvos_lost_count())")
  }

  private func crashInChild() {
    for records in [false, true] {
      let child = fork()
      if child == 0 {
        if records { ProbeLog.record(20) }
        crashing_fail(CRASHING_NULL_WRITE, nil, 0)
      }
      var status: Int32 = 0
      waitpid(child, &status, 0)
      say("child ended by \(status & 0x7F)")
    }
  }
}
