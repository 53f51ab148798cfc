internal import Glibc
internal import KVOTrace

/// The head of a log that is there already, as far as it says who wrote it.
struct LogHead {
  /// The process that wrote it.
  let pid: UInt32
  /// When it was begun, on CLOCK_MONOTONIC.
  let begun: UInt64

  /// Reads the head of the open file; nil where it is no log.
  init?(of descriptor: Int32) {
    let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      count = max(0, pread(descriptor, buffer.baseAddress, 64, 0))
    }
    guard bytes.count == 64, bytes.starts(with: BinaryFormat.magic) else { return nil }
    func number(_ range: Range<Int>) -> UInt64 {
      bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    pid = UInt32(number(20..<24))
    begun = number(40..<48)
  }

  /// Reads the head of a file; nil where it is no log.
  init?(ofFileAt path: String) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    self.init(of: descriptor)
  }

  /// Whether the open file has nothing in it, or the zeroes that a recorder which was killed before it wrote
  /// the head had made room with.
  static func isBlank(_ descriptor: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return count >= 0 && bytes.prefix(count).allSatisfy { $0 == 0 }
  }

  /// Whether this very process wrote it: what it was before it became another program.
  ///
  /// A process of the same number that is long gone wrote before this one was born.
  var isOwn: Bool { pid == UInt32(bitPattern: getpid()) && begun >= Self.birth }

  /// When this process was made, on CLOCK_MONOTONIC, to a hundredth of a second; 0: not known.
  private static var birth: UInt64 {
    let descriptor = Glibc.open("/proc/self/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .max }
    defer { close(descriptor) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
    // The program's name may hold anything; the fields behind its closing bracket may not.
    guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return .max }
    let fields = bytes[end...].split(separator: UInt8(ascii: " "))
    guard fields.count > 20, let ticks = UInt64(String(decoding: fields[20], as: UTF8.self)) else {
      return .max
    }
    let rate = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    // The kernel counts the time asleep, the log's clock does not.
    let asleep = clock(CLOCK_BOOTTIME) &- clock(CLOCK_MONOTONIC)
    let born = ticks * (1_000_000_000 / rate)
    return born > asleep ? born - asleep : 0
  }

  private static func clock(_ id: clockid_t) -> UInt64 {
    var now = timespec()
    clock_gettime(id, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
