import CKVORetention
import Foundation
import Synchronization
import Testing

@testable import KVORetention
@testable import RetentionProbe

@Suite("Walks in a snapshot", .serialized)
struct SnapshotTests {
  private static func knot() -> Holder {
    let model = ViewModel()
    model.observation = Token { model.poke() }
    let holder = Holder()
    holder.object = model
    return holder
  }

  @Test("a snapshot answers what a walk here answers")
  func same() throws {
    let holder = Self.knot()
    let here = RetainSearch().findCycles(from: holder)
    let there = try RetainSearch().findCycles(inSnapshotFrom: holder)
    #expect(there == here)
    #expect(there.verdict == .cycles)
    #expect(try RetainSearch().findCycles(inSnapshotFrom: Holder()).verdict == .noneFound)
  }

  @Test("a snapshot that has no time is ended, and leaves no process behind")
  func noTime() {
    #expect(throws: RetainSnapshotError.self) {
      try RetainSearch().findCycles(inSnapshotFrom: Self.knot(), within: .zero)
    }
    do {
      _ = try RetainSearch().findCycles(inSnapshotFrom: Self.knot(), within: .zero)
    } catch {
      #expect(error.code == .timedOut)
      #expect("\(error)" == "the copy of the process did not answer within 0.0 seconds")
    }
  }

  @Test("a copy that crashes is reported, and this process goes on")
  func crash() throws {
    let process = try SnapshotProcess.begin {
      raise(SIGSEGV)
      return []
    }.get()
    guard case .crashed(let signal) = process.end(by: .now + .seconds(60)) else {
      Issue.record("it did not crash")
      return
    }
    #expect(signal == SIGSEGV)
  }

  @Test("a signal that the program handles ends a copy: the handler does not run there")
  func handledSignal() throws {
    let previous = signal(SIGUSR1) { _ in }
    defer { signal(SIGUSR1, previous) }
    let process = try SnapshotProcess.begin {
      raise(SIGUSR1)
      return []
    }.get()
    guard case .crashed(let number) = process.end(by: .now + .seconds(60)) else {
      Issue.record("its handler ran")
      return
    }
    #expect(number == SIGUSR1)
  }

  /// How a copy may wait that is not blocked.
  enum Wait: CaseIterable {
    case signal, lockWithLimit, ownThread

    func begin() {
      switch self {
      case .signal: while true { pause() }
      case .lockWithLimit: _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(60))
      case .ownThread:
        Thread.detachNewThread { while true { pause() } }
        DispatchSemaphore(value: 0).wait()
      }
    }
  }

  @Test("a copy that never answers is ended when its time is over", arguments: Wait.allCases)
  func hang(wait: Wait) throws {
    let process = try SnapshotProcess.begin {
      wait.begin()
      return []
    }.get()
    // Long enough to be looked at several times.
    guard case .timedOut = process.end(by: .now + .milliseconds(400)) else {
      Issue.record("it answered, or was taken for blocked")
      return
    }
  }

  @Test("a copy that waits for a lock of another thread is ended at once")
  func blocked() throws {
    // Like the locks of the runtime; the system does not wait for a `Mutex` whose thread is missing.
    let lock = NSLock()
    let (started, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      lock.withLock {
        started.signal()
        end.wait()
      }
    }
    started.wait()
    defer { end.signal() }
    let copies = Atomic(0)
    #expect {
      try SnapshotProcess.answer(within: .seconds(50), decode: { $0 }) {
        copies.add(1, ordering: .relaxed)
        return SnapshotProcess.begin {
          lock.withLock { [] }
        }
      }
    } throws: { error in
      (error as? RetainSnapshotError)?.code == .blocked
    }
    #expect(copies.load(ordering: .relaxed) == SnapshotProcess.attemptLimit)
  }

  /// Another thread of a program may fork while a copy is made; here the copy does.
  @Test("a process that was forked meanwhile and has the pipe, too, does not delay the answer")
  func sharedPipe() throws {
    let process = try SnapshotProcess.begin {
      let other = kvos_begin_snapshot()
      if other == 0 { while true { pause() } }
      return withUnsafeBytes(of: other) { Array($0) }
    }.get()
    guard case .answer(let bytes) = process.end(by: .now + .seconds(50)) else {
      Issue.record("it gave no answer")
      return
    }
    let other = bytes.withUnsafeBytes { $0.loadUnaligned(as: pid_t.self) }
    #expect(other > 0 && kill(other, SIGKILL) == 0)
  }

  @Test("objects that other threads change at the same time end no process")
  func busy() async {
    final class Busy: Sendable {
      let isDone = Atomic(false)
      nonisolated(unsafe) var holder = Holder()
    }
    let busy = Busy()
    let holder = busy.holder
    let worker = Task.detached {
      var round = 0
      while !busy.isDone.load(ordering: .relaxed) {
        round += 1
        holder.list = (0..<(round % 50)).map { _ in Box(Box(nil)) }
        holder.byName["\(round % 20)"] = Holder()
      }
    }
    for _ in 0..<10 {
      // An answer, or none: the process does not end.
      _ = try? RetainSearch().findCycles(inSnapshotFrom: holder, within: .seconds(5))
    }
    busy.isDone.store(true, ordering: .relaxed)
    await worker.value
  }

  @Test("an answer that is cut anywhere is none, and one with a wrong byte is not a crash")
  func damaged() {
    let answer = RetainSearch().findCycles(from: Self.knot())
    let bytes = AnswerBytes(answer).bytes
    #expect(AnswerBytes.answer(of: bytes) == answer)
    for count in 0..<bytes.count { #expect(AnswerBytes.answer(of: Array(bytes[..<count])) == nil) }
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0xff
      _ = AnswerBytes.answer(of: damaged)
    }
  }
}
