import Dispatch
import Foundation

/// Who owns a root besides what the root itself leads to, until it is told to let go.
enum RootHolder: CaseIterable, Sendable {
  case variable
  case global
  case closure
  /// A strong reference in memory of C.
  case memory
  /// A thread that waits in a call of the kernel, which may have it in a register alone.
  case thread
  case task
  case queue
  /// A strong reference of which the kernel has the only copy.
  case kernel
  /// A strong reference that is not in memory as it is.
  case encoded
  /// A reference in memory of C that owns nothing: the root keeps itself, if it can, until it is called.
  case unmanaged
}

/// One that holds a root.
final class Hold {
  private var letGo: (() async -> Void)?

  private init(_ letGo: @escaping () async -> Void) { self.letGo = letGo }

  func end() async {
    let letGo = letGo
    self.letGo = nil
    await letGo?()
  }

  // unsafe: the shapes are tried one after the other.
  nonisolated(unsafe) private static var globals: [Int: GeneratedRoot] = [:]
  nonisolated(unsafe) private static var addresses: [Int: UnsafeMutablePointer<UInt>] = [:]
  nonisolated(unsafe) private static var encoded: [Int: UInt] = [:]

  /// - Parameters:
  ///   - root: what is held.
  ///   - number: no other hold has it.
  ///   - holder: how.
  /// - Returns: what lets go of it.
  static func make(_ root: GeneratedRoot, _ number: Int, by holder: RootHolder) async -> Hold {
    switch holder {
    case .variable:
      var root: GeneratedRoot? = root
      return Hold {
        use(root)
        root = nil
      }
    case .global:
      globals[number] = root
      return Hold { globals[number] = nil }
    case .closure:
      let action = { root.poke() }
      return Hold { action() }
    case .memory, .unmanaged:
      let memory = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
      let reference = Unmanaged.passUnretained(root)
      if holder == .memory { _ = reference.retain() }
      memory.initialize(to: UInt(bitPattern: reference.toOpaque()))
      addresses[number] = memory
      return Hold {
        addresses[number] = nil
        if holder == .memory { release(memory.pointee) }
        memory.initialize(to: 0)
        memory.deallocate()
      }
    case .thread:
      let thread = HoldingThread(root)
      return Hold { thread.end() }
    case .task:
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      let task = Task { [root] in
        for await _ in stream {}
        use(root)
      }
      return Hold {
        continuation.finish()
        await task.value
      }
    case .queue:
      let queue = DispatchQueue(label: "holds a root", attributes: .initiallyInactive)
      queue.async { [root] in use(root) }
      return Hold {
        queue.activate()
        await withUnsafeContinuation { done in queue.async { done.resume() } }
      }
    case .kernel:
      let pipe = Pipe()
      sendReference(to: root, pipe.fileHandleForWriting.fileDescriptor)
      return Hold { releaseReceived(pipe.fileHandleForReading.fileDescriptor) }
    case .encoded:
      encoded[number] = ~UInt(bitPattern: Unmanaged.passRetained(root).toOpaque())
      return Hold { release(~(encoded.removeValue(forKey: number) ?? 0)) }
    }
  }
}

@inline(never)
private func release(_ address: UInt) {
  guard let address = UnsafeRawPointer(bitPattern: address) else { return }
  Unmanaged<GeneratedRoot>.fromOpaque(address).release()
}

@inline(never)
private func sendReference(to root: GeneratedRoot, _ file: Int32) {
  var word = UInt(bitPattern: Unmanaged.passRetained(root).toOpaque())
  precondition(write(file, &word, 8) == 8)
  word = 0
  use(word)
}

@inline(never)
private func releaseReceived(_ file: Int32) {
  var word: UInt = 0
  precondition(read(file, &word, 8) == 8)
  release(word)
}

/// A thread that has a root in a variable, and waits for a byte.
private final class HoldingThread {
  private let pipe = Pipe()
  private let ended = DispatchSemaphore(value: 0)

  init(_ root: GeneratedRoot) {
    let file = pipe.fileHandleForReading.fileDescriptor
    let started = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var handed: GeneratedRoot? = root
    let ended = ended
    Thread.detachNewThread {
      var root: GeneratedRoot?
      swap(&root, &handed)
      started.signal()
      if let root { Self.wait(for: file, root) }
      root = nil
      ended.signal()
    }
    started.wait()
  }

  @inline(never)
  private static func wait(for file: Int32, _ root: GeneratedRoot) {
    var byte: UInt8 = 0
    precondition(read(file, &byte, 1) == 1)
    root.number += Int(byte)
  }

  func end() {
    var byte: UInt8 = 1
    precondition(write(pipe.fileHandleForWriting.fileDescriptor, &byte, 1) == 1)
    ended.wait()
  }
}
