internal import CKVORetention
internal import CKVOUnwind
internal import Glibc
internal import KVOHeap

/// The data about this process in a snapshot, and the file.
enum HeapProcess {
  /// The name of the executable.
  static var name: String {
    var path = [UInt8](repeating: 0, count: 4096)
    let count = path.withUnsafeMutableBytes { path in
      path.baseAddress.map { readlink("/proc/self/exe", $0, path.count) } ?? 0
    }
    let name = path.prefix(max(count, 0)).split(separator: UInt8(ascii: "/")).last ?? []
    return String(decoding: name, as: UTF8.self)
  }

  /// Nanoseconds since 1970-01-01 00:00 UTC.
  static var time: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }

  /// When a process was started, in nanoseconds since 1970-01-01 00:00 UTC, to about a hundredth of a second; 0: not known.
  ///
  /// Source: proc(5), the 22nd field of `/proc/pid/stat`, in clock ticks since the system was booted.
  static func start(of process: pid_t) -> UInt64 {
    guard let file = fopen("/proc/\(process)/stat", "re") else { return 0 }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, file)
    // The second field, in parentheses, is any text.
    guard let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return 0 }
    let fields = String(decoding: bytes[(end + 1)..<count], as: UTF8.self).split(separator: " ")
    let ticksPerSecond = UInt64(max(sysconf(Int32(_SC_CLK_TCK)), 0))
    guard fields.count > 19, let ticks = UInt64(fields[19]), ticksPerSecond > 0 else { return 0 }
    var sinceBoot = timespec()
    clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
    let boot =
      time &- UInt64(sinceBoot.tv_sec) * 1_000_000_000 &- UInt64(sinceBoot.tv_nsec)
    let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: ticksPerSecond)
    return boot &+ seconds &* 1_000_000_000 &+ rest &* 1_000_000_000 / ticksPerSecond
  }

  static var images: [HeapSnapshot.Image] {
    var found: [HeapSnapshot.Image] = []
    withUnsafeMutablePointer(to: &found) { list in
      kvos_visit_images(
        { image, context in
          let image = image.pointee
          let id = UnsafeBufferPointer(start: image.buildID, count: image.buildIDByteCount)
          context?.assumingMemoryBound(to: [HeapSnapshot.Image].self).pointee.append(
            HeapSnapshot.Image(
              path: String(cString: image.path),
              buildID: id.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
              start: image.textStart,
              end: image.textEnd
            )
          )
        },
        list
      )
    }
    return found.sorted { $0.start < $1.start }
  }

  static func write(_ bytes: [UInt8], to path: String) throws(RetainSnapshotError) {
    let draft = path + ".part"
    // Not into a file that is there: another user may have created it in a shared folder, to read it.
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure(path) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { all in
        Glibc.write(file, all.baseAddress.map { $0 + written }, all.count - written)
      }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        let error = failure(path)
        close(file)
        unlink(draft)
        throw error
      }
    }
    guard close(file) == 0, rename(draft, path) == 0 else {
      let error = failure(path)
      unlink(draft)
      throw error
    }
  }

  private static func failure(_ path: String) -> RetainSnapshotError {
    RetainSnapshotError("\(path): cannot be written", errno: errno)
  }
}
