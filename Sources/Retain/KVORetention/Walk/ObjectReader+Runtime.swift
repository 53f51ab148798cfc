internal import CKVORetention

// Objects of the blocks runtime.
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
}
