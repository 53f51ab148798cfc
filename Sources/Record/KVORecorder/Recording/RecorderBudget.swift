internal import CKVORecorder

/// What the recorder may use for a log.
package struct RecorderBudget: Hashable, Sendable {
  /// Millionths of the processor time of the process; nil: it is not limited.
  package var cpu: UInt32?
  package var diskByteCount: UInt64?
  package var memoryByteCount: UInt64?
  /// How many objects of 1,024 are recorded from the start.
  package var share: UInt32?

  package init(
    cpu: UInt32? = nil,
    diskByteCount: UInt64? = nil,
    memoryByteCount: UInt64? = nil,
    share: UInt32? = nil
  ) {
    self.cpu = cpu
    self.diskByteCount = diskByteCount
    self.memoryByteCount = memoryByteCount
    self.share = share
  }

  package static let leastDiskByteCount = Int(KVOS_LEAST_DISK_BUDGET)
  package static let leastMemoryByteCount = Int(KVOS_LEAST_MEMORY_BUDGET)

  var setting: KVOSBudget {
    KVOSBudget(
      cpu: cpu ?? 0,
      share: share ?? 0,
      diskByteCount: diskByteCount ?? 0,
      memoryByteCount: memoryByteCount ?? 0
    )
  }
}
