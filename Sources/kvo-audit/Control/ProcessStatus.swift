#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the kernel says about a process, as far as it is readable.
struct ProcessStatus {
  /// The effective user.
  private(set) var user: uid_t?
  /// The process ID in the innermost namespace that has the process.
  private(set) var ownID: Int32?

  /// Source: proc_pid_status(5).
  init(of process: Int32) {
    guard let file = fopen("/proc/\(process)/status", "r") else { return }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), file) != nil {
      let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let text = String(decoding: bytes, as: UTF8.self)
      let fields = text.split { $0 == "\t" || $0 == "\n" || $0 == " " }
      switch fields.first {
      case "Uid:" where fields.count > 2: user = uid_t(fields[2])
      case "NSpid:": ownID = fields.last.flatMap { Int32($0) }
      default: break
      }
    }
  }
}
