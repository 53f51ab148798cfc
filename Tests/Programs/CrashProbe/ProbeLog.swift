import CKVORecorder
import Glibc

/// The log of the process, and events whose fields stand here.
enum ProbeLog {
  static func start(path: String) {
    var failure = KVOSLogFailure()
    let code = path.withCString { pattern in
      var request = KVOSLogRequest(
        pattern: pattern,
        byteLimit: UInt64(KVOS_DEFAULT_BYTE_LIMIT),
        runtime: 0,
        isComplete: true,
        keepReasons: 0,
        budget: KVOSBudget()
      )
      return kvos_open_log(&request, &failure)
    }
    guard code == 0 else { fatalError("no log at \(path)") }
  }

  /// Records the end of an addition: an event with one number.
  static func record(_ number: UInt64) {
    var field = number << 2
    kvos_record(6, UInt64.max, 0, 0, &field, 1)
  }

  /// Takes a registration out, and records that its token cancelled it.
  static func cancel(_ number: UInt64) {
    kvos_live_remove(number << 2)
    let fields = [number << 2, 1]
    kvos_record(10, number + 2, 0, 0, fields, 2)
  }

  /// Notes and records a registration of `observe(_:options:)`'s kind.
  static func register(_ number: UInt64) {
    let subject = "12".withName
    let fields: [UInt64] = [
      1, subject << 2 | 1, "Account".withName << 2, "balance".withName, number << 2,
    ]
    let stack = kvos_capture_stack_id(true)
    kvos_live_add(number << 2, stack, fields, UInt32(fields.count))
    kvos_record(5, number, stack, 0, fields, UInt32(fields.count))
  }
}

extension String {
  fileprivate var withName: UInt64 {
    var text = self
    return text.withUTF8 { UInt64(kvos_intern_string($0.baseAddress, $0.count)) }
  }
}

/// Prints a line at once: what is still in a buffer is lost in a crash.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
