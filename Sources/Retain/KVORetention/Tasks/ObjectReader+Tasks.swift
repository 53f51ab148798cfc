internal import CKVORetention

/// How much of tasks that have not ended is read.
enum TaskAccess {
  /// Nothing: they may continue and end at any time, and free what their words lead to.
  case none
  /// The words of their memory, as suspected references.
  case words
  /// In addition, the captures of their closures, as proven references.
  ///
  /// Only for a copy of the process, in which no task continues.
  case closures
}

// Tasks of Swift Concurrency.
extension ObjectReader {
  /// Reads what a task certainly keeps alive: the captures of its closure until it completes, and
  /// its result after that.
  ///
  /// The frames of its functions are described nowhere. A running task is not read: it may complete
  /// at any time.
  func readTask<Visitor: ReferenceVisitor & ~Copyable>(
    _ object: UnsafeRawPointer,
    _ plan: UnsafePointer<HeapPlan>,
    _ visitor: inout Visitor
  ) {
    guard plan.pointee.slots.count == 2, let slots = plan.pointee.slots.baseAddress else { return }
    guard let future = finishedFuture(of: object) else {
      if tasks == .closures, let closure = closure(ofWaiting: object) {
        visitor.closure(context: closure.context, code: closure.code, in: slots + 1)
      }
      return
    }
    let record = future.load(as: KVOSTaskFuture.self)
    if record.waitQueue & 3 == 2 {
      return visitor.reference(UInt(bitPattern: record.error), in: slots)
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

  // MARK: Waiting tasks

  /// The closure of a task that has not completed and is not running.
  ///
  /// It precedes the task's first frame, which follows the memory for the result in the same
  /// allocation. The checks, in order:
  /// 1. The task waits for something, so that no thread is about to run it, was created to be
  ///    awaited, as all tasks of programs are, and owns its closure: that of an `async let` belongs
  ///    to its parent.
  /// 2. The type of the result, whose size is needed, is known.
  /// 3. The first frame is in the task's allocation. It has no caller, and continues with code of
  ///    the runtime.
  /// 4. The closure's code is code, and its context is an object, according to copies, or null.
  /// 5. The status, and the number of the task, are the same as at first: a task that completed
  ///    meanwhile released its closure, and another one may use its memory.
  func closure(ofWaiting task: UnsafeRawPointer) -> KVOSTaskClosure? {
    let address = UInt(bitPattern: task)
    let (first, future) = (status(of: task), UInt(KVOS_TASK_FUTURE))
    guard Self.isWaiting(first), memory.isReadable(address, future),
      memory.isMapped(address - 16, 32)
    else { return nil }
    let number = task.load(fromByteOffset: Int(KVOS_TASK_NUMBER), as: UInt32.self)
    let flags = task.load(fromByteOffset: Int(KVOS_TASK_JOB_FLAGS), as: UInt32.self)
    guard flags & (KVOS_JOB_KIND | KVOS_JOB_IS_FUTURE | KVOS_JOB_IS_ASYNC_LET) == KVOS_JOB_IS_FUTURE
    else { return nil }
    let byteCount = kvos_allocation_size(task)
    guard memory.isReadable(address, byteCount),
      let offset = offsetOfFirstFrame(in: task, flags, byteCount),
      let frame = UnsafeRawPointer(bitPattern: address + offset)
    else { return nil }
    let record = frame.load(as: KVOSTaskFrame.self)
    let closure = (frame - MemoryLayout<KVOSTaskClosure>.size).load(as: KVOSTaskClosure.self)
    guard record.caller == 0, memory.isCode(record.code), memory.isCode(closure.code) else {
      return nil
    }
    guard closure.context == 0 || targets.isLivingObject(closure.context),
      status(of: task) == first,
      task.load(fromByteOffset: Int(KVOS_TASK_NUMBER), as: UInt32.self) == number
    else { return nil }
    return closure
  }

  /// Whether a task waits, and has not been resumed.
  private static func isWaiting(_ status: UInt32) -> Bool {
    let flags =
      KVOS_TASK_IS_RUNNING | KVOS_TASK_IS_ENQUEUED | KVOS_TASK_IS_COMPLETE | KVOS_TASK_IS_WAITING
    return status & flags == KVOS_TASK_IS_WAITING
  }

  /// The code with which a waiting task continues, innermost first: of the function that waits, and
  /// of its callers.
  ///
  /// Read from copies: the task may continue meanwhile. Then the result is empty.
  func continuations(ofWaiting task: UnsafeRawPointer) -> [UInt] {
    let address = UInt(bitPattern: task)
    let first = status(of: task)
    guard first & (KVOS_TASK_IS_RUNNING | KVOS_TASK_IS_COMPLETE) == 0,
      let code = targets.wordNow(at: address + UInt(KVOS_TASK_RESUME)),
      var frame = targets.wordNow(at: address + UInt(KVOS_TASK_FRAME))
    else { return [] }
    var continuations = [code]
    while frame >= 4096, frame & 7 == 0, continuations.count < Self.frameLimit,
      let caller = targets.wordNow(at: frame), let code = targets.wordNow(at: frame + 8)
    {
      continuations.append(code)
      frame = caller
    }
    return status(of: task) == first ? continuations.filter(memory.isCode) : []
  }

  /// The maximum number of frames of a task that are read.
  private static let frameLimit = 64

  private func offsetOfFirstFrame(
    in task: UnsafeRawPointer,
    _ flags: UInt32,
    _ byteCount: UInt
  ) -> UInt? {
    var offset = UInt(KVOS_TASK_FUTURE)
    if flags & KVOS_JOB_HAS_PARENT != 0 { offset += UInt(KVOS_TASK_CHILD_SIZE) }
    if flags & KVOS_JOB_HAS_GROUP != 0 { offset += UInt(KVOS_TASK_GROUP_CHILD_SIZE) }
    let header = UInt(MemoryLayout<KVOSTaskFuture>.size)
    guard offset + header <= byteCount else { return nil }
    let future = (task + Int(offset)).load(as: KVOSTaskFuture.self)
    guard let type = knownType(at: UInt(bitPattern: future.resultType)),
      let witnesses = type.witnesses
    else { return nil }
    let mask = UInt(witnesses.alignmentMask)
    offset = (offset + header + mask) & ~mask
    offset += UInt(witnesses.size) + UInt(MemoryLayout<KVOSTaskClosure>.size) + 8
    offset = (offset + 15) & ~15
    return offset + UInt(MemoryLayout<KVOSTaskFrame>.size) <= byteCount ? offset : nil
  }

  private func status(of task: UnsafeRawPointer) -> UInt32 {
    let offset = Int(KVOS_TASK_STATUS)
    guard memory.isReadable(UInt(bitPattern: task), UInt(offset) + 4) else {
      return KVOS_TASK_IS_RUNNING
    }
    return task.load(fromByteOffset: offset, as: UInt32.self)
  }
}
