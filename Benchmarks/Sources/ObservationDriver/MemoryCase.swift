import BenchmarkDriver
import Glibc
import KVOSafety

/// The memory of registrations, and what remains of it after their end.
///
/// Counts resident memory: memory that one round frees is used again by the next one, so a round
/// adds only what the previous one did not free.
enum MemoryCase {
  static func registrations(_ run: MeasuredRun) {
    let model = Model()
    var tokens: [ObservationToken] = []
    func addAll() -> Int {
      for _ in 0..<run.operationCount { tokens.append(model.observe(\.value) { _, _ in }) }
      defer { tokens.removeAll(keepingCapacity: true) }
      return residentByteCount
    }

    tokens.append(model.observe(\.value) { _, _ in })
    tokens.removeAll()
    tokens.reserveCapacity(run.operationCount)
    let before = residentByteCount
    let first = addAll()
    // Tables reach their final size within a few rounds.
    for _ in 0..<4 { _ = addAll() }
    let sixth = addAll()
    print("bytes-held=\(first - before) bytes-left=\(addAll() - sixth)")
  }

  /// The second number of `/proc/self/statm`, in pages.
  private static var residentByteCount: Int {
    guard let file = fopen("/proc/self/statm", "r") else {
      MeasuredRun.fail("cannot read /proc/self/statm")
    }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil,
      let pages = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        .split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { MeasuredRun.fail("/proc/self/statm has no number of pages") }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
