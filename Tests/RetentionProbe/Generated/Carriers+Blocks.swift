import Dispatch
import Foundation

private final class Block {
  var flag = true
  let block: @convention(block) () -> Void
  var optional: (@convention(block) () -> Void)?
  init(_ block: @escaping @convention(block) () -> Void) {
    self.block = block
    optional = block
  }
}

/// Does its work when it is released.
private final class SuspendedQueue {
  let queue = DispatchQueue(label: "suspended", attributes: .initiallyInactive)
  deinit { queue.activate() }
}

extension Carrier {
  static let blocks: [Carrier] = [
    Carrier("a block") { _openExistential($0, do: aBlock) },
    Carrier("a work item") { _openExistential($0, do: aWorkItem) },
    Carrier("a queue with work") { _openExistential($0, do: aQueueWithWork) },
    Carrier("a timer's block", keepsItself: true) { _openExistential($0, do: aTimersBlock) },
    Carrier("an operation") { _openExistential($0, do: anOperation) },
  ]
}

@inline(never)
private func aBlock<Value>(_ value: Value) -> Any { Block { use(value) } }

@inline(never)
private func aWorkItem<Value>(_ value: Value) -> Any {
  nonisolated(unsafe) let value = value
  return DispatchWorkItem { use(value) }
}

@inline(never)
private func aQueueWithWork<Value>(_ value: Value) -> Any {
  nonisolated(unsafe) let value = value
  let queue = SuspendedQueue()
  queue.queue.async { use(value) }
  return queue
}

@inline(never)
private func aTimersBlock<Value>(_ value: Value) -> Any {
  nonisolated(unsafe) let value = value
  return Timer(timeInterval: 1000, repeats: true) { _ in use(value) }
}

@inline(never)
private func anOperation<Value>(_ value: Value) -> Any {
  nonisolated(unsafe) let value = value
  return BlockOperation { use(value) }
}
