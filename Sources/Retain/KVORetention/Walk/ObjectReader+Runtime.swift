internal import CKVORetention

// Objects of the blocks runtime and of Swift Concurrency.
extension ObjectReader {
  // MARK: Blocks

  /// Reads what a block captured.
  ///
  /// The checks, in order:
  /// 1. The descriptor has the block's size, which must be readable and within a limit.
  /// 2. A block that wraps another one for Dispatch begins its captures with a unique magic number.
  /// 3. A block that Swift made from a closure captured only this closure: the address of its code
  ///    and a Swift object, which the block copies and disposes of.
  /// 4. The captures of all other blocks are described nowhere.
  func readBlock<Visitor: ReferenceVisitor & ~Copyable>(
    _ object: UnsafeRawPointer,
    _ plan: UnsafePointer<HeapPlan>,
    _ visitor: inout Visitor
  ) {
    let header = MemoryLayout<KVOSBlock>.size
    let record = object.load(as: KVOSBlock.self)
    guard plan.pointee.slots.count == 3, let slots = plan.pointee.slots.baseAddress,
      let descriptor = record.descriptor,
      memory.isReadable(UInt(bitPattern: descriptor), 16)
    else { return }
    let size = Int(clamping: descriptor.pointee.size)
    guard size > header, size <= 1 << 16, memory.isReadable(UInt(bitPattern: object), UInt(size))
    else { return }
    let captures = object + header
    let owns = record.flags & UInt32(KVOS_BLOCK_OWNS) != 0
    let target = Int(KVOS_DISPATCH_BLOCK_TARGET)
    if owns, size >= target + 8, captures.load(as: UInt.self) == UInt(KVOS_DISPATCH_BLOCK) {
      visitor.reference(object.load(fromByteOffset: target, as: UInt.self), in: slots + 2)
      return visitor.opaque(
        object + target + 8,
        byteCount: size - target - 8,
        in: slots + 1
      )
    }
    if owns, size == header + 16 {
      let code = captures.load(as: UInt.self)
      let context = captures.load(fromByteOffset: 8, as: UInt.self)
      if memory.isCode(code), context == 0 || self.plan(of: context) != nil {
        return visitor.closure(context: context, code: code, in: slots)
      }
    }
    visitor.opaque(captures, byteCount: size - header, in: slots + 1)
  }

  // MARK: Tasks

  /// Reads the result of a completed task.
  ///
  /// The contents of other tasks are described nowhere.
  func readTask<Visitor: ReferenceVisitor & ~Copyable>(
    _ object: UnsafeRawPointer,
    _ plan: UnsafePointer<HeapPlan>,
    _ visitor: inout Visitor
  ) {
    guard let slot = plan.pointee.slots.baseAddress, let future = finishedFuture(of: object) else {
      return
    }
    let record = future.load(as: KVOSTaskFuture.self)
    if record.waitQueue & 3 == 2 {
      return visitor.reference(UInt(bitPattern: record.error), in: slot)
    }
    guard record.waitQueue & 3 == 1, let type = knownType(at: UInt(bitPattern: record.resultType))
    else { return }
    let layout = store.layout(of: type)
    let start = UInt(bitPattern: future) + UInt(MemoryLayout<KVOSTaskFuture>.size)
    let mask = UInt(layout.pointee.alignmentMask)
    guard let value = UnsafeRawPointer(bitPattern: (start + mask) & ~mask),
      memory.isReadable(UInt(bitPattern: value), UInt(layout.pointee.size))
    else { return }
    read(layout.pointee.slots, at: value, &visitor)
  }

  /// Whether a task has completed, so that it keeps only its result.
  func isFinished(_ object: UnsafeRawPointer) -> Bool { finishedFuture(of: object) != nil }

  /// Whether a thread is running a task now.
  ///
  /// The references of a running task are in registers and on the thread's stack; its own frames
  /// may hold none.
  func isRunning(_ object: UnsafeRawPointer) -> Bool {
    let status = Int(KVOS_TASK_STATUS)
    guard memory.isReadable(UInt(bitPattern: object), UInt(status) + 4) else { return true }
    return object.load(fromByteOffset: status, as: UInt32.self) & KVOS_TASK_IS_RUNNING != 0
  }

  private func finishedFuture(of object: UnsafeRawPointer) -> UnsafeRawPointer? {
    let future = Int(KVOS_TASK_FUTURE)
    let size = future + MemoryLayout<KVOSTaskFuture>.size
    guard memory.isReadable(UInt(bitPattern: object), UInt(size)) else { return nil }
    let flags = object.load(fromByteOffset: Int(KVOS_TASK_JOB_FLAGS), as: UInt32.self)
    let status = object.load(fromByteOffset: Int(KVOS_TASK_STATUS), as: UInt32.self)
    guard flags & (KVOS_JOB_KIND | KVOS_JOB_IS_CHILD | KVOS_JOB_IS_FUTURE) == KVOS_JOB_IS_FUTURE,
      status & KVOS_TASK_IS_COMPLETE != 0
    else { return nil }
    return object + future
  }
}
