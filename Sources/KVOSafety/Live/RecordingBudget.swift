internal import KVORecorder

/// What the recorder may use for a log.
///
/// The recorder measures itself and, to keep within a budget, leaves out objects: all events of an object are recorded or none,
/// so that the verdicts about those that are stay true. The log says which, from when and why, and a report says that it
/// knows nothing of the others. The share of objects never rises within a log.
///
/// Limits that are out of range count as the nearest one in it.
public struct RecordingBudget: Hashable, Sendable {
  /// How much of the processor time of the process the recorder may take, above 0 and up to 1; nil: it is not limited.
  ///
  /// Measured are the calls that record and capture stacks, over at least 50 ms of the process's processor time: a
  /// shorter peak may exceed it.
  public var cpuShare: Double?
  /// How many bytes the log may have on disk, 4,194,304 at the least; nil: as `byteLimit` says.
  ///
  /// Recordings that were kept are not counted: see ``KVO/keepRecording(reason:)``.
  public var diskByteCount: Int?
  /// How many bytes of memory the names and the live registrations may take, 1,048,576 at the least; nil: they are not
  /// limited.
  ///
  /// The pages of the log itself belong to the file system's cache.
  public var memoryByteCount: Int?
  /// The share of objects that are recorded from the start, above 0 and up to 1.
  public var objectShare: Double

  /// A budget of these limits.
  ///
  /// - Parameters:
  ///   - cpuShare: the share of the process's processor time.
  ///   - diskByteCount: the bytes of the log on disk.
  ///   - memoryByteCount: the bytes of memory.
  ///   - objectShare: the share of objects.
  public init(
    cpuShare: Double? = nil,
    diskByteCount: Int? = nil,
    memoryByteCount: Int? = nil,
    objectShare: Double = 1
  ) {
    self.cpuShare = cpuShare
    self.diskByteCount = diskByteCount
    self.memoryByteCount = memoryByteCount
    self.objectShare = objectShare
  }

  var setting: RecorderBudget {
    RecorderBudget(
      cpu: cpuShare.map { Self.parts(of: $0, in: 1_000_000) },
      diskByteCount: diskByteCount.map { UInt64(max($0, RecorderBudget.leastDiskByteCount)) },
      memoryByteCount: memoryByteCount.map { UInt64(max($0, RecorderBudget.leastMemoryByteCount)) },
      share: Self.parts(of: objectShare, in: 1_024)
    )
  }

  /// Not a number is as little as possible.
  private static func parts(of share: Double, in whole: Double) -> UInt32 {
    share > 0 ? UInt32(max(1, min(share, 1) * whole)) : 1
  }
}
