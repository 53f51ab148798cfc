internal import CKVORecorder
internal import Glibc
internal import KVOTrace

/// What a reader of a log must know first: the process and its images.
enum RecordedProcess {
  /// What of a process stays the same while it runs.
  private static let executable = executablePath
  private static let started = now

  /// Writes the process into the tables of the present part.
  ///
  /// Within the recorder's `describeProcess` alone. False: there is no room.
  static func describe(isComplete: Bool) -> Bool {
    var fields = EventFields()
    fields.append(
      ProcessInfo(
        pid: Int(getpid()),
        executable: executable,
        runtime: .swift,
        os: "Linux",
        started: started,
        isComplete: isComplete,
        saysScopes: true
      )
    )
    return put(fields, .process)
  }

  /// Writes an image into the tables of the present part.
  ///
  /// Within the recorder's `describeImages` alone. False: there is no room.
  static func describe(_ image: Module) -> Bool {
    var fields = EventFields()
    fields.append(image)
    return put(fields, .module)
  }

  private static func put(_ fields: EventFields, _ record: BinaryFormat.Record) -> Bool {
    fields.withPointer { kvos_describe(UInt32(record.rawValue), $0, $1) } ?? false
  }

  private static var executablePath: String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let count = readlink("/proc/self/exe", base, Int(PATH_MAX))
      guard count > 0 else { return nil }
      buffer[count] = 0
      return String(cString: base)
    }
  }

  /// The time of day in ISO 8601, UTC, in seconds.
  private static var now: String {
    var seconds = time(nil)
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "" }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      guard let base = buffer.baseAddress,
        strftime(base, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0
      else { return "" }
      return String(cString: base)
    }
  }
}
