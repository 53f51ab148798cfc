import CKVORecorder
import CKVOUnwind
import Glibc
import KVORecorder
import KVOTrace
import ProbeC
import Synchronization

/// Does what its standard input says, line by line, and answers each with one line.
///
/// So a test can change the world between two events: fill the disk, delete the file.
enum DrivenProbe {
  static func run() throws {
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      say(try answer(words[0], Array(words.dropFirst())))
    }
  }

  /// Prints a line at once.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  private static func answer(_ command: String, _ words: [String]) throws -> String {
    let numbers = words.compactMap { UInt64($0) }
    switch command {
    case "start":
      do throws(LogFileError) {
        let limit = words.count > 1 ? Int(words[1]) : nil
        try Recorder.shared.startLog(
          path: words[0],
          byteLimit: limit ?? Recorder.defaultByteLimit,
          isComplete: true,
          live: { [] }
        )
      } catch {
        return "\(error)"
      }
    case "stop": Recorder.shared.stopLog()
    case "plain": for number in numbers[0]...numbers[1] { RecordedSequence.plain(number) }
    case "named":
      for number in numbers[0]...numbers[1] { RecordedSequence.named(number, of: 1) }
    case "threads":
      let threads = (1...Int(numbers[0])).map { thread in
        ProbeThread {
          for number in numbers[1]...numbers[2] { RecordedSequence.named(number, of: thread) }
        }
      }
      for thread in threads { thread.join() }
    case "turns":
      // One thread after the other, each with one event.
      for number in numbers[0]...numbers[1] {
        ProbeThread { RecordedSequence.plain(number) }.join()
      }
    case "ending":
      // Each records once more while the thread-local data of threads are destroyed.
      for number in numbers[0]...numbers[1] {
        ProbeThread {
          RecordedSequence.plain(2 * number)
          let last = Unmanaged.passRetained(Last(2 * number + 1)).toOpaque()
          kvos_set_thread_object(last) { Unmanaged<Last>.fromOpaque($0).release() }
        }
        .join()
      }
    case "restart": try restart(path: words[0], count: numbers[0])
    case "register": RecordedSequence.register(numbers[0])
    case "remove": RecordedSequence.remove(numbers[0])
    case "names": name(count: numbers[0])
    // After a refusal the recorder asks for room again within a millisecond of there being some.
    case "pause": usleep(10_000)
    case "requests": return String(probe_room_request_count())
    case "survive": signal(SIGTRAP) { _ in }
    case "raise": raise(SIGTRAP)
    case "part": return String(kvos_part_number())
    case "path": return Recorder.shared.logPath ?? "none"
    case "size":
      var limit = rlimit(rlim_cur: rlim_t(numbers[0]), rlim_max: .max)
      signal(SIGXFSZ, SIG_DFL)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    case "title":
      // As a server changes it that writes what it does into its arguments.
      dlsym(nil, "program_invocation_short_name")?
        .assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self).pointee = strdup(words[0])
    case "descriptors":
      // Closes what it did not open, and uses the numbers itself.
      let own = open(words[0], O_RDWR)
      for descriptor in 64..<Int32(1024) where fcntl(descriptor, F_GETFD) >= 0 {
        dup2(own, descriptor)
      }
    case "modes": guard probe_heed_modes() == 0 else { return String(cString: strerror(errno)) }
    case "library": return try LibraryProbe.record(path: words[0], function: words[1])
    default: return "what is \"\(command)\"?"
    }
    return "done"
  }

  /// Begins one log after the other while four threads record.
  private static func restart(path: String, count: UInt64) throws {
    let isOver = Flag()
    let threads = (1...4).map { thread in
      ProbeThread {
        var number: UInt64 = 0
        while !isOver.isSet {
          number += 1
          RecordedSequence.named(number, of: thread)
          // A test reads all of them, and needs only that some are recorded at any time.
          if number.isMultiple(of: 32) { usleep(100) }
        }
      }
    }
    for log in 1...count {
      try Recorder.shared.startLog(path: "\(path)\(log)", isComplete: false, live: { [] })
      usleep(1_000)
    }
    isOver.set()
    for thread in threads { thread.join() }
    Recorder.shared.stopLog()
  }

  /// Names that many strings, of fifty bytes each, without an event.
  private static func name(count: UInt64) {
    for number in 0..<count {
      let long = 1_000_000_000_000_000_000 + number
      _ = Recorder.shared.id(of: "a name of fifty bytes, number \(long)..")
    }
  }

  private final class Last: Sendable {
    private let number: UInt64
    init(_ number: UInt64) { self.number = number }
    deinit { RecordedSequence.plain(number) }
  }

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }
}
